//! The frames of a recording, which its processes call by keys.

use std::rc::Rc;

use common::stacks::FrameId;
use hashbrown::HashMap;

use crate::frame::Frame;
use crate::read::austin::{GC, INVALID, kernel_frame};
use crate::samples::Samples;

/// What the recorder calls a string that it could not read.
const UNKNOWN_KEY: u64 = 1;
const UNKNOWN: &[u8] = b"<unknown>";

/// The index of one of all frames.
pub(super) type FrameIndex = u32;

/// Where a frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Code {
    Python,
    Native,
    /// A frame that belongs to one sample only: of the kernel, and those that say what happened.
    OfSample,
}

/// The frames of all processes; memory grows with distinct frames.
#[derive(Default)]
pub(super) struct Frames {
    /// What is written for each frame, and where it comes from.
    frames: Vec<(Box<[FrameId]>, Code)>,
    known: HashMap<(Box<[FrameId]>, Code), FrameIndex>,
    kernel: HashMap<Box<[u8]>, FrameIndex>,
    others: [Option<FrameIndex>; 3],
    /// How many frames and strings were called by keys that were not described.
    pub(super) undescribed: u64,
}

impl Frames {
    pub(super) fn code(&self, frame: FrameIndex) -> Code {
        self.frames[frame as usize].1
    }

    /// What is written for a frame, root first.
    pub(super) fn ids(&self, frame: FrameIndex) -> &[FrameId] {
        &self.frames[frame as usize].0
    }

    /// The index of a frame; equal frames have the same.
    fn add(&mut self, frame: &Frame<'_>, code: Code, samples: &mut Samples<'_>) -> FrameIndex {
        let mut ids = Vec::new();
        samples.frames(frame, &mut ids);
        let new = (ids.into_boxed_slice(), code);
        let next = FrameIndex::try_from(self.frames.len()).unwrap_or(FrameIndex::MAX);
        *self.known.entry(new).or_insert_with_key(|new| {
            self.frames.push(new.clone());
            next
        })
    }

    pub(super) fn kernel(&mut self, name: &[u8], samples: &mut Samples<'_>) -> FrameIndex {
        if let Some(known) = self.kernel.get(name) {
            return *known;
        }
        let frame = self.add(&kernel_frame(name), Code::OfSample, samples);
        self.kernel.insert(name.into(), frame);
        frame
    }

    pub(super) fn gc(&mut self, samples: &mut Samples<'_>) -> FrameIndex {
        self.other(0, GC, Code::OfSample, samples)
    }

    pub(super) fn invalid(&mut self, samples: &mut Samples<'_>) -> FrameIndex {
        self.other(1, INVALID, Code::OfSample, samples)
    }

    /// A frame that was not described.
    fn undescribed(&mut self, samples: &mut Samples<'_>) -> FrameIndex {
        self.undescribed += 1;
        self.other(2, b"", Code::Python, samples)
    }

    fn other(
        &mut self,
        place: usize,
        name: &[u8],
        code: Code,
        samples: &mut Samples<'_>,
    ) -> FrameIndex {
        if let Some(known) = self.others[place] {
            return known;
        }
        let frame = Frame { name, ..Frame::default() };
        let frame = self.add(&frame, code, samples);
        *self.others[place].insert(frame)
    }
}

/// What keys stand for.
#[derive(Default)]
struct Keys {
    strings: HashMap<u64, Rc<[u8]>>,
    frames: HashMap<u64, FrameIndex>,
}

/// What the processes of a recording call strings and frames, by their indexes.
#[derive(Default)]
pub(super) struct Described {
    processes: Vec<Keys>,
    /// What was described last for each key. Some recordings with native code describe it just
    /// before the sample that needs it, as if it were of the process of the sample before.
    latest: Keys,
    /// The file and the line of a frame, `demo.py:7`.
    source: Vec<u8>,
}

/// A frame, as it is described.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NewFrame {
    /// The keys of two strings.
    pub(super) file: u64,
    pub(super) name: u64,
    pub(super) line: u64,
    /// Whether there are columns: only code of Python has some.
    pub(super) has_columns: bool,
}

impl Described {
    /// What a process calls by keys.
    fn keys(&mut self, process: usize) -> &mut Keys {
        if process >= self.processes.len() {
            self.processes.resize_with(process + 1, Keys::default);
        }
        &mut self.processes[process]
    }

    /// Describes a string. Before the first sample there is no process.
    pub(super) fn describe_string(&mut self, process: Option<usize>, key: u64, value: &[u8]) {
        let value: Rc<[u8]> = value.into();
        if let Some(process) = process {
            self.keys(process).strings.insert(key, Rc::clone(&value));
        }
        self.latest.strings.insert(key, value);
    }

    /// Describes a frame.
    pub(super) fn describe_frame(
        &mut self,
        process: Option<usize>,
        key: u64,
        new: NewFrame,
        frames: &mut Frames,
        samples: &mut Samples<'_>,
    ) {
        let file = self.string(process, new.file, frames);
        let name = self.string(process, new.name, frames);
        let is_made = file.starts_with(b"<") && file.ends_with(b">");
        let is_python = new.has_columns || is_made || file.ends_with(b".py");
        let code = if is_python { Code::Python } else { Code::Native };
        self.source.clear();
        // The recorder writes a line of less than 0 as a number of 64 bits.
        if !file.is_empty() && i64::try_from(new.line).is_ok() {
            self.source.extend_from_slice(&file);
            self.source.push(b':');
            self.source.extend_from_slice(new.line.to_string().as_bytes());
        }
        let frame = Frame { name: &name, source: &self.source, ..Frame::default() };
        let index = frames.add(&frame, code, samples);
        if let Some(process) = process {
            self.keys(process).frames.insert(key, index);
        }
        self.latest.frames.insert(key, index);
    }

    /// The frame that a process calls by a key.
    #[inline]
    pub(super) fn frame(
        &self,
        process: usize,
        key: u64,
        frames: &mut Frames,
        samples: &mut Samples<'_>,
    ) -> FrameIndex {
        let known = self.processes.get(process).and_then(|keys| keys.frames.get(&key));
        match known.or_else(|| self.latest.frames.get(&key)) {
            Some(known) => *known,
            None => frames.undescribed(samples),
        }
    }

    /// The string that a process calls by a key; by 0, the empty one.
    pub(super) fn string(&self, process: Option<usize>, key: u64, frames: &mut Frames) -> Rc<[u8]> {
        let keys = process.and_then(|process| self.processes.get(process));
        let known = keys.and_then(|keys| keys.strings.get(&key));
        match (known.or_else(|| self.latest.strings.get(&key)), key) {
            (Some(string), _) => Rc::clone(string),
            (None, 0) => Rc::from(&b""[..]),
            (None, UNKNOWN_KEY) => Rc::from(UNKNOWN),
            (None, _) => {
                frames.undescribed += 1;
                Rc::from(&b""[..])
            }
        }
    }
}
