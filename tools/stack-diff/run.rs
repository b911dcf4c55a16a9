//! Reads profiles: what each function weighs in each run.

use std::path::{Path, PathBuf};

use common::{FrameId, FrameParts, FrameTable, Pipe, Result, StackIds, Unit};

use crate::noise::Layout;
use crate::profile::{self, Profile};
use crate::sample_weight::Weights;

/// All runs, before and after.
pub(crate) struct Runs {
    /// The names of all functions.
    pub(crate) functions: FrameTable,
    pub(crate) before: Vec<Run>,
    pub(crate) after: Vec<Run>,
    /// What the header lines of all runs say that was counted; empty if they do not.
    pub(crate) unit_name: String,
    pub(crate) unit: Unit,
}

/// What was read of one file.
pub(crate) struct Run {
    /// The file as the user wrote it, or `<stdin>`.
    pub(crate) name: String,
    /// What all stacks weigh.
    pub(crate) whole: f64,
    pub(crate) weights: Weights,
    /// For each function, the weight of the stacks that end in it.
    own: Vec<f64>,
    /// For each function, the weight of the stacks that hold it, however often.
    total: Vec<f64>,
}

impl Run {
    /// The weight of the stacks that end in `function`.
    pub(crate) fn own(&self, function: FrameId) -> f64 {
        self.own.get(function as usize).copied().unwrap_or_default()
    }

    /// The weight of the stacks that hold `function`.
    pub(crate) fn total(&self, function: FrameId) -> f64 {
        self.total.get(function as usize).copied().unwrap_or_default()
    }
}

impl Runs {
    /// Reads all files, each of which is a run. `None` if one cannot be read or
    /// weighs nothing; all of these are named, and the exit status will be 2.
    ///
    /// # Errors
    ///
    /// Those that are not of an input.
    pub(crate) fn read(sides: &[Vec<PathBuf>; 2], pipe: &mut Pipe) -> Result<Option<Runs>> {
        let mut reader = RunReader::default();
        let mut side = |paths| profile::read_all(paths, pipe, |path, pipe| reader.run(path, pipe));
        let [before, after] = [side(&sides[0])?, side(&sides[1])?];
        let unit_name = pipe.header_unit().unwrap_or_default();
        let unit = Unit::named(&unit_name);
        let runs = before.zip(after);
        let functions = reader.functions;
        Ok(runs.map(|(before, after)| Runs { functions, before, after, unit_name, unit }))
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout { before: self.before.len(), after: self.after.len() }
    }

    /// What a sample of each run weighs, those before first; `None` if that is unknown of any.
    pub(crate) fn sample_weights(&self) -> Option<Vec<f64>> {
        self.iter().map(|run| run.weights.of_sample(&self.unit)).collect()
    }

    /// All runs, those before first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.before.iter().chain(&self.after)
    }
}

#[derive(Default)]
struct RunReader {
    frames: FrameTable,
    ids: StackIds,
    functions: FrameTable,
    /// For each frame its function, whatever its place and its marks.
    function_of: Vec<FrameId>,
    /// For each function, the number of the last line that holds it.
    seen: Vec<u64>,
    lines: u64,
}

impl RunReader {
    fn run(&mut self, path: &Path, pipe: &mut Pipe) -> Result<Run> {
        let (mut own, mut total) = (Vec::new(), Vec::new());
        let mut weights = Weights::default();
        let Profile { name, total: all } = profile::read(path, pipe, |line| {
            weights.add(line.count);
            self.add(line.stack, line.count as f64, &mut own, &mut total);
        })?;
        pipe.count_written(all);
        Ok(Run { name, whole: all.weight as f64, weights, own, total })
    }

    /// Adds a stack to the weights of its functions; to each once, even where it is
    /// there several times.
    fn add(&mut self, stack: &[u8], weight: f64, own: &mut Vec<f64>, total: &mut Vec<f64>) {
        let RunReader { frames, ids, functions, function_of, seen, lines } = self;
        *lines += 1;
        let stack = ids.of(stack, frames);
        for frame in function_of.len()..frames.len() {
            let function = FrameParts::of(frames.name(frame as FrameId)).name;
            function_of.push(functions.intern(function));
        }
        seen.resize(functions.len(), 0);
        for sums in [&mut *own, &mut *total] {
            sums.resize(functions.len(), 0.0);
        }
        for &frame in stack {
            let function = function_of[frame as usize] as usize;
            if seen[function] != *lines {
                seen[function] = *lines;
                total[function] += weight;
            }
        }
        if let Some(&leaf) = stack.last() {
            own[function_of[leaf as usize] as usize] += weight;
        }
    }
}
