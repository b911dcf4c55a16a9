//! Functions and their lines, for formats that have fields for both.

use std::borrow::Cow;
use std::collections::HashMap;

use common::names::{FrameParts, NAMELESS, split_place, utf8};
use common::stacks::FrameId;

use crate::profile::Profile;

/// The functions of a profile, and for each frame its line of one.
pub(crate) struct Functions<'a> {
    /// In the order of their first frames.
    pub(crate) list: Vec<Function<'a>>,
    /// The lines of functions, in the order of [`Profile::frames`].
    pub(crate) sites: Vec<Site<'a>>,
}

/// A function. Functions of the same name in different files are different.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Function<'a> {
    /// With those marks that are part of names.
    pub(crate) name: Cow<'a, [u8]>,
    /// Empty if it is not known.
    pub(crate) file: &'a [u8],
}

/// What a frame is: a line of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site<'a> {
    /// The index of the function in the list.
    pub(crate) function: u32,
    /// 0 if it is not known.
    pub(crate) line: u32,
    /// 0 if it is not known.
    pub(crate) column: u32,
    /// Whether the compiler put it into its caller.
    pub(crate) is_inlined: bool,
    /// All other marks that are not part of the name.
    pub(crate) marks: &'a [u8],
}

/// Which marks are part of names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedMarks {
    /// The format has no field for them, but stack-parse reads them from names again. There is one
    /// for inlined functions.
    AllButInlined,
    /// The format has fields for them, or shows none.
    None,
}

impl<'a> Functions<'a> {
    pub(crate) fn of(profile: &'a Profile, named: NamedMarks) -> Functions<'a> {
        let mut numbers = HashMap::new();
        let mut functions = Functions { list: Vec::new(), sites: Vec::new() };
        for &frame in &profile.frames {
            let (function, site) = split(profile.name(frame), named);
            let number = *numbers.entry(function).or_insert_with_key(|function| {
                functions.list.push(function.clone());
                (functions.list.len() - 1) as u32
            });
            functions.sites.push(Site { function: number, ..site });
        }
        functions
    }

    pub(crate) fn site(&self, profile: &Profile, frame: FrameId) -> Site<'a> {
        self.sites[profile.place(frame) as usize]
    }
}

impl Site<'_> {
    /// All marks that are not part of the name.
    pub(crate) fn all_marks(&self) -> String {
        let inlined = if self.is_inlined { "_[i]" } else { "" };
        utf8(self.marks).into_owned() + inlined
    }
}

impl Function<'_> {
    /// The name for formats that are text.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        if self.name.is_empty() { NAMELESS.into() } else { utf8(&self.name) }
    }

    /// The file for formats that are text.
    pub(crate) fn file_text(&self) -> Cow<'_, str> {
        utf8(self.file)
    }
}

/// Splits a frame into its function, and its line of one, of which the number is not known yet.
fn split(frame: &[u8], named: NamedMarks) -> (Function<'_>, Site<'_>) {
    let FrameParts { name, place, marks } = FrameParts::of(frame);
    let others = marks.strip_suffix(b"_[i]").filter(|_| !name.is_empty());
    let is_inlined = others.is_some();
    let others = others.unwrap_or(marks);
    let (in_name, apart) = match named {
        NamedMarks::AllButInlined => (others, &b""[..]),
        NamedMarks::None => (&b""[..], others),
    };
    let marked = |name| match in_name {
        b"" => Cow::Borrowed(name),
        _ => [name, in_name].concat().into(),
    };
    let site = Site { function: 0, line: 0, column: 0, is_inlined, marks: apart };
    match split_place(place).filter(|_| !name.is_empty()) {
        Some((file, line, column)) => {
            (Function { name: marked(name), file }, Site { line, column, ..site })
        }
        None => {
            let unmarked = &frame[..frame.len() - marks.len()];
            (Function { name: marked(unmarked), file: b"" }, site)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_functions_and_lines() {
        for (frame, name, file, line, column) in [
            ("work (demo.c:14)", "work", "demo.c", 14, 0),
            ("work (demo.c:14)_[k]", "work_[k]", "demo.c", 14, 0),
            ("work (a/b c.js:5:12)", "work", "a/b c.js", 5, 12),
            ("work (C:\\a.c:7)", "work", "C:\\a.c", 7, 0),
            ("work_[k]", "work_[k]", "", 0, 0),
            // These would not be written as they are.
            ("work (demo.c:014)", "work (demo.c:014)", "", 0, 0),
            ("work (demo.c:0)", "work (demo.c:0)", "", 0, 0),
            ("work (demo.c:99999999999)_[k]", "work (demo.c:99999999999)_[k]", "", 0, 0),
            ("work (:14)", "work (:14)", "", 0, 0),
            (" (demo.c:14)", " (demo.c:14)", "", 0, 0),
            ("", "", "", 0, 0),
        ] {
            let found = split(frame.as_bytes(), NamedMarks::AllButInlined);
            let function = Function { name: name.as_bytes().into(), file: file.as_bytes() };
            let site = Site { function: 0, line, column, is_inlined: false, marks: b"" };
            assert!(found == (function, site), "{frame}");
        }
    }

    #[test]
    fn marks_are_part_of_names_or_not() {
        use NamedMarks::{AllButInlined, None};
        for (frame, named, name, is_inlined, marks) in [
            ("f (a.c:1)_[i]", AllButInlined, "f", true, ""),
            ("f (a.c:1)_[l]_[i]", AllButInlined, "f_[l]", true, ""),
            ("f (:1)_[i]", AllButInlined, "f (:1)", true, ""),
            ("f (a.c:1)_[l]_[i]", None, "f", true, "_[l]"),
            ("f (a.c:1)_[i]_[l]", None, "f", false, "_[i]_[l]"),
            ("f (:1)_[k]", None, "f (:1)", false, "_[k]"),
            ("f (a.c:1)", None, "f", false, ""),
            ("_[i]", None, "", false, "_[i]"),
        ] {
            let (function, site) = split(frame.as_bytes(), named);
            assert_eq!(function.name, name.as_bytes(), "{frame}");
            assert_eq!((site.is_inlined, site.marks), (is_inlined, marks.as_bytes()), "{frame}");
        }
    }
}
