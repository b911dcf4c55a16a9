//! The key of a map, or a text that was printed: stacks, and the program that ran them.

use std::ops::Range;

use bstr::ByteSlice;
use common::{Result, stacks::FrameId};

use super::frame::frame;
use crate::frame::Kind;
use crate::read::own_labels::OwnLabels;
use crate::samples::Samples;
use crate::samples::sample::Sample;

/// Functions at which the kernel is entered: the root frames of its stacks.
const KERNEL_ROOTS: [&[u8]; 12] = [
    b"entry_",
    b"asm_",
    b"ret_from_fork",
    b"ret_from_exception",
    b"do_syscall_64",
    b"x86_64_start_kernel",
    b"secondary_startup_64",
    b"common_startup_64",
    b"el0t_",
    b"el0_",
    b"__primary_switched",
    b"__secondary_switched",
];

/// A sample that is being read. Its buffers are used again for the next one.
#[derive(Debug, Default)]
pub(super) struct MapEntry {
    /// The lines of all frames.
    text: Vec<u8>,
    /// The range of each frame in `text`, leaf first within each stack.
    lines: Vec<Range<usize>>,
    /// The stacks that have ended, as ranges of `lines`.
    stacks: Vec<Range<usize>>,
    comm: Vec<u8>,
    /// The process and the thread.
    ids: Vec<Vec<u8>>,
    /// The parts of the key that are neither stacks nor ids nor the first name. Each has its number
    /// among the parts that are not stacks, from 1.
    others: Vec<(usize, Vec<u8>)>,
    words: usize,
    frames: Vec<FrameId>,
}

impl MapEntry {
    pub(super) fn clear(&mut self) {
        let MapEntry { text, lines, stacks, comm, ids, others, words, frames } = self;
        text.clear();
        lines.clear();
        stacks.clear();
        comm.clear();
        ids.clear();
        others.clear();
        *words = 0;
        frames.clear();
    }

    pub(super) fn has_frames(&self) -> bool {
        !self.lines.is_empty()
    }

    pub(super) fn push_frame(&mut self, line: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(line);
        self.lines.push(start..self.text.len());
    }

    /// Ends a stack. Another one may follow: that of the user after that of the kernel.
    pub(super) fn end_stack(&mut self) {
        let start = self.stacks.last().map_or(0, |last| last.end);
        if start < self.lines.len() {
            self.stacks.push(start..self.lines.len());
        }
    }

    /// How many stacks have ended.
    pub(super) fn stacks(&self) -> usize {
        self.stacks.len()
    }

    /// Whether a name or an id of the program is known.
    pub(super) fn is_named(&self) -> bool {
        !self.comm.is_empty() || !self.ids.is_empty()
    }

    /// Whether all stacks that have ended look like the kernel's.
    pub(super) fn is_all_kernel(&self) -> bool {
        self.stacks.iter().all(|stack| self.looks_like_kernel(stack))
    }

    /// Moves the last stack that has ended into a new entry.
    pub(super) fn split_off_stack(&mut self) -> MapEntry {
        let mut split = MapEntry::default();
        if let Some(stack) = self.stacks.pop() {
            for line in self.lines.drain(stack.start..) {
                split.push_frame(&self.text[line]);
            }
            split.end_stack();
        }
        split
    }

    /// Takes a part of the key that is not a stack. The first number is the process, the second the
    /// thread, and all other parts make the name. The label `comm` has only the first of these.
    pub(super) fn push_word(&mut self, word: &[u8]) {
        if word.is_empty() {
            return;
        }
        self.words += 1;
        if word.iter().all(u8::is_ascii_digit) && self.ids.len() < 2 {
            return self.ids.push(word.to_vec());
        }
        if !self.comm.is_empty() {
            self.others.push((self.words, word.to_vec()));
            self.comm.extend_from_slice(b", ");
        }
        self.comm.extend_from_slice(word);
    }

    /// Adds what was read.
    pub(super) fn add(
        &mut self,
        event: &[u8],
        weight: u64,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.end_stack();
        let kernel = self.kernel_stack();
        self.frames.clear();
        // The user's frames are the callers of the kernel's, whichever stack was printed first.
        for stack in (0..self.stacks.len()).rev().filter(|&stack| Some(stack) != kernel) {
            self.push_stack(stack, Kind::User, samples);
        }
        if let Some(kernel) = kernel {
            self.push_stack(kernel, Kind::Kernel, samples);
        }
        let id = |place: usize| self.ids.get(place).map(Vec::as_slice);
        let sample = Sample {
            comm: &self.comm,
            pid: id(0),
            tid: id(1),
            event,
            weights: &[weight],
            ..Sample::default()
        };
        if !samples.wants.labels() {
            return samples.add(&sample, &self.frames);
        }
        let labels = self.labels();
        samples.add(&Sample { labels: &labels.list(), ..sample }, &self.frames)
    }

    /// Labels for the parts of the key that are not stacks, and for the object of the leaf.
    fn labels(&self) -> OwnLabels {
        let mut labels = OwnLabels::default();
        if let Some((_, other)) = self.others.first() {
            // The first part is the name.
            let end = self.comm.find([b", ", &other[..]].concat()).unwrap_or(self.comm.len());
            labels.add_known(super::FORMAT.name, "comm", &self.comm[..end]);
        }
        for (place, word) in &self.others {
            labels.add_known(super::FORMAT.name, &format!("key{place}"), word);
        }
        let kernel = self.kernel_stack();
        let leaf = kernel.or(if self.stacks.is_empty() { None } else { Some(0) });
        if let Some(line) = leaf.map(|stack| self.lines[self.stacks[stack].start].clone()) {
            labels.add_known(super::FORMAT.name, "object", frame(&self.text[line]).known_object());
        }
        labels
    }

    /// Appends the frames of a stack, root first.
    fn push_stack(&mut self, stack: usize, kind: Kind, samples: &mut Samples<'_>) {
        for line in self.lines[self.stacks[stack].clone()].iter().rev() {
            let frame = frame(&self.text[line.clone()]);
            let kind = if kind == Kind::User {
                Kind::of_object(frame.object, frame.address)
            } else {
                kind
            };
            samples.frames(&crate::frame::Frame { kind, ..frame }, &mut self.frames);
        }
    }

    /// The index of the kernel's stack: the first that looks like one or, if neither of two does,
    /// the first one, as in `@[kstack, ustack]`.
    fn kernel_stack(&self) -> Option<usize> {
        let found = self.stacks.iter().position(|stack| self.looks_like_kernel(stack));
        found.or((self.stacks.len() == 2).then_some(0))
    }

    fn looks_like_kernel(&self, stack: &Range<usize>) -> bool {
        let root = frame(&self.text[self.lines[stack.end - 1].clone()]);
        root.address.is_some_and(|address| address >> 63 == 1)
            || KERNEL_ROOTS.iter().any(|name| root.name.starts_with(name))
    }
}
