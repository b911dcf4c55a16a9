//! Functions by their lines in the source: those of the calls in the frame tables, and those that
//! begin on a line according to DWARF.
//!
//! From these lines, functions whose own calls do not name them get a path: what is between two
//! lines of a function is in that function, and the same is true for modules.

use std::borrow::Cow;
use std::collections::HashMap;

use super::call::Call;
use super::name::{components, shared, without_anonymous};
use crate::executable::source_line::SourceLine;

/// The lines of a program's units.
#[derive(Debug, Default)]
pub(super) struct Places<'p> {
    /// By unit, as symbols name it. Few units have more than one file.
    units: HashMap<Cow<'p, [u8]>, Vec<File<'p>>>,
}

/// The lines of a file.
#[derive(Debug)]
struct File<'p> {
    name: &'p [u8],
    /// Sorted after [`sort`](Places::sort).
    places: Vec<Place<'p>>,
}

/// A function on a line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'p> {
    line: u32,
    /// Its path in the unit, with a dot before each part: `.Make.add`; empty for the code that the
    /// unit runs at the start.
    path: Cow<'p, [u8]>,
}

/// The functions on a line, and the paths of the nearest lines before and after it.
struct Around<'s, 'p> {
    here: &'s [Place<'p>],
    before: Option<&'s [u8]>,
    after: Option<&'s [u8]>,
}

impl<'p> Places<'p> {
    /// The lines of `calls`, sorted.
    pub(super) fn of(calls: &[Call<'p>]) -> Places<'p> {
        let mut places = Places::default();
        for frame in calls.iter().flat_map(|call| &call.frames) {
            if let Some((file, line)) = frame.file_line() {
                let path = Cow::Borrowed(frame.path());
                places.push(frame.unit(), file, Place { line, path });
            }
        }
        places.sort();
        places
    }

    /// Adds the function with this path, which begins at `source`.
    pub(super) fn add(&mut self, unit: &'p [u8], source: &'p SourceLine, path: Vec<u8>) {
        let place = Place { line: source.line, path: Cow::Owned(path) };
        self.push(Cow::Borrowed(unit), &source.file, place);
    }

    fn push(&mut self, unit: Cow<'p, [u8]>, name: &'p [u8], place: Place<'p>) {
        let files = self.units.entry(unit).or_default();
        match files.iter_mut().find(|file| file.name == name) {
            // Calls of one function on one line follow each other.
            Some(file) if file.places.last() == Some(&place) => {}
            Some(file) => file.places.push(place),
            None => files.push(File { name, places: vec![place] }),
        }
    }

    /// Sorts the lines; before that, added functions are not found.
    pub(super) fn sort(&mut self) {
        for file in self.units.values_mut().flatten() {
            file.places.sort_unstable();
            file.places.dedup();
        }
    }

    /// The path of the function with this name that begins at `source`.
    ///
    /// The line may hold calls in that function, or in functions inside of it. If not, the function
    /// is in what the lines before and after it have in common.
    pub(super) fn path_of(&self, unit: &[u8], source: &SourceLine, name: &[u8]) -> Option<Vec<u8>> {
        let Around { here, before, after } = self.around(unit, source)?;
        let same = here.iter().filter_map(|place| path_to(&place.path, name));
        if let Some(path) = same.max_by_key(|path| path.len()) {
            return Some(path.to_vec());
        }
        let outer = match (before, after) {
            (Some(before), Some(after)) => without_anonymous(shared(before, after)),
            _ => b"",
        };
        // A function is not inside another one of the same name here: one of the two hides the
        // other.
        let other = path_to(outer, name);
        let outer = other.map_or(outer, |other| &other[..other.len() - name.len() - 1]);
        Some([outer, b".", name].concat())
    }

    /// The path of the function or module around an anonymous function that begins at `source`.
    pub(super) fn outer_of(&self, unit: &[u8], source: &SourceLine) -> Option<Vec<u8>> {
        let Around { here, before, after } = self.around(unit, source)?;
        let innermost = here.iter().map(|place| &*place.path).max_by_key(|path| path.len());
        let outer = match (innermost, before, after) {
            (Some(innermost), ..) => innermost,
            (None, Some(before), Some(after)) if !is_module(shared(before, after)) => {
                shared(before, after)
            }
            // It is in the last lines of that function.
            (None, Some(before), _) => outermost_function(before),
            (None, None, _) => return None,
        };
        Some(without_anonymous(outer).to_vec())
    }

    fn around(&self, unit: &[u8], source: &SourceLine) -> Option<Around<'_, 'p>> {
        let files = self.units.get(unit)?;
        let places = &files.iter().find(|file| file.name == source.file)?.places;
        let start = places.partition_point(|place| place.line < source.line);
        let end = start + places[start..].partition_point(|place| place.line == source.line);
        let path = |index: usize| places.get(index).map(|place| &*place.path);
        let before = start.checked_sub(1).and_then(path);
        Some(Around { here: &places[start..end], before, after: path(end) })
    }
}

/// The start of `path`, up to the last part that is `name`.
fn path_to<'n>(path: &'n [u8], name: &[u8]) -> Option<&'n [u8]> {
    let same = components(path).rfind(|&(start, end)| path[start..end] == *name);
    same.map(|(_, end)| &path[..end])
}

/// Whether `path` is that of a module or functor. A path with an empty last part, as in damaged
/// tables, counts as one.
fn is_module(path: &[u8]) -> bool {
    let last = components(path).next_back().and_then(|(start, _)| path.get(start));
    last.is_none_or(u8::is_ascii_uppercase)
}

/// The start of `path` up to the first part that is a function; all of it if none is.
fn outermost_function(path: &[u8]) -> &[u8] {
    let function = components(path).map(|(_, end)| &path[..end]).find(|part| !is_module(part));
    function.unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::call::CallFrame;
    use super::*;

    const FILE: &str = "a.ml";

    fn source(file: &str, line: u32) -> SourceLine {
        SourceLine { file: file.as_bytes().to_vec(), line }
    }

    /// Lines of a unit `A` with functions: the code at the start, modules, and a function that
    /// hides another.
    fn places() -> Places<'static> {
        let lines = [
            ("A", 1),
            ("A.M.f", 10),
            ("A.M.f.go", 12),
            ("A.M.f.go.(fun)", 14),
            ("A.M.f", 18),
            ("A.M.N.(>>=)", 30),
            ("A.M.N.g.(fun)", 40),
            ("A.same.x", 50),
            ("A.same.x", 60),
            ("A.same.x.y", 70),
            ("B.other", 15),
            ("A.counter#add.(fun)", 80),
            ("A", 90),
        ];
        let calls = lines.map(|(function, line)| Call {
            return_address: 1,
            is_allocation: false,
            frames: vec![CallFrame::new(function, FILE, line)],
        });
        Places::of(&calls)
    }

    #[test]
    fn what_is_between_two_lines_of_a_function_is_in_it() {
        for (line, name, expected) in [
            (2, "leaf", ".leaf"),
            (11, "leaf", ".M.f.leaf"),
            (13, "leaf", ".M.f.go.leaf"),
            (15, "leaf", ".M.f.leaf"),
            (20, "leaf", ".M.leaf"),
            (35, "leaf", ".M.N.leaf"),
            (45, "leaf", ".leaf"),
            (55, "leaf", ".same.x.leaf"),
            // One function hides another of the same name, which is not around it.
            (55, "x", ".same.x"),
            (55, "same", ".same"),
            // After the last line
            (99, "leaf", ".leaf"),
            // On a line of its own
            (14, "go", ".M.f.go"),
            (14, "f", ".M.f"),
            (30, "(>>=)", ".M.N.(>>=)"),
            (30, "leaf", ".M.leaf"),
        ] {
            let path = places().path_of(b"A", &source(FILE, line), name.as_bytes());
            let path = String::from_utf8(path.expect("a path")).expect("ASCII");
            assert_eq!(path, expected, "{name} in line {line}");
        }
    }

    #[test]
    fn an_anonymous_function_is_in_what_is_on_its_line_or_around_it() {
        for (line, expected) in [
            (1, Some("")),
            (2, Some("")),
            (12, Some(".M.f.go")),
            (13, Some(".M.f.go")),
            // The innermost on the line
            (14, Some(".M.f.go")),
            (16, Some(".M.f")),
            // After the last line of a function, the next one may be elsewhere.
            (19, Some(".M.f")),
            (31, Some(".M.N.(>>=)")),
            (75, Some(".same")),
            (80, Some(".counter#add")),
            (99, Some("")),
            (0, None),
        ] {
            let outer = places().outer_of(b"A", &source(FILE, line));
            let outer = outer.map(|outer| String::from_utf8(outer).expect("ASCII"));
            assert_eq!(outer.as_deref(), expected, "line {line}");
        }
    }

    #[test]
    fn parts_may_be_empty_in_damaged_tables() {
        for (path, expected) in
            [("", true), (".", true), (".M.", true), (".M", true), (".f", false)]
        {
            assert_eq!(is_module(path.as_bytes()), expected, "{path}");
        }
        assert_eq!(outermost_function(b".M..f.g"), b".M..f");
    }

    #[test]
    fn other_files_and_units_tell_nothing() {
        for (unit, file) in [(&b"A"[..], "b.ml"), (b"C", FILE)] {
            assert_eq!(places().outer_of(unit, &source(file, 13)), None);
        }
        assert_eq!(places().path_of(b"C", &source(FILE, 13), b"f"), None);
        assert_eq!(places().path_of(b"A", &source("b.ml", 13), b"f"), None);
    }

    #[test]
    fn what_is_added_is_found_once_it_is_sorted() {
        let first = source(FILE, 33);
        let mut places = places();
        places.add(b"A", &first, b".M.N.added".to_vec());
        places.sort();
        let outer = places.outer_of(b"A", &source(FILE, 34));
        assert_eq!(outer.as_deref(), Some(&b".M.N.added"[..]));
        let wrapper = places.path_of(b"A", &first, b"added");
        assert_eq!(wrapper.as_deref(), Some(&b".M.N.added"[..]));
    }
}
