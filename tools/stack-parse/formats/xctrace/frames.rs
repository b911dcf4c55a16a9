//! Frames and backtraces, and those that later ones refer to.

use std::ops::Range;

use common::numbers::{decimal, hexadecimal};
use common::stacks::FrameId;

use super::by_id::ById;
use super::element::Element;
use crate::frame::Frame;
use crate::samples::Samples;

/// The current frame, and all frames before it.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The names of all frames with an id, leaf first.
    names: Vec<FrameId>,
    known_frames: ById<Range<usize>>,
    known_stacks: ById<Range<usize>>,
    binaries: ById<Vec<u8>>,
    paths: ById<Vec<u8>>,
    open: Option<OpenFrame>,
    /// The frames of the row, leaf first.
    pub(super) stack: Vec<FrameId>,
    /// The ids of the backtraces that are open: a tagged one holds a plain one.
    open_stacks: Vec<u64>,
    /// How many of them are open.
    depth: usize,
    /// Whether an element that refers to a backtrace is open.
    is_reference_open: bool,
    /// Where the frames of the open backtrace begin in `stack`.
    begin: usize,
    /// The backtrace that the row refers to.
    referred: Option<Range<usize>>,
    /// How many the row refers to, outside another backtrace.
    references: u32,
    addresses: Addresses,
}

/// The addresses of a backtrace without names.
#[derive(Debug, Default)]
struct Addresses {
    /// The lists of callers that later backtraces may have in common with earlier ones.
    known: ById<Vec<u64>>,
    leaf: Option<u64>,
    callers: Vec<u64>,
}

/// The most backtraces of a row: that of the kernel and that of the program. Damaged rows with more
/// must not double in size each time.
const MOST: u32 = 2;

/// The most callers that are taken from lists of earlier backtraces. Instruments records some
/// hundreds at most.
const MOST_ADDRESSES: usize = 1 << 16;

/// The data of a frame before its end tag.
#[derive(Debug, Default)]
struct OpenFrame {
    id: Option<u64>,
    name: Vec<u8>,
    address: Option<u64>,
    binary: Vec<u8>,
    path: Vec<u8>,
    line: Option<u64>,
}

impl Frames {
    pub(super) fn begin_row(&mut self) {
        self.stack.clear();
        self.open_stacks.clear();
        (self.open, self.referred, self.is_reference_open) = (None, None, false);
        (self.depth, self.references) = (0, 0);
    }

    /// `<frame id="11" name="f" addr="0x10">` or `<frame ref="11"/>`; false if it refers to
    /// nothing.
    pub(super) fn open_frame(&mut self, element: &Element<'_>) -> bool {
        if let Some(reference) = element.reference {
            let known = self.known_frames.get(reference).cloned();
            self.stack.extend_from_slice(&self.names[known.clone().unwrap_or(0..0)]);
            return known.is_some();
        }
        let text = |name: &[u8]| element.text(name).into_owned();
        let (name, address) = (text(b"name"), hexadecimal(&element.text(b"addr")));
        self.open = Some(OpenFrame { id: element.id, name, address, ..OpenFrame::default() });
        true
    }

    /// `<binary id="12" name="dyld" path="/usr/lib/dyld"/>` or `<binary ref="12"/>`
    pub(super) fn open_binary(&mut self, element: &Element<'_>) {
        let binary = match element.reference {
            Some(reference) => self.binaries.get(reference).cloned().unwrap_or_default(),
            None => {
                let path = element.text(b"path");
                if path.is_empty() { element.text(b"name").into_owned() } else { path.into_owned() }
            }
        };
        self.binaries.keep(element.id, &binary);
        if let Some(open) = &mut self.open {
            open.binary = binary;
        }
    }

    /// `<source line="7">`
    pub(super) fn open_source(&mut self, element: &Element<'_>) {
        if let Some(open) = &mut self.open {
            open.line = decimal(&element.text(b"line"));
        }
    }

    /// `<path ref="23"/>`
    pub(super) fn refer_to_path(&mut self, reference: u64) {
        if let (Some(open), Some(path)) = (&mut self.open, self.paths.get(reference)) {
            open.path.clone_from(path);
        }
    }

    /// `<path id="23">/src/main.rs</path>`
    pub(super) fn close_path(&mut self, id: Option<u64>, path: &Vec<u8>) {
        self.paths.keep(id, path);
        if let Some(open) = &mut self.open {
            open.path.clone_from(path);
        }
    }

    pub(super) fn close_frame(&mut self, samples: &mut Samples<'_>) {
        let Some(open) = self.open.take() else { return };
        let OpenFrame { id, name, address, binary, mut path, line } = open;
        if let (Some(line), false) = (line, path.is_empty()) {
            path.extend_from_slice(format!(":{line}").as_bytes());
        }
        // A frame without a symbol has its address as the name.
        let is_address = name.starts_with(b"0x") && hexadecimal(&name).is_some();
        let name = if is_address { b"" } else { &name[..] };
        let frame = Frame { name, object: &binary, address, source: &path, ..Frame::default() };
        let (start, kept) = (self.stack.len(), self.names.len());
        samples.frames(&frame, &mut self.stack);
        self.stack[start..].reverse();
        if let Some(id) = id {
            self.names.extend_from_slice(&self.stack[start..]);
            self.known_frames.insert(id, kept..self.names.len());
        }
    }

    /// `<backtrace id="10">`, `<tagged-backtrace ref="10"/>`; false if it refers to nothing.
    pub(super) fn open_stack(&mut self, element: &Element<'_>) -> bool {
        let Some(reference) = element.reference else {
            if self.depth == 0 {
                self.begin = self.stack.len();
                (self.addresses.leaf, self.referred) = (None, None);
                self.addresses.callers.clear();
            }
            self.depth += 1;
            self.open_stacks.extend(element.id);
            return true;
        };
        self.is_reference_open = true;
        let may_refer = match self.depth {
            0 => {
                self.references += 1;
                self.references <= MOST
            }
            _ => self.stack.len() == self.begin,
        };
        if may_refer {
            self.referred = self.known_stacks.get(reference).cloned();
            self.stack.extend_from_slice(&self.names[self.referred.clone().unwrap_or(0..0)]);
        }
        self.known_stacks.get(reference).is_some()
    }

    /// `<text-address id="18" fmt="0x182ae23d0">6487417808</text-address>`: where the thread was.
    pub(super) fn close_leaf(&mut self, address: Option<u64>) {
        self.addresses.leaf = address;
    }

    /// `<text-addresses id="24" fmt="frag 9">6487614000 6487524148 0</text-addresses>`: a part of
    /// the callers, the next one first.
    pub(super) fn close_addresses(&mut self, id: Option<u64>, text: &[u8]) {
        let list: Vec<u64> = text.split(|byte| *byte == b' ').filter_map(decimal).collect();
        self.addresses.known.keep(id, &list);
        self.addresses.callers.extend(list);
    }

    /// `<text-addresses ref="24"/>`; false if it refers to nothing.
    pub(super) fn refer_to_addresses(&mut self, reference: u64) -> bool {
        let Some(list) = self.addresses.known.get(reference) else { return false };
        // Damaged ones must not grow without a limit.
        if self.addresses.callers.len() < MOST_ADDRESSES {
            self.addresses.callers.extend_from_slice(list);
        }
        true
    }

    /// Ends a backtrace. A tagged one has the same frames as the one inside. Returns whether its
    /// frames are addresses only.
    pub(super) fn close_stack(&mut self, samples: &mut Samples<'_>) -> bool {
        if std::mem::take(&mut self.is_reference_open) || self.depth == 0 {
            return false;
        }
        self.depth -= 1;
        if self.depth > 0 {
            return false;
        }
        let is_named = self.stack.len() > self.begin;
        if !is_named {
            self.add_addresses(samples);
        }
        let (start, frames) = (self.names.len(), &self.stack[self.begin..]);
        let referred = self.referred.take().filter(|known| known.len() == frames.len());
        let frames = referred.unwrap_or_else(|| {
            self.names.extend_from_slice(frames);
            start..self.names.len()
        });
        let has_frames = !frames.is_empty();
        for id in self.open_stacks.drain(..) {
            self.known_stacks.insert(id, frames.clone());
        }
        has_frames && !is_named
    }

    /// Adds the frames of a backtrace that has only addresses. A 0 ends the callers, and a snapshot
    /// of the stack has the leaf among them.
    fn add_addresses(&mut self, samples: &mut Samples<'_>) {
        let Addresses { leaf, callers, .. } = &self.addresses;
        let callers = &callers[usize::from(leaf.is_some() && callers.first() == leaf.as_ref())..];
        for &address in leaf.iter().chain(callers).filter(|address| **address != 0) {
            let frame = Frame { address: Some(address), ..Frame::default() };
            samples.frames(&frame, &mut self.stack);
        }
    }
}
