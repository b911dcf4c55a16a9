//! Stacks that are listed leaf first, as debuggers and tracers print them.

use common::{Result, stacks::FrameId};

use super::own_labels::with_object;
use crate::frame::Frame;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{End, Samples};

/// The measure of formats with one backtrace for each thread.
pub(crate) const THREADS: Measure<'_> = Measure { name: b"threads", unit: b"samples" };

/// A stack that is being read; its buffers are used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct LeafFirst {
    frames: Vec<FrameId>,
    /// The object of the leaf, if its label is wanted.
    object: Vec<u8>,
    /// Why callers are missing, if they are.
    end: Option<End>,
}

impl LeafFirst {
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Adds the caller of the last frame.
    pub(crate) fn push(&mut self, frame: &Frame<'_>, samples: &mut Samples<'_>) {
        let start = self.frames.len();
        if start == 0 && samples.wants.label(b"object") {
            self.object.clear();
            self.object.extend_from_slice(frame.known_object());
        }
        samples.frames(frame, &mut self.frames);
        // A frame may become several, which come root first.
        self.frames[start..].reverse();
    }

    /// Declares that the callers of the last frame are missing.
    pub(crate) fn end(&mut self, end: End) {
        self.end = Some(end);
    }

    /// Adds the frames of another stack as the callers of the last frame.
    pub(crate) fn append(&mut self, mut callers: LeafFirst) {
        if self.is_empty() {
            self.object = callers.object;
        }
        self.frames.append(&mut callers.frames);
        self.end = callers.end.or(self.end);
    }

    /// Makes the first `frames` frames the callers of all others.
    pub(crate) fn put_last(&mut self, frames: usize) {
        self.frames.rotate_left(frames);
        self.object.clear();
    }

    /// Adds the sample of this stack, and clears the stack.
    pub(crate) fn add(&mut self, origin: &Sample<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let end = self.end.take();
        samples.facts.note_stack(end);
        if let Some(end) = end {
            self.push(&Frame { name: end.frame(), ..Frame::default() }, samples);
        }
        self.frames.reverse();
        let labels = with_object(origin.labels, &self.object);
        let added = samples.add(&Sample { labels: &labels, ..*origin }, &self.frames);
        self.frames.clear();
        self.object.clear();
        added
    }
}
