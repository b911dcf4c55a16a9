//! What frames are counted as: functions, modules, files, lines, or only roots or
//! leaves.

use std::borrow::Cow;

use bstr::ByteSlice;
use clap::ValueEnum;
use common::{
    SortedStack, SortedStacks, StackBuf, StackCounts, module, split_mark, split_source_line,
    without_source_line,
};

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// A function, wherever in its source it was
    Function,
    /// A module, namespace or package, by the names of functions
    Module,
    /// A function that was running: of each stack, only the leaf counts
    Leaf,
    /// A root, such as a command: of each stack, only the root counts
    Root,
    /// A file, where names end in ' (file:line)'
    File,
    /// A line, where names end in ' (file:line)'
    Line,
}

impl By {
    /// The stacks of what is counted, equal ones summed.
    pub(crate) fn regrouped(self, stacks: SortedStacks) -> SortedStacks {
        let frames = stacks.frames();
        let labels: Vec<Cow<'_, [u8]>> =
            (0..frames.len() as u32).map(|frame| self.label(frames.name(frame))).collect();
        let is_changed =
            labels.iter().zip(0..).any(|(label, frame)| **label != *frames.name(frame));
        if !is_changed && !matches!(self, By::Leaf | By::Root) {
            drop(labels);
            return stacks;
        }
        let (mut counts, mut text) = (StackCounts::default(), StackBuf::default());
        for SortedStack { frames, weight, .. } in stacks.iter() {
            text.clear();
            let counted = match self {
                By::Leaf => &frames[frames.len() - 1..],
                By::Root => &frames[..1],
                _ => frames,
            };
            counted.iter().for_each(|&frame| text.push_clean_frame(&labels[frame as usize]));
            counts.add(text.as_bytes(), weight);
        }
        counts.into_sorted()
    }

    /// What a frame of this name counts as.
    fn label(self, name: &[u8]) -> Cow<'_, [u8]> {
        let (_, place) = split_source_line(split_mark(name).0).unwrap_or((b"", b""));
        let (part, otherwise): (&[u8], &'static [u8]) = match self {
            By::Module => (module(name), b"[no module]"),
            By::File => (place.rsplit_once_str(":").map_or(b"", |(file, _)| file), b"[no line]"),
            By::Line => (place, b"[no line]"),
            By::Function | By::Leaf | By::Root => return without_source_line(name),
        };
        if part.is_empty() { otherwise.into() } else { part.into() }
    }

    /// The head of the column of names, and what so many rows are.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_parts_of_names() {
        for (by, name, label) in [
            (By::Function, "Db.query (db.ml:16)", "Db.query"),
            (By::Function, "f (a.c:1)_[i]", "f_[i]"),
            (By::Function, "f_[k]", "f_[k]"),
            (By::Module, "Db.query (db.ml:16)", "Db"),
            (By::Module, "main", "[no module]"),
            (By::File, "f (a:b.c:1)_[i]", "a:b.c"),
            (By::File, "f", "[no line]"),
            (By::Line, "f (a.c:1)", "a.c:1"),
            (By::Line, "f_[k]", "[no line]"),
        ] {
            assert_eq!(by.label(name.as_bytes()).as_bstr(), label, "{by:?} {name}");
        }
    }
}
