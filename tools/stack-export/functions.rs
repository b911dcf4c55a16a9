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
    pub(crate) sites: Vec<Site>,
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
pub(crate) struct Site {
    /// The index of the function in the list.
    pub(crate) function: u32,
    /// 0 if it is not known.
    pub(crate) line: u32,
    /// 0 if it is not known.
    pub(crate) column: u32,
    /// Whether the compiler put it into its caller.
    pub(crate) is_inlined: bool,
}

/// Which marks are part of names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedMarks {
    /// stack-parse reads them from there again.
    All,
    /// So it does, but the format has a field for inlined functions.
    AllButInlined,
    None,
}

impl<'a> Functions<'a> {
    pub(crate) fn of(profile: &'a Profile, named: NamedMarks) -> Functions<'a> {
        let mut numbers = HashMap::new();
        let mut functions = Functions { list: Vec::new(), sites: Vec::new() };
        for &frame in &profile.frames {
            let (function, line, column, is_inlined) = split(profile.name(frame), named);
            let number = *numbers.entry(function).or_insert_with_key(|function| {
                functions.list.push(function.clone());
                (functions.list.len() - 1) as u32
            });
            functions.sites.push(Site { function: number, line, column, is_inlined });
        }
        functions
    }

    pub(crate) fn site(&self, profile: &Profile, frame: FrameId) -> Site {
        self.sites[profile.place(frame) as usize]
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

/// Splits a frame into its function, its line and column, and whether it is inlined.
fn split(frame: &[u8], named: NamedMarks) -> (Function<'_>, u32, u32, bool) {
    let parts = FrameParts::of(frame);
    let FrameParts { name, place, marks } = parts;
    let (marks, is_inlined) = match (named, marks.strip_suffix(b"_[i]")) {
        (NamedMarks::None, _) => (&b""[..], parts.has_mark(b'i')),
        (NamedMarks::AllButInlined, Some(others)) if !name.is_empty() => (others, true),
        _ => (marks, false),
    };
    let marked = |name| match marks {
        b"" => Cow::Borrowed(name),
        _ => [name, marks].concat().into(),
    };
    match split_place(place).filter(|_| !name.is_empty()) {
        Some((file, line, column)) => {
            (Function { name: marked(name), file }, line, column, is_inlined)
        }
        None => {
            let unmarked = &frame[..frame.len() - parts.marks.len()];
            (Function { name: marked(unmarked), file: b"" }, 0, 0, is_inlined)
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
            let found = split(frame.as_bytes(), NamedMarks::All);
            let function = Function { name: name.as_bytes().into(), file: file.as_bytes() };
            assert!(found == (function, line, column, false), "{frame}");
        }
        let (function, line, _, is_inlined) = split(b"f (a.c:1)_[i]", NamedMarks::AllButInlined);
        assert_eq!((&function.name[..], line, is_inlined), (&b"f"[..], 1, true));
        let (function, .., is_inlined) = split(b"f (a.c:1)_[l]_[i]", NamedMarks::AllButInlined);
        assert!(&*function.name == b"f_[l]" && is_inlined);
        let (function, .., is_inlined) = split(b"f (:1)_[i]", NamedMarks::AllButInlined);
        assert_eq!((&function.name[..], is_inlined), (&b"f (:1)"[..], true));
        for frame in ["f (a.c:1)_[l]_[i]", "f (a.c:1)_[i]_[l]", "f (a.c:1)"] {
            let (function, line, _, is_inlined) = split(frame.as_bytes(), NamedMarks::None);
            assert_eq!((&function.name[..], function.file, line), (&b"f"[..], &b"a.c"[..], 1));
            assert_eq!(is_inlined, frame.len() > 9, "{frame}");
        }
        let (function, ..) = split(b"f (:1)_[k]", NamedMarks::None);
        assert_eq!(&function.name[..], b"f (:1)");
    }
}
