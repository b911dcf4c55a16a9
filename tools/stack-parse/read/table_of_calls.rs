//! A call tree as the rows of a table: each function is below its caller, at a deeper level, with
//! its own weight.

use common::{Result, io::Input, stacks::FrameId};

use super::lines::for_each_line;
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
    /// Adds the own weight of a function, one number for each measure.
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

/// Reads a table. `header` returns the columns for the line that names them; lines before it are
/// skipped. `add_row` adds the row of a line; if it has none, the line is malformed, and the
/// message has what was `expected`. Returns the columns, `None` if no line names them.
///
/// # Errors
///
/// [`common::Error::Input`], or what `add_row` returns.
pub(crate) fn read_table<C>(
    input: &mut Input,
    samples: &mut Samples<'_>,
    header: impl Fn(&[u8], &mut Samples<'_>) -> Option<C>,
    add_row: impl Fn(&[u8], &mut C, &mut TableOfCalls, &mut Samples<'_>) -> Result<Option<()>>,
    expected: &str,
) -> Result<Option<C>> {
    let mut columns = None;
    let mut calls = TableOfCalls::default();
    for_each_line(input, |number, line| {
        let Some(columns) = &mut columns else {
            columns = header(line, samples);
            return Ok(());
        };
        if !line.trim_ascii().is_empty() && add_row(line, columns, &mut calls, samples)?.is_none() {
            samples.malformed(number, format_args!("expected {expected}"));
        }
        Ok(())
    })?;
    Ok(columns)
}
