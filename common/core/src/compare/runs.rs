//! Runs of a program: what each function weighs in each of them.

use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::charges::Charges;
use super::files::{Profile, read_profile, read_profiles};
use super::functions::FunctionNames;
use super::noise::Layout;
use super::run_names::{RunNames, dominant_root};
use super::samples::Weights;
use crate::stacks::{FrameId, FrameTable, StackIds};
use crate::{Result, numbers::Unit, pipe::Pipe};

/// All runs, before and after.
#[derive(Debug)]
pub struct Runs {
    /// The names of all functions.
    pub functions: FrameTable,
    /// The runs of the one side.
    pub before: Vec<Run>,
    /// The runs of the other side.
    pub after: Vec<Run>,
    /// The unit of the weights that the header lines of all runs name; empty if they name none or
    /// differ.
    pub unit_name: String,
    /// The unit of that name, for printing weights.
    pub unit: Unit,
}

/// What was read of one run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The file as the user wrote it, or `<stdin>`.
    pub name: String,
    /// What all stacks weigh.
    pub whole: f64,
    weights: Weights,
    /// For each function of this run: of many runs, each may have functions of its own.
    functions: HashMap<FrameId, OfFunction>,
    /// For each function that is a root, the weight of the stacks in which it calls something.
    roots: HashMap<FrameId, f64>,
    /// For each function of own code, the weight of the code of others that it calls.
    called: HashMap<FrameId, f64>,
}

/// What a function weighs in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfFunction {
    /// The weight of the stacks that end in it.
    pub own: f64,
    /// The weight of the stacks that hold it, however often.
    pub total: f64,
}

impl Run {
    /// A run that was summed elsewhere: `own` and `total` are by function, `weights` of its lines.
    #[must_use]
    pub fn of(name: String, weights: Weights, own: Vec<f64>, total: Vec<f64>) -> Run {
        let whole = own.iter().sum();
        let functions = own.into_iter().zip(total).map(|(own, total)| OfFunction { own, total });
        let functions = (0..).zip(functions).filter(|(_, it)| *it != OfFunction::default());
        Run { name, whole, weights, functions: functions.collect(), ..Run::default() }
    }

    /// The functions that it has, in no order.
    pub fn functions(&self) -> impl Iterator<Item = (FrameId, OfFunction)> {
        self.functions.iter().map(|(function, weights)| (*function, *weights))
    }

    /// What a function weighs.
    #[must_use]
    pub fn function(&self, function: FrameId) -> OfFunction {
        self.functions.get(&function).copied().unwrap_or_default()
    }

    /// The weight of the stacks that end in `function`.
    #[must_use]
    pub fn own(&self, function: FrameId) -> f64 {
        self.function(function).own
    }

    /// The weight of the stacks that hold `function`.
    #[must_use]
    pub fn total(&self, function: FrameId) -> f64 {
        self.function(function).total
    }

    /// The weight of the code of others that `function` calls, if it is own code: of the stacks whose
    /// deepest frame of own code it is, and whose leaf it is not.
    #[must_use]
    pub(super) fn called(&self, function: FrameId) -> f64 {
        self.called.get(&function).copied().unwrap_or_default()
    }

    /// How many samples there are, if the weights or the header say so.
    #[must_use]
    pub fn samples(&self, unit: &Unit) -> Option<f64> {
        self.weights.samples(unit)
    }

    /// How many samples there are at least: there is one in each stack.
    #[must_use]
    pub fn samples_at_least(&self, unit: &Unit) -> f64 {
        self.samples(unit).unwrap_or(self.weights.lines as f64)
    }

    /// Adds another part of the same run.
    pub fn add(&mut self, other: &Run) {
        self.whole += other.whole;
        self.weights.merge(other.weights);
        for (function, weights) in &other.functions {
            self.functions.entry(*function).or_default().add(*weights);
        }
        for (root, weight) in &other.roots {
            *self.roots.entry(*root).or_default() += weight;
        }
        for (function, weight) in &other.called {
            *self.called.entry(*function).or_default() += weight;
        }
    }

    /// Sets how many samples this run has: its share of the `samples` of a file that weighs
    /// `weight`.
    pub fn note_share(&mut self, samples: Option<u64>, weight: u128) {
        let share = self.whole / weight as f64;
        self.weights.noted = samples.map(|samples| (samples as f64 * share).round() as u64);
    }

    /// Moves the weight of `function` to `other`; no stack may hold both.
    fn rename(&mut self, function: FrameId, other: FrameId) {
        let weights = self.functions.remove(&function).unwrap_or_default();
        self.functions.entry(other).or_default().add(weights);
        if let Some(weight) = self.called.remove(&function) {
            *self.called.entry(other).or_default() += weight;
        }
    }
}

impl OfFunction {
    fn add(&mut self, other: OfFunction) {
        self.own += other.own;
        self.total += other.total;
    }
}

impl Runs {
    /// Reads all files, each of which is a run. `None` if one cannot be read or weighs nothing;
    /// each such file is named in a message, and the exit status will be 2.
    ///
    /// # Errors
    ///
    /// Those that are not about an input.
    pub fn read(
        sides: &[Vec<PathBuf>; 2],
        names: FunctionNames,
        pipe: &mut Pipe,
    ) -> Result<Option<Runs>> {
        let mut reader = RunReader::new(names);
        let mut side = |paths| read_profiles(paths, pipe, |path, pipe| reader.read(path, pipe));
        let [before, after] = [side(&sides[0])?, side(&sides[1])?];
        let unit_name = pipe.header_unit().unwrap_or_default();
        let runs = before.zip(after);
        Ok(runs.map(|(before, after)| Runs::of(reader.functions, [before, after], unit_name)))
    }

    /// Runs that were read elsewhere. `unit_name` is the unit of their weights, empty if it is
    /// unknown.
    #[must_use]
    pub fn of(functions: FrameTable, sides: [Vec<Run>; 2], unit_name: String) -> Runs {
        let [before, after] = sides;
        Runs { functions, before, after, unit: Unit::named(&unit_name), unit_name }
    }

    /// How many runs there are of each side.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout { before: self.before.len(), after: self.after.len() }
    }

    /// What a sample of each run weighs, those before first; `None` if it is unknown for any run.
    pub(super) fn sample_weights(&self) -> Option<Vec<f64>> {
        self.iter().map(|run| Some(run.whole / run.samples(&self.unit)?)).collect()
    }

    /// All runs, those before first.
    pub fn iter(&self) -> impl Iterator<Item = &Run> {
        self.before.iter().chain(&self.after)
    }

    /// Makes one function of the root frames that name the runs, if they do; returns their names.
    pub fn join_run_names(&mut self) -> Option<RunNames> {
        let sides = [&self.before, &self.after];
        let roots = sides.map(|runs| runs.iter().map(|run| self.root(run)).collect::<Vec<_>>());
        let is_in = |side: usize, name: &[u8]| {
            let function = self.functions.find(name);
            let weighs = |function| sides[side].iter().any(|run| run.total(function) > 0.0);
            function.is_some_and(weighs)
        };
        let names = RunNames::of([&roots[0], &roots[1]], is_in)?;
        let shown = self.functions.intern(names.shown());
        for run in self.before.iter_mut().chain(&mut self.after) {
            for name in names.sides.iter().flatten() {
                let function = self.functions.find(name).filter(|it| *it != shown);
                if let Some(function) = function.filter(|it| run.total(*it) > 0.0) {
                    run.rename(function, shown);
                }
            }
        }
        Some(names)
    }

    /// The root that holds at least half of a run.
    fn root(&self, run: &Run) -> Option<Vec<u8>> {
        let roots = run.roots.iter();
        let roots = roots.map(|(root, weight)| (self.functions.name(*root).to_vec(), *weight));
        dominant_root(&roots.collect(), run.whole)
    }
}

/// Sums runs by function.
#[derive(Debug, Default)]
pub struct RunReader {
    names: FunctionNames,
    frames: FrameTable,
    ids: StackIds,
    /// The names of all functions that were read.
    pub functions: FrameTable,
    /// For each frame its function.
    function_of: Vec<FrameId>,
    charges: Charges,
    /// For each function, the number of the last stack that holds it.
    seen: Vec<u64>,
    stacks: u64,
}

impl RunReader {
    /// A reader that takes frames for the same function as `names` says.
    #[must_use]
    pub fn new(names: FunctionNames) -> RunReader {
        RunReader { names, ..RunReader::default() }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Those of [`read_profile`].
    pub fn read(&mut self, path: &Path, pipe: &mut Pipe) -> Result<Run> {
        let mut run = Run::default();
        let Profile { name, total, samples } =
            read_profile(path, pipe, |line| self.add(line.stack, line.count, &mut run))?;
        pipe.count_written(total);
        run.weights.noted = samples;
        Ok(Run { name, ..run })
    }

    /// Adds a stack to the weights of its functions: once to each, even if the function is in the
    /// stack several times.
    pub fn add(&mut self, stack: &[u8], count: u64, run: &mut Run) {
        let RunReader { names, frames, ids, functions, function_of, seen, stacks, .. } = self;
        let weight = count as f64;
        run.weights.add(count);
        run.whole += weight;
        *stacks += 1;
        ids.of(stack, frames);
        let (stack, kept) = (ids.last(), ids.kept());
        if function_of.len() < frames.len() {
            for frame in function_of.len()..frames.len() {
                let frame = frames.name(frame as FrameId);
                function_of.push(functions.intern(&names.of(frame)));
                self.charges.add(frame);
            }
            seen.resize(functions.len(), 0);
        }
        let name_of = |frame: FrameId| functions.name(function_of[frame as usize]);
        let stack = names.without_interruption(stack, name_of);
        let Some((&leaf, callers)) = stack.split_last() else { return };
        for &frame in callers {
            let function = function_of[frame as usize];
            if seen[function as usize] != *stacks {
                seen[function as usize] = *stacks;
                run.functions.entry(function).or_default().total += weight;
            }
        }
        let leaf = function_of[leaf as usize];
        let of_leaf = run.functions.entry(leaf).or_default();
        of_leaf.own += weight;
        if seen[leaf as usize] != *stacks {
            of_leaf.total += weight;
        }
        if let Some(caller) = self.charges.caller(stack, kept) {
            *run.called.entry(function_of[caller as usize]).or_default() += weight;
        }
        if let [root, _, ..] = *stack {
            *run.roots.entry(function_of[root as usize]).or_default() += weight;
        }
    }
}
