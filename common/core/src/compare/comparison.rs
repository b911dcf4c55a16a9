//! What changed, and whether noise explains it.

use hashbrown::HashMap;
use statrs::distribution::{ContinuousCDF, Normal};

use super::holm;
use super::noise::{Counted, Moments, Noise};
use super::runs::{Run, Runs};
use super::sizes::Sizes;
use crate::stacks::FrameId;

/// The chance that a comparison reports any change where nothing has changed.
pub const ALPHA: f64 = 0.01;

/// What has fewer counts than this in all runs together is not tested: a normal distribution does
/// not describe it, and a change in it could hardly be distinguished from noise.
const LEAST_COUNTS: f64 = 10.0;

/// The least value of [`Counted::rest`]: even a function that is in all recorded stacks might be
/// missing in one.
const LEAST_REST: f64 = 1e-4;

/// What the user wants to know.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Whether weights are compared, not shares.
    pub absolute: bool,
    /// How much programs vary at least from run to run, as a share of each count.
    pub noise: f64,
}

/// The change of one weight, such as a function's total: means per run, in percent of the whole or
/// in weights.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The mean of the runs before.
    pub before: f64,
    /// The mean of the runs after.
    pub after: f64,
    /// The standard error of the difference.
    pub error: f64,
    /// How likely noise makes as large a difference; `None` if that is not tested.
    probability: Option<f64>,
    /// Whether noise does not explain the difference.
    pub is_real: bool,
}

impl Change {
    /// How much more there is after.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }

    /// Whether it is 0 before and after.
    #[must_use]
    pub fn is_of_nothing(&self) -> bool {
        self.before == 0.0 && self.after == 0.0
    }

    /// Whether it had enough counts to be tested.
    pub(super) fn is_tested(&self) -> bool {
        self.probability.is_some()
    }
}

/// The change of a function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its number in [`Runs::functions`].
    pub frame: FrameId,
    /// The change of its self weight.
    pub own: Change,
    /// The change of its total weight.
    pub total: Change,
    /// Whether it calls nothing: its total weight is then its self weight, and is not tested again.
    is_leaf: bool,
}

impl Function {
    /// Whether noise does not explain the change of its self weight or of its total weight.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.own.is_real || self.total.is_real
    }
}

/// The changes of the whole and of all functions.
#[derive(Debug)]
pub struct Comparison {
    /// Whether weights were compared, not shares.
    pub absolute: bool,
    /// The change of the weight of all stacks, in weights.
    pub whole: Change,
    /// All functions, in the order in which they were read.
    pub functions: Vec<Function>,
    /// For functions of own code that changed themselves, or called more or less code of others: the
    /// change of their self weight and of that code, 0 where noise would explain it.
    pub(super) charged: HashMap<FrameId, f64>,
    noise: Noise,
    /// How much functions vary between runs, as a share of their counts.
    pub variation: f64,
    /// Half a count, in the unit of the changes of functions.
    pub half_count: f64,
    /// How many samples there are before and after, and in a run of average size.
    pub samples: [f64; 2],
    /// Whether these numbers are known; if not, there are at least as many samples.
    pub are_counts: bool,
    size: f64,
}

impl Comparison {
    /// Compares the runs of one side with those of the other.
    #[must_use]
    pub fn new(runs: &Runs, question: Question) -> Comparison {
        let Question { absolute, noise: floor } = question;
        let sizes = Sizes::new(runs, absolute);
        let pairs: Vec<Pair> = (0..runs.functions.len() as FrameId)
            .map(|frame| Pair::new(runs, &sizes, absolute, frame))
            .collect();
        let tested = pairs.iter().flat_map(Pair::tested);
        let noise = Noise::new(&tested.collect::<Vec<Counted>>(), runs.layout(), floor);
        // One count in the unit of the changes: in percent of the whole, or as a weight.
        let unit = if absolute { sizes.sample_weight } else { 100.0 / sizes.samples };
        // Root frames that named a run were joined into one: the others have no weight left.
        let seen = pairs.into_iter().zip(0..).filter(|(pair, _)| pair.total.moments.mean > 0.0);
        let functions = seen.map(|(pair, frame)| Function {
            frame,
            own: change(&pair.own, &noise, unit),
            total: change(&pair.total, &noise, unit),
            is_leaf: pair.is_leaf,
        });
        let wholes: Vec<f64> = runs.iter().map(|run| run.whole / sizes.sample_weight).collect();
        let moments = Moments::new(&wholes, runs.layout());
        let whole = Counted { moments, rest: 1.0, is_tested: absolute };
        let mut comparison = Comparison {
            absolute,
            whole: change(&whole, &noise, sizes.sample_weight),
            functions: functions.collect(),
            charged: HashMap::new(),
            noise,
            variation: noise.of_programs,
            half_count: noise.half_count() * unit,
            samples: sizes.of_sides,
            are_counts: sizes.are_counts,
            size: sizes.samples,
        };
        comparison.test();
        comparison.charge(runs, &sizes, unit);
        comparison
    }

    /// The standard error of the growth of a function from nothing to `percent` of the whole; both
    /// are in percent of the whole.
    #[must_use]
    pub fn error_of_new(&self, percent: f64) -> f64 {
        let after = percent / 100.0 * self.size;
        let moments = Moments { before: 0.0, after, mean: after / 2.0, variance: None };
        let rest = if self.absolute { 1.0 } else { 1.0 - percent / 200.0 };
        100.0 * self.noise.error(&Counted { moments, rest, is_tested: false }) / self.size
    }

    /// Tests everything at once.
    fn test(&mut self) {
        let mut changes: Vec<&mut Change> = vec![&mut self.whole];
        for Function { own, total, is_leaf, .. } in &mut self.functions {
            changes.push(own);
            if !*is_leaf {
                changes.push(total);
            }
        }
        changes.retain(|change| change.is_tested());
        let probabilities: Vec<f64> = changes.iter().filter_map(|it| it.probability).collect();
        for (change, is_real) in changes.iter_mut().zip(holm::rejected(&probabilities, ALPHA)) {
            change.is_real = is_real;
        }
        for function in self.functions.iter_mut().filter(|function| function.is_leaf) {
            function.total = function.own;
        }
    }

    /// Notes how what is charged to functions has changed. It is not tested: it would be one more
    /// thing that may seem to have changed.
    fn charge(&mut self, runs: &Runs, sizes: &Sizes, unit: f64) {
        for Function { frame, own, .. } in self.functions.iter().filter(|it| it.is_real()) {
            if runs.iter().all(|run| run.called(*frame) == 0.0) {
                continue;
            }
            let weight = |run: &Run| run.own(*frame) + run.called(*frame);
            let charged = change(&counted(runs, sizes, self.absolute, weight), &self.noise, unit);
            if charged.probability.is_some_and(|probability| probability < ALPHA) {
                self.charged.insert(*frame, charged.difference());
            } else if own.is_real {
                self.charged.insert(*frame, 0.0);
            }
        }
    }

    /// All that was tested, each thing once.
    pub fn tested(&self) -> impl Iterator<Item = (Tested, &Change)> {
        let functions = self.functions.iter().flat_map(|function| {
            let total = (!function.is_leaf).then_some(&function.total);
            std::iter::once((Tested::Own(function.frame), &function.own))
                .chain(total.map(|total| (Tested::Total(function.frame), total)))
        });
        let all = std::iter::once((Tested::Whole, &self.whole)).chain(functions);
        all.filter(|(_, change)| change.is_tested())
    }
}

/// What was tested.
#[derive(Clone, Copy, Debug)]
pub enum Tested {
    /// What all stacks weigh.
    Whole,
    /// The self weight of a function; also its total, if it calls nothing.
    Own(FrameId),
    /// The total weight of a function.
    Total(FrameId),
}

impl Tested {
    /// The function, if it is one.
    #[must_use]
    pub fn function(self) -> Option<FrameId> {
        match self {
            Tested::Whole => None,
            Tested::Own(frame) | Tested::Total(frame) => Some(frame),
        }
    }
}

/// Self and total of a function.
struct Pair {
    own: Counted,
    total: Counted,
    is_leaf: bool,
}

impl Pair {
    fn new(runs: &Runs, sizes: &Sizes, absolute: bool, frame: FrameId) -> Pair {
        Pair {
            own: counted(runs, sizes, absolute, |run| run.own(frame)),
            total: counted(runs, sizes, absolute, |run| run.total(frame)),
            is_leaf: runs.iter().all(|run| run.own(frame) == run.total(frame)),
        }
    }

    /// The weights that are tested, each once.
    fn tested(&self) -> impl Iterator<Item = Counted> + use<> {
        let total = (!self.is_leaf).then_some(self.total);
        std::iter::once(self.own).chain(total).filter(|counted| counted.is_tested)
    }
}

/// Counts something that has this `weight` in each run.
fn counted(runs: &Runs, sizes: &Sizes, absolute: bool, weight: impl Fn(&Run) -> f64) -> Counted {
    let moments = sizes.counts(runs, weight);
    let rest = (1.0 - moments.mean / sizes.samples).max(LEAST_REST);
    Counted {
        moments,
        rest: if absolute { 1.0 } else { rest },
        is_tested: moments.mean * runs.iter().count() as f64 >= LEAST_COUNTS,
    }
}

/// The change of what was counted; `unit` is how much one count is in the unit of the change.
fn change(counted: &Counted, noise: &Noise, unit: f64) -> Change {
    let error = noise.error(counted);
    let difference = (counted.moments.after - counted.moments.before).abs();
    let beyond = (difference - noise.half_count()).max(0.0);
    Change {
        before: counted.moments.before * unit,
        after: counted.moments.after * unit,
        error: error * unit,
        probability: counted.is_tested.then(|| 2.0 * chance_above(beyond, error)),
        is_real: false,
    }
}

/// The chance that noise of this standard error is larger than `value`.
#[must_use]
pub fn chance_above(value: f64, error: f64) -> f64 {
    if error > 0.0 {
        Normal::standard().sf(value / error)
    } else if value > 0.0 {
        0.0
    } else {
        0.5
    }
}
