//! The stacks of a profile, and the times when they were seen.

use std::io::Read;

use common::{Result, numbers::decimal};
use hashbrown::HashMap;

use crate::read::json::Json;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time};

/// The stacks, in the order in which they were seen.
#[derive(Default)]
pub(super) struct Raw {
    /// Whether lines of frames are needed; they come after all stacks.
    pub(super) keep_frames: bool,
    stacks: Stacks,
    runs: Vec<Run>,
    /// The functions of all stacks, if lines are needed.
    functions: Vec<u32>,
    /// The lines of all frames of a stack, and `None` after each stack, if lines are needed.
    lines: Vec<Option<u64>>,
    /// The function and line of each frame, if frames have lines.
    placed: Vec<(u32, u64)>,
    /// When each sample was taken, in microseconds.
    times: Vec<u64>,
    /// The microseconds since the last sample, for each sample.
    deltas: Vec<u64>,
    /// How many counts and times are not integers.
    pub(super) bad_weights: u64,
}

/// A stack, and how often it was seen in a row.
struct Run {
    stack: StackId,
    count: u64,
}

/// A part of `raw` or `raw_lines`.
enum Part<'a> {
    /// A frame of a stack, or its line.
    Frame(&'a [u8]),
    /// The end of a stack, and how often it was seen in a row.
    End(u64),
}

impl Raw {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How long was recorded, in microseconds; `None` if not all of these samples have a time.
    pub(super) fn length(&self, samples: u64) -> Option<u64> {
        let length = self.deltas.iter().fold(0, |sum: u64, delta| sum.saturating_add(*delta));
        (self.deltas.len() as u64 >= samples).then_some(length)
    }

    /// The function index and the line of each frame, in the order of the frames; empty if frames
    /// have no lines of their own.
    pub(super) fn placed(&self) -> &[(u32, u64)] {
        &self.placed
    }

    /// Reads `raw`; `number` returns the index of a function.
    pub(super) fn read_stacks<R: Read>(
        &mut self,
        json: &mut Json<R>,
        mut number: impl FnMut(&[u8]) -> u32,
    ) -> Result<()> {
        let Raw { keep_frames, stacks, runs, functions, bad_weights, .. } = self;
        let mut stack = Stacks::EMPTY;
        *bad_weights += for_each_part(json, |part| match part {
            Part::Frame(id) => {
                let function = number(id);
                stack = stacks.call(stack, function);
                if *keep_frames {
                    functions.push(function);
                }
            }
            Part::End(count) => {
                runs.push(Run { stack, count });
                stack = Stacks::EMPTY;
            }
        })?;
        Ok(())
    }

    /// Reads `raw_lines`, which may come before `raw`.
    pub(super) fn read_lines<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        let Raw { keep_frames, lines, .. } = self;
        if !*keep_frames {
            return Ok(());
        }
        for_each_part(json, |part| {
            lines.push(match part {
                Part::Frame(line) => Some(decimal(line).unwrap_or_default()),
                Part::End(_) => None,
            });
        })?;
        Ok(())
    }

    /// Adds lines to the frames of all stacks, if no line is missing. From then on a frame is a
    /// function at a line.
    pub(super) fn place(&mut self) {
        let (mut stacks, mut placed, mut numbers) = (Stacks::default(), Vec::new(), HashMap::new());
        let mut functions = self.functions.iter();
        let mut stack = Stacks::EMPTY;
        let mut found = Vec::new();
        for line in std::mem::take(&mut self.lines) {
            let Some(line) = line else {
                found.push(stack);
                stack = Stacks::EMPTY;
                continue;
            };
            let Some(&function) = functions.next() else { return };
            let place = (function, line);
            let number = *numbers.entry(place).or_insert_with(|| {
                placed.push(place);
                (placed.len() - 1) as u32
            });
            stack = stacks.call(stack, number);
        }
        if found.len() == self.runs.len() && functions.next().is_none() {
            (self.stacks, self.placed) = (stacks, placed);
            self.runs.iter_mut().zip(found).for_each(|(run, stack)| run.stack = stack);
        }
    }

    /// Reads `raw_sample_timestamps`.
    pub(super) fn read_times<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.for_each(|json| {
            self.times.push(json.integer()?.unwrap_or_default());
            Ok(())
        })
    }

    /// Reads `raw_timestamp_deltas`. The clock of old versions could go back; this counts as no
    /// time.
    pub(super) fn read_deltas<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.for_each(|json| {
            let delta = json.scaled(0)?.map(|delta| u64::try_from(delta.max(0)));
            self.bad_weights += u64::from(!matches!(delta, Some(Ok(_))));
            self.deltas.push(delta.and_then(Result::ok).unwrap_or_default());
            Ok(())
        })
    }

    /// Adds all samples. Each weighs `interval`, or the time since the one before if `is_wall`, and
    /// counts as one. Returns the number of samples.
    pub(super) fn add(
        mut self,
        interval: u64,
        is_wall: bool,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<u64> {
        let Raw { stacks, runs, times, deltas, .. } = &mut self;
        let (mut all, mut at) = (0u64, 0usize);
        let mut rows = Vec::new();
        let mut add = |(time, stack, weight, count): Row, samples: &mut Samples<'_>| {
            let time = time.map(|time: u64| Time::Nanoseconds(time.saturating_mul(1000)));
            let origin = Sample { time, count, weights: &[weight, 1], ..Sample::default() };
            stacks.add(&origin, stack, names, samples)
        };
        for &Run { stack, count } in runs.iter() {
            all = all.saturating_add(count);
            // The count of a stack may be wrong, but each sample has a time of its own.
            let end = at.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
            let timed = at..end.min(deltas.len());
            at = timed.end;
            let others = count - timed.len() as u64;
            let each = timed.map(|place| {
                let weight = if is_wall { deltas[place] } else { interval };
                (times.get(place).copied(), stack, weight, 1)
            });
            for row in each.chain((others > 0).then_some((None, stack, interval, others))) {
                // Samples in a garbage collection are recorded later than they happen.
                if samples.wants.order() { rows.push(row) } else { add(row, samples)? }
            }
        }
        if is_wall && !deltas.is_empty() {
            let untimed = all.saturating_sub(deltas.len() as u64);
            samples.note_count(untimed, "samples have no time: each weighs the interval");
        }
        rows.sort_by_key(|(time, ..)| *time);
        for row in rows {
            add(row, samples)?;
        }
        Ok(all)
    }
}

/// Samples: the time in microseconds, the stack, the weight of one, and their number.
type Row = (Option<u64>, StackId, u64, u64);

/// Calls `each` for the parts of `raw` or `raw_lines`. Returns how many lengths and counts are not
/// integers; those are read as 0.
fn for_each_part<R: Read>(json: &mut Json<R>, mut each: impl FnMut(Part<'_>)) -> Result<u64> {
    /// What the next number is.
    enum Next {
        Length,
        /// This many frames.
        Frames(u64),
        Count,
    }
    let (mut next, mut bad) = (Next::Length, 0);
    let mut integer = |json: &mut Json<R>| -> Result<u64> {
        let integer = json.integer()?;
        bad += u64::from(integer.is_none());
        Ok(integer.unwrap_or_default())
    };
    json.for_each(|json| {
        next = match next {
            Next::Length => match integer(json)? {
                0 => Next::Count,
                length => Next::Frames(length),
            },
            Next::Frames(length) => {
                each(Part::Frame(json.number()?.unwrap_or_default()));
                if length > 1 { Next::Frames(length - 1) } else { Next::Count }
            }
            Next::Count => {
                each(Part::End(integer(json)?));
                Next::Length
            }
        };
        Ok(())
    })?;
    Ok(bad)
}
