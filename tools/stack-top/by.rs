//! What frames are counted as: functions, modules, files, lines, or only roots or
//! leaves.

use std::borrow::Cow;

use bstr::ByteSlice;
use clap::ValueEnum;
use common::names::{FrameParts, file_and_line, fitted_path, module};
use common::stacks::{FrameId, SortedStack, SortedStacks, StackCounts, with_room};
use common::{folded::StackBuf, io::Screen};

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// A function, by its name alone, without its place and marks
    Function,
    /// A module, namespace or package, by the names of functions
    Module,
    /// A function that was running: of each stack, only the leaf counts
    Leaf,
    /// A root, such as a command: of each stack, only the root counts
    Root,
    /// A file, where frames have places: ' (file:line)'
    File,
    /// A line, where frames have places: ' (file:line)'
    Line,
}

/// What frames without a place are counted as.
const NO_LINE: &[u8] = b"[no line]";

impl By {
    /// The stacks of what is counted, equal ones summed. With `with_marks`, functions keep their
    /// marks, which decide the colours of a drawing.
    pub(crate) fn regrouped(self, stacks: SortedStacks, with_marks: bool) -> SortedStacks {
        let frames = stacks.frames();
        let label = |frame| self.label(frames.name(frame), with_marks);
        let mut labels: Vec<Cow<'_, [u8]>> = with_room(frames.len());
        labels.extend((0..frames.len() as u32).map(label));
        let is_changed =
            labels.iter().zip(0..).any(|(label, frame)| **label != *frames.name(frame));
        if !is_changed && !matches!(self, By::Leaf | By::Root) {
            drop(labels);
            return stacks;
        }
        let (mut counts, mut text) = (StackCounts::default(), StackBuf::default());
        for SortedStack { frames, weight, .. } in stacks.iter() {
            text.set(self.counted(frames).iter().map(|&frame| &*labels[frame as usize]));
            counts.add(text.as_bytes(), weight);
        }
        counts.into_sorted()
    }

    /// The frames of a stack that count.
    pub(crate) fn counted(self, frames: &[FrameId]) -> &[FrameId] {
        match self {
            By::Leaf => &frames[frames.len() - 1..],
            By::Root => &frames[..1],
            _ => frames,
        }
    }

    /// What a frame counts as.
    pub(crate) fn label(self, frame: &[u8], with_marks: bool) -> Cow<'_, [u8]> {
        let FrameParts { name, place, marks } = FrameParts::of(frame);
        if let (By::Module, Some(object)) = (self, object_of_address(name)) {
            return [b"[", object, b"]"].concat().into();
        }
        let (part, otherwise): (&[u8], &'static [u8]) = match self {
            By::Module => (module(frame), b"[no module]"),
            By::File => (file_and_line(place).0, NO_LINE),
            By::Line => (place, NO_LINE),
            By::Function | By::Leaf | By::Root if place.is_empty() && with_marks => {
                return frame.into();
            }
            By::Function | By::Leaf | By::Root if with_marks => {
                return [name, marks].concat().into();
            }
            By::Function | By::Leaf | By::Root => return name.into(),
        };
        if part.is_empty() { otherwise.into() } else { part.into() }
    }

    /// A row's name as it is shown after `before` columns. On a terminal, paths keep their ends.
    pub(crate) fn shown(self, name: &[u8], screen: &Screen, before: usize) -> String {
        match self {
            By::File | By::Line => fitted_path(name, screen.width_of_name(before)),
            _ => screen.name(name, before),
        }
    }

    /// Whether these rows need places, and no frame has one.
    pub(crate) fn lacks_lines<'a>(self, mut rows: impl Iterator<Item = &'a [u8]>) -> bool {
        matches!(self, By::File | By::Line) && rows.all(|name| name == NO_LINE)
    }

    /// The head of the column of names, and the plural for the number of rows.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            By::Function => ("FUNCTION", "functions"),
            By::Module => ("MODULE", "modules"),
            By::Leaf => ("LEAF", "leaves"),
            By::Root => ("ROOT", "roots"),
            By::File => ("FILE", "files"),
            By::Line => ("LINE", "lines"),
        }
    }
}

/// The file of code without symbols, `libc.so.6` of `[libc.so.6+0x26040]`.
fn object_of_address(name: &[u8]) -> Option<&[u8]> {
    let (object, _) = name.strip_prefix(b"[")?.strip_suffix(b"]")?.rsplit_once_str("+0x")?;
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_parts_of_names() {
        for (by, name, label) in [
            (By::Function, "Db.query (db.ml:16)", "Db.query"),
            (By::Function, "f (a.c:1)_[i]", "f"),
            (By::Function, "f_[k]", "f"),
            (By::Module, "Db.query (db.ml:16)", "Db"),
            (By::Module, "main", "[no module]"),
            (By::Module, "[libc.so.6+0x26040]", "[libc.so.6]"),
            (By::Module, "[libc.so.6]", "[libc.so.6]"),
            (By::File, "f (a:b.c:1)_[i]", "a:b.c"),
            (By::File, "f (/src/a.js:5:12)", "/src/a.js"),
            (By::File, "f (a.c:0)", "a.c"),
            (By::File, "f", "[no line]"),
            (By::Line, "f (/src/a.c:1)", "/src/a.c:1"),
            (By::Line, "b (c:d (x).c:12)", "c:d (x).c:12"),
            (By::Line, "f (:7)", ":7"),
            (By::Line, "f_[k]", "[no line]"),
        ] {
            assert_eq!(by.label(name.as_bytes(), false).as_bstr(), label, "{by:?} {name}");
        }
        for frame in ["f_[k]", "f (a.c:1)_[k]"] {
            assert_eq!(By::Function.label(frame.as_bytes(), true).as_bstr(), "f_[k]", "{frame}");
        }
    }
}
