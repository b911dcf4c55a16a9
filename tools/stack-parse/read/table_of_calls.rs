//! A call tree as the rows of a table: each function stands below its caller, at a deeper
//! level, with what it took itself.

use common::{FrameId, Result};

use crate::frame::Frame;
use crate::samples::Samples;
use crate::samples::sample::Sample;

/// The functions from the root to the row that was read last.
#[derive(Debug, Default)]
pub(crate) struct TableOfCalls {
    frames: Vec<FrameId>,
    /// The level of each function, and how many frames are above it.
    levels: Vec<(u64, usize)>,
}

impl TableOfCalls {
    /// Adds what a function took itself, one number for each measure.
    pub(crate) fn add(
        &mut self,
        level: u64,
        frame: &Frame<'_>,
        own: &[u64],
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        while let Some((_, above)) = self.levels.pop_if(|(other, _)| *other >= level) {
            self.frames.truncate(above);
        }
        self.levels.push((level, self.frames.len()));
        samples.frames(frame, &mut self.frames);
        if own.iter().any(|weight| *weight > 0) {
            samples.add(&Sample { weights: own, ..Sample::default() }, &self.frames)?;
        }
        Ok(())
    }
}
