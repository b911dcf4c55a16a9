//! The rules in the files beside this one: whose code a name or a place is.
//!
//! ```text
//! # comment
//! where runtime.main
//! library place */site-packages/*
//! runtime name caml_*
//! ```
//!
//! `where` lines say which profiles a file is for: those that hold such a name; a file without
//! `where` is for all. With a line `telling`, a name that matches a rule shows the language by itself,
//! where the other names of the profile are not known. Of the other lines, the first that matches decides. `*` stands for any
//! bytes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bstr::ByteSlice;

use super::CodeKind;

/// The files, in the order in which they are tried.
pub(super) static FILES: LazyLock<[Rules; 8]> = LazyLock::new(|| {
    [
        include_str!("ocaml.rules"),
        include_str!("ocaml-runtime.rules"),
        include_str!("rust.rules"),
        include_str!("go.rules"),
        include_str!("jvm.rules"),
        include_str!("node.rules"),
        include_str!("python.rules"),
        include_str!("cpp.rules"),
    ]
    .map(Rules::parse)
});

/// The rules of one file.
#[derive(Debug, Default)]
pub(super) struct Rules {
    conditions: Vec<Glob>,
    is_telling: bool,
    names: Globs,
    places: Globs,
}

impl Rules {
    fn parse(text: &'static str) -> Rules {
        let mut rules = Rules::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            rules.add(line).unwrap_or_else(|| panic!("'{line}' is no rule"));
        }
        rules
    }

    fn add(&mut self, line: &'static str) -> Option<()> {
        if let Some(glob) = line.strip_prefix("where ") {
            self.conditions.push(Glob::new(glob));
            return Some(());
        }
        if line == "telling" {
            self.is_telling = true;
            return Some(());
        }
        let (kind, rest) = line.split_once(' ')?;
        let (what, glob) = rest.split_once(' ')?;
        let kind = match kind {
            "own" => CodeKind::Own,
            "library" => CodeKind::Library,
            "runtime" => CodeKind::Runtime,
            "unknown" => CodeKind::Unknown,
            _ => return None,
        };
        match what {
            "name" => self.names.push(Glob::new(glob), kind),
            "place" => self.places.push(Glob::new(glob), kind),
            _ => return None,
        }
        Some(())
    }

    pub(super) fn has_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Whether a name that matches shows by itself that it is of the language.
    pub(super) fn are_telling(&self) -> bool {
        self.conditions.is_empty() || self.is_telling
    }

    /// Whether the file is for a profile with this name.
    pub(super) fn is_for(&self, name: &[u8]) -> bool {
        self.conditions.iter().any(|glob| glob.matches(name))
    }

    pub(super) fn of_name(&self, name: &[u8]) -> Option<CodeKind> {
        self.names.kind_of(name)
    }

    pub(super) fn of_place(&self, place: &[u8]) -> Option<CodeKind> {
        self.places.kind_of(place)
    }
}

/// Globs of names or of places. Since there are hundreds of rules, a text is compared only with
/// those that begin with its first byte and with those that begin with `*`.
#[derive(Debug, Default)]
struct Globs {
    by_byte: BTreeMap<u8, Vec<Rule>>,
    starred: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    /// If two rules match, the one with the smaller number decides.
    number: usize,
    glob: Glob,
    kind: CodeKind,
}

impl Globs {
    fn push(&mut self, glob: Glob, kind: CodeKind) {
        let number = self.len();
        let rules = match glob.start.first() {
            Some(byte) => self.by_byte.entry(*byte).or_default(),
            None => &mut self.starred,
        };
        rules.push(Rule { number, glob, kind });
    }

    fn len(&self) -> usize {
        self.starred.len() + self.by_byte.values().map(Vec::len).sum::<usize>()
    }

    fn kind_of(&self, text: &[u8]) -> Option<CodeKind> {
        let of_byte = self.by_byte.get(text.first()?);
        let lists = of_byte.into_iter().chain([&self.starred]);
        let found = lists.filter_map(|rules| rules.iter().find(|rule| rule.glob.matches(text)));
        found.min_by_key(|rule| rule.number).map(|rule| rule.kind)
    }
}

/// A text in which `*` stands for any bytes.
#[derive(Debug)]
struct Glob {
    start: &'static [u8],
    /// What follows each `*`; none if there is no `*`.
    rest: Vec<&'static [u8]>,
}

impl Glob {
    fn new(glob: &'static str) -> Glob {
        let mut parts = glob.split('*').map(str::as_bytes);
        Glob { start: parts.next().unwrap_or_default(), rest: parts.collect() }
    }

    fn matches(&self, text: &[u8]) -> bool {
        let Some(mut text) = text.strip_prefix(self.start) else { return false };
        let Some((end, middle)) = self.rest.split_last() else { return text.is_empty() };
        for part in middle {
            let Some(at) = text.find(part) else { return false };
            text = &text[at + part.len()..];
        }
        text.ends_with(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_bytes() {
        for (glob, text, expected) in [
            ("main", "main", true),
            ("main", "main2", false),
            ("std::*", "std::sort", true),
            ("std::*", "mystd::sort", false),
            ("*/go*/src/*", "/usr/lib/go-1.19/src/sort.go:1", true),
            ("*/go*/src/*", "/usr/lib/go-1.19/sort.go:1", false),
            ("/*.py:*", "/app/a.py:3", true),
            ("/*.py:*", "app/a.py:3", false),
            ("a*ab", "ab", false),
        ] {
            assert_eq!(Glob::new(glob).matches(text.as_bytes()), expected, "{glob} {text}");
        }
    }

    #[test]
    fn every_file_is_asked() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/names/kind");
        let is_rules = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").path().extension().is_some_and(|it| it == "rules")
        };
        let files = std::fs::read_dir(folder).expect("the folder of rules");
        assert_eq!(files.map(is_rules).filter(|it| *it).count(), FILES.len());
        assert!(FILES.iter().all(|rules| rules.names.len() > 0));
    }
}
