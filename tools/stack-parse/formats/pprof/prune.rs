//! Removes the frames that a profile wants to hide, such as those of `malloc` below the function
//! that allocated: `drop_frames` and `keep_frames`. Their weight goes to their callers, as in pprof
//! (`Profile.RemoveUninteresting`).

use bstr::ByteSlice;
use hashbrown::HashMap;
use regex::bytes::Regex;

use crate::samples::Samples;

/// What happens to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It is removed, with the frames that it called.
    Goes,
    /// The frames that it called are removed.
    IsLeaf,
}

#[derive(Debug)]
pub(super) struct Prune {
    drop: Regex,
    keep: Option<Regex>,
    fates: HashMap<u64, Fate>,
}

impl Prune {
    /// Compiles the two patterns of a profile; the second may be empty. `None` if nothing is to be
    /// removed; a pattern that is not valid is reported.
    pub(super) fn new(drop: &[u8], keep: &[u8], samples: &mut Samples<'_>) -> Option<Prune> {
        let mut pattern = |field: &str, text: &[u8]| {
            if text.is_empty() {
                return None;
            }
            let text = String::from_utf8_lossy(text);
            let pattern = Regex::new(&format!("^(?:{text})$"));
            if let Err(error) = &pattern {
                samples.note(format_args!("{field} is not followed: {error}"));
            }
            pattern.ok()
        };
        let drop_regex = pattern("drop_frames", drop)?;
        let keep = pattern("keep_frames", keep);
        samples.note(format_args!(
            "frames that its drop_frames matches are left out, as in pprof: {}",
            drop.as_bstr()
        ));
        Some(Prune { drop: drop_regex, keep, fates: HashMap::new() })
    }

    /// Notes the fate of a location by its functions, root first; returns how many of them stay.
    pub(super) fn location<'f>(
        &mut self,
        id: u64,
        functions: impl Iterator<Item = &'f [u8]>,
    ) -> usize {
        let mut shown = 0;
        for function in functions {
            if self.drops(function) {
                self.fates.insert(id, if shown == 0 { Fate::Goes } else { Fate::IsLeaf });
                return shown;
            }
            shown += 1;
        }
        shown
    }

    fn drops(&self, function: &[u8]) -> bool {
        let name = simple_name(function);
        let is_kept = || self.keep.as_ref().is_some_and(|keep| keep.is_match(name));
        !function.is_empty() && self.drop.is_match(name) && !is_kept()
    }

    /// The locations of a sample that stay, leaf first; `None` if all stay. Matching frames at the
    /// root, before the first other frame, are kept, so that the stack is never empty.
    pub(super) fn sample<'l>(&self, locations: &'l [u64]) -> Option<&'l [u64]> {
        let mut has_user_code = false;
        for (index, location) in locations.iter().enumerate().rev() {
            match self.fates.get(location) {
                None => has_user_code = true,
                Some(_) if !has_user_code => {}
                Some(Fate::Goes) => return Some(&locations[index + 1..]),
                Some(Fate::IsLeaf) => return Some(&locations[index..]),
            }
        }
        None
    }
}

/// The name of a function without its arguments: `operator new` for
/// `operator new(unsigned long)`.
fn simple_name(function: &[u8]) -> &[u8] {
    let name = function.strip_prefix(b".").unwrap_or(function);
    let is_part = |open: usize| {
        name[open..].starts_with(b"(anonymous namespace)") || name[..open].ends_with(b"operator")
    };
    let arguments = name.find_iter("(").find(|&open| !is_part(open));
    arguments.map_or(name, |open| &name[..open])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_no_part_of_a_name() {
        for (function, name) in [
            ("operator new(unsigned long)", "operator new"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("A::operator()(int)", "A::operator()"),
            (".malloc", "malloc"),
            ("main.(*T).Fill", "main."),
            ("f", "f"),
        ] {
            assert_eq!(simple_name(function.as_bytes()), name.as_bytes(), "{function}");
        }
    }

    #[test]
    fn what_a_dropped_function_called_goes_too() {
        let drop = Regex::new("^(?:malloc|Mem.*)$").expect("a pattern");
        let mut prune = Prune { drop, keep: Regex::new("^MemUser$").ok(), fates: HashMap::new() };
        let mut add =
            |id, functions: &[&str]| prune.location(id, functions.iter().map(|f| f.as_bytes()));
        assert_eq!(add(1, &["main"]), 1);
        assert_eq!(add(2, &["malloc(int)"]), 0);
        assert_eq!(add(3, &["user", "MemAlloc"]), 1);
        assert_eq!(add(4, &["MemUser"]), 1);
        assert_eq!(add(5, &["hook"]), 1);
        for (leaf_first, left) in [
            (&[5, 2, 4, 1][..], Some(&[4, 1][..])),
            (&[5, 3, 1], Some(&[3, 1])),
            (&[5, 4, 1], None),
            // The whole stack.
            (&[2], None),
            (&[2, 5, 2], Some(&[5, 2])),
        ] {
            assert_eq!(prune.sample(leaf_first), left, "{leaf_first:?}");
        }
    }
}
