//! A call tree as an outline: each function is below its caller and further to the right, with its
//! weight including its callees.

use common::{Result, stacks::FrameId};

use crate::frame::Frame;
use crate::read::nodes::note_excess;
use crate::read::own_labels::with_object;
use crate::samples::Samples;
use crate::samples::sample::Sample;

/// The path from the root to the line that was read last.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Whether callers are below their callees: the first line is the leaf.
    pub(crate) is_inverted: bool,
    /// Whether the numbers count samples, each with the weight of its origin.
    pub(crate) are_samples: bool,
    path: Vec<Line>,
    frames: Vec<FrameId>,
    /// By how much callees weigh more than their callers.
    excess: u64,
}

#[derive(Debug)]
struct Line {
    indent: usize,
    /// How many frames belong to the lines above.
    frames_above: usize,
    total: u64,
    own: Option<u64>,
    /// The sum of the lines directly below.
    below: u64,
    /// The object of its frame, if its label is wanted.
    object: Vec<u8>,
}

impl Outline {
    /// Adds a line: a function, its indentation, its weight with all callees and, if that is
    /// written, too, its own weight. An own weight of 0 without lines below cannot be true: then
    /// all of the weight is its own.
    pub(crate) fn enter(
        &mut self,
        indent: usize,
        frame: &Frame<'_>,
        (total, own): (u64, Option<u64>),
        origin: &Sample<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.enter_thread(indent, total, origin, samples)?;
        if let Some(line) = self.path.last_mut() {
            line.own = own;
            if samples.wants.label(b"object") {
                line.object = frame.known_object().to_vec();
            }
        }
        let start = self.frames.len();
        samples.frames(frame, &mut self.frames);
        if self.is_inverted {
            self.frames[start..].reverse();
        }
        Ok(())
    }

    /// Adds the line of a thread, which is not a function: its indentation, and the weight of all
    /// lines below.
    pub(crate) fn enter_thread(
        &mut self,
        indent: usize,
        total: u64,
        origin: &Sample<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.leave(indent, origin, samples)?;
        if let Some(above) = self.path.last_mut() {
            above.below = above.below.saturating_add(total);
        }
        let frames_above = self.frames.len();
        let (own, object) = (None, Vec::new());
        self.path.push(Line { indent, frames_above, total, own, below: 0, object });
        Ok(())
    }

    /// Ends all lines.
    pub(crate) fn finish(&mut self, origin: &Sample<'_>, samples: &mut Samples<'_>) -> Result<()> {
        self.leave(0, origin, samples)?;
        note_excess(std::mem::take(&mut self.excess).into(), samples);
        Ok(())
    }

    /// Ends the lines whose indentation is at least `indent`.
    fn leave(
        &mut self,
        indent: usize,
        origin: &Sample<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        while let Some(line) = self.path.pop_if(|line| line.indent >= indent) {
            let own = match line.own {
                Some(own) if own > 0 || line.below > 0 => own,
                _ => {
                    self.excess = self.excess.saturating_add(line.below.saturating_sub(line.total));
                    line.total.saturating_sub(line.below)
                }
            };
            if own > 0 {
                let leaf = if self.is_inverted { self.path.first() } else { None };
                let object = leaf.unwrap_or(&line).object.clone();
                let labels = with_object(origin.labels, &object);
                let origin = Sample { labels: &labels, ..*origin };
                let sample = match self.are_samples {
                    true => Sample { count: own, ..origin },
                    false => Sample { weights: &[own], ..origin },
                };
                self.add(&sample, samples)?;
            }
            self.frames.truncate(line.frames_above);
        }
        Ok(())
    }

    fn add(&mut self, sample: &Sample<'_>, samples: &mut Samples<'_>) -> Result<()> {
        if !self.is_inverted {
            return samples.add(sample, &self.frames);
        }
        self.frames.reverse();
        let added = samples.add(sample, &self.frames);
        self.frames.reverse();
        added
    }
}
