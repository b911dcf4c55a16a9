//! Makes stacks from a graph of calls, as pstats and callgrind write it.
//!
//! A file has the own cost of each function and, for each of its callers, its cost with all
//! callees. Above a caller the weight is split in proportion: if `main` and `test` call `parse` for
//! 3 and 1 seconds, each stack that ends in `parse` or in one of its callees has three quarters
//! below `main`. That is an estimate, but the total is exact: the stacks weigh as much as the own
//! costs of all functions.

mod recursion;

use common::Result;

use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::Samples;
use crate::samples::sample::Sample;
use recursion::{Circles, circles};

/// Weights up to the total divided by this are not split any further: each goes to its heaviest
/// caller. So there are at most this many stacks, and one for each function.
const MOST_SHARES: u64 = 2_000;

/// Functions and their callers.
#[derive(Default)]
pub(crate) struct Graph {
    functions: Vec<Function>,
}

/// A function; its costs are in any unit, the same for all functions.
#[derive(Default)]
struct Function {
    own: f64,
    /// The cost with all callees, if the file has it.
    time: Option<f64>,
    callers: Vec<Caller>,
}

/// A caller of a function.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) function: u32,
    /// The caller's frame, as an index of the names of frames: with its line, if that is asked for.
    pub(crate) frame: u32,
    /// The own cost of the function when this one called it; 0 if the file does not have it.
    pub(crate) own: f64,
    /// The cost of the function with all callees when this one called it.
    pub(crate) time: f64,
}

/// The exact own cost of a function, for one of its lines or for all.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    pub(crate) function: u32,
    /// Its frame as the leaf of a stack.
    pub(crate) frame: u32,
    pub(crate) weight: u64,
}

impl Graph {
    /// Sets the own cost of a function, and its cost with all callees if that is known.
    pub(crate) fn set_function(&mut self, function: u32, own: f64, time: Option<f64>) {
        let function = self.function(function);
        (function.own, function.time) = (own, time);
    }

    pub(crate) fn add_call(&mut self, callee: u32, caller: Caller) {
        self.function(caller.function);
        self.function(callee).callers.push(caller);
    }

    fn function(&mut self, function: u32) -> &mut Function {
        let function = function as usize;
        if self.functions.len() <= function {
            self.functions.resize_with(function + 1, Function::default);
        }
        &mut self.functions[function]
    }

    /// Adds the own costs of functions, split among their callers.
    ///
    /// Every sample has the fields of `origin`, whose weights are those of all measures. The one at
    /// `place` is the wanted one, which is split, and is 0 in `origin`; all others are counted
    /// once.
    pub(crate) fn add(
        &self,
        owns: &[Own],
        (origin, place): (&Sample<'_>, usize),
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let total: u128 = owns.iter().map(|own| u128::from(own.weight)).sum();
        let callers: Vec<Vec<usize>> = self.functions.iter().map(Function::callers).collect();
        let circle = circles(&callers);
        let at_root = self.at_root(&circle);
        let circles = Circles::new(circle, &callers, |function| at_root[function] > 0.0);
        let shares = at_root.iter().enumerate();
        let shares = shares.map(|(it, &at_root)| self.shares(it, at_root, false, &circles));
        let mut walk = Walk {
            estimated: 0,
            shares: shares.collect(),
            least: u64::try_from(total / u128::from(MOST_SHARES)).unwrap_or(u64::MAX).max(1),
            weights: origin.weights.to_vec(),
            place,
            pending: Vec::new(),
            path: Vec::new(),
            stacks: Stacks::default(),
        };
        for own in owns.iter().filter(|own| own.weight > 0) {
            let function = own.function as usize;
            let at_root = at_root.get(function).copied().unwrap_or_default();
            let by_own = self.shares(function, at_root, true, &circles);
            walk.add(*own, &by_own, origin, names, samples)?;
        }
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        samples.facts.add_estimated([walk.estimated, total]);
        if walk.weights.iter().all(|&weight| weight == 0) {
            return Ok(());
        }
        // No sample took the weights of the other measures.
        let sample = Sample { weights: &walk.weights, ..*origin };
        walk.stacks.add(&sample, Stacks::EMPTY, names, samples)
    }

    /// The part of each function's time that is in none of its callers.
    ///
    /// The times of calls within a circle cannot be used: some programs count them once for each
    /// call, others not at all. A circle is not a root if its callers outside have all of its time.
    fn at_root(&self, circle: &[usize]) -> Vec<f64> {
        let mut with_callees: Vec<f64> = self.functions.iter().map(|it| it.own).collect();
        let mut of_circle = vec![0.0; self.functions.len()];
        let mut without_caller = of_circle.clone();
        for (callee, function) in self.functions.iter().enumerate() {
            of_circle[circle[callee]] += function.own;
            without_caller[circle[callee]] += function.own;
            for caller in &function.callers {
                let caller_circle = circle[caller.function as usize];
                with_callees[caller.function as usize] += caller.time;
                if caller_circle != circle[callee] {
                    of_circle[caller_circle] += caller.time;
                    without_caller[caller_circle] += caller.time;
                    without_caller[circle[callee]] -= caller.time;
                }
            }
        }
        let functions = self.functions.iter().enumerate().map(|(number, function)| {
            let circle = circle[number];
            let time = function.time.unwrap_or(with_callees[number]);
            let is_called = remainder(of_circle[circle], without_caller[circle]) == 0.0;
            if function.time.is_none() && is_called {
                0.0
            } else {
                function.without(time, |it| it.time)
            }
        });
        functions.collect()
    }

    /// How the cost of a function is split among its callers: with `by_own`, by its own time in
    /// each, if the file has that. Recursion is left out.
    fn shares(&self, number: usize, at_root: f64, by_own: bool, circles: &Circles) -> Shares {
        let Some(function) = self.functions.get(number) else { return Shares::default() };
        let is_call = |it: &&Caller| !circles.is_recursion(it.function as usize, number);
        let calls = || function.callers.iter().filter(is_call);
        let by_own = by_own && calls().any(|caller| caller.own > 0.0);
        let shares = calls().map(|caller| Share {
            function: caller.function,
            frame: caller.frame,
            share: if by_own { caller.own } else { caller.time },
        });
        let callers: Vec<Share> = shares.filter(|it| it.share > 0.0).collect();
        let at_root = if by_own { function.without(function.own, |it| it.own) } else { at_root };
        let heaviest = callers.iter().max_by(|a, b| a.share.total_cmp(&b.share)).copied();
        let sum = callers.iter().map(|caller| caller.share).sum::<f64>() + at_root;
        let has_recursion = calls().count() < function.callers.len();
        let is_other = |it: &Share| Some(it.function) != heaviest.map(|it| it.function);
        let has_several = callers.iter().any(is_other) || !callers.is_empty() && at_root > 0.0;
        Shares { callers, heaviest, at_root, sum, by_own, has_several, has_recursion }
    }
}

impl Function {
    /// The numbers of its callers.
    fn callers(&self) -> Vec<usize> {
        self.callers.iter().map(|caller| caller.function as usize).collect()
    }

    /// The part of its time, or of its own time, that is in none of its callers.
    fn without(&self, all: f64, part: fn(&Caller) -> f64) -> f64 {
        remainder(all, all - self.callers.iter().map(part).sum::<f64>())
    }
}

/// `rest`, or 0 if it is only an error of rounding sums.
fn remainder(all: f64, rest: f64) -> f64 {
    if rest > all * 1e-6 { rest } else { 0.0 }
}

/// How the weight of a function is split.
#[derive(Default)]
struct Shares {
    callers: Vec<Share>,
    heaviest: Option<Share>,
    /// The part without a caller.
    at_root: f64,
    /// The sum of all shares and `at_root`.
    sum: f64,
    /// Whether the file has the own cost in each caller, so that these shares are exact.
    by_own: bool,
    /// Whether there is more than one way up.
    has_several: bool,
    /// Whether recursion is left out.
    has_recursion: bool,
}

/// A caller, and the part of the time that is below it.
#[derive(Clone, Copy)]
struct Share {
    function: u32,
    frame: u32,
    share: f64,
}

/// A walk from a function to all that may have called it.
struct Walk {
    /// The weight of the stacks that may not be those that were.
    estimated: u64,
    /// The shares of each function.
    shares: Vec<Shares>,
    /// A weight up to this one is not split.
    least: u64,
    /// The weights of the next sample.
    weights: Vec<u64>,
    place: usize,
    pending: Vec<Step>,
    /// The frames of the current stack, leaf first.
    path: Vec<u32>,
    stacks: Stacks,
}

/// A part of the weight, at a caller `depth` calls above the leaf.
struct Step {
    function: u32,
    frame: u32,
    depth: usize,
    weight: u64,
    /// Whether the file does not say that the part is this one: a function nearer to the leaf may
    /// have had another caller.
    is_estimate: bool,
}

impl Walk {
    /// Adds the own cost of a function, by all its paths.
    fn add(
        &mut self,
        Own { function, frame, weight }: Own,
        by_own: &Shares,
        origin: &Sample<'_>,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.pending.push(Step { function, frame, depth: 0, weight, is_estimate: false });
        while let Some(step) = self.pending.pop() {
            let Step { function, frame, depth, weight, is_estimate } = step;
            self.path.truncate(depth);
            self.path.push(frame);
            let shares = if depth == 0 { by_own } else { &self.shares[function as usize] };
            let is_exact = !shares.has_several || shares.by_own && weight > self.least;
            let is_estimate = is_estimate || shares.has_recursion || !is_exact;
            let step = Step { is_estimate, ..step };
            let at_root = split(shares, self.least, &step, &mut self.pending);
            if at_root > 0 {
                self.estimated += if is_estimate { at_root } else { 0 };
                let path = self.path.iter().rev();
                let stack =
                    path.fold(Stacks::EMPTY, |stack, &frame| self.stacks.call(stack, frame));
                self.weights[self.place] = at_root;
                let sample = Sample { weights: &self.weights, ..*origin };
                self.stacks.add(&sample, stack, names, samples)?;
                self.weights.fill(0);
            }
        }
        Ok(())
    }
}

/// Splits a weight among callers; returns the part that ends here, as the root of a stack.
fn split(shares: &Shares, least: u64, from: &Step, pending: &mut Vec<Step>) -> u64 {
    let Shares { callers, heaviest, at_root, sum, .. } = shares;
    let Step { depth, weight, is_estimate, .. } = *from;
    let Some(heaviest) = heaviest.filter(|_| *sum > 0.0) else { return weight };
    let step = |Share { function, frame, .. }: Share, weight| Step {
        function,
        frame,
        depth: depth + 1,
        weight,
        is_estimate,
    };
    if weight <= least {
        if *at_root >= heaviest.share {
            return weight;
        }
        pending.push(step(heaviest, weight));
        return 0;
    }
    let (mut rest, before) = (weight, pending.len());
    for caller in callers {
        // Rounded down, so that the sum is never more than the weight.
        let weight = ((weight as f64 * (caller.share / sum)) as u64).min(rest);
        rest -= weight;
        if weight > 0 {
            pending.push(step(*caller, weight));
        }
    }
    if *at_root > 0.0 {
        return rest;
    }
    // The last caller gets what rounding left.
    match pending[before..].last_mut() {
        Some(step) => step.weight += rest,
        None => return rest,
    }
    0
}
