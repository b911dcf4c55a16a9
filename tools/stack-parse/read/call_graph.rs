//! From a graph of calls, as pstats and callgrind write it, to stacks.
//!
//! A file says what each function took itself, and what it took with all that it
//! called for each of its callers. Above these, the weight is split in proportion: if
//! `main` and `test` call `parse` for 3 and 1 seconds, each stack that ends in `parse`
//! or in what it calls has three quarters below `main`. That is a guess, but nothing is
//! lost: the stacks weigh as much as all functions themselves.

mod recursion;

use common::Result;

use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::Samples;
use crate::samples::sample::Sample;
use recursion::{Circles, circles};

/// A share of the total that is not split any more: its heaviest caller gets it.
/// There are at most so many stacks, and the functions of the graph.
const MOST_SHARES: u64 = 2_000;

/// Functions, and who calls them.
#[derive(Default)]
pub(crate) struct Graph {
    functions: Vec<Function>,
}

/// A function; what it took is in any unit, the same for all.
#[derive(Default)]
struct Function {
    own: f64,
    /// With all that it called, where a file says so.
    time: Option<f64>,
    callers: Vec<Caller>,
}

/// Who called a function.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) function: u32,
    /// What the caller is called in a stack, by its number among the names of frames:
    /// with its line, if that is asked for.
    pub(crate) frame: u32,
    /// What the function itself took when this one called it; 0 where a file does not
    /// say.
    pub(crate) own: f64,
    /// The same with all that it called.
    pub(crate) time: f64,
}

/// What a function took itself, exactly, in one of its lines or in all.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    pub(crate) function: u32,
    /// What it is called at the end of a stack.
    pub(crate) frame: u32,
    pub(crate) weight: u64,
}

impl Graph {
    /// Says what a function took itself, and with all that it called if that is known.
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

    /// Adds what functions took themselves, split among their callers.
    ///
    /// Every sample is of `origin`, whose weights are those of all measures. The one at
    /// `place` is split, and is 0 here; the others, which nobody asked for, are counted
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
            shares: shares.collect(),
            least: u64::try_from(total / u128::from(MOST_SHARES)).unwrap_or(u64::MAX).max(1),
            weights: origin.weights.to_vec(),
            place,
            pending: Vec::new(),
            path: Vec::new(),
            stacks: Stacks::new(),
        };
        for own in owns.iter().filter(|own| own.weight > 0) {
            let function = own.function as usize;
            let at_root = at_root.get(function).copied().unwrap_or_default();
            let by_own = self.shares(function, at_root, true, &circles);
            walk.add(*own, &by_own, origin, names, samples)?;
        }
        if walk.weights.iter().all(|&weight| weight == 0) {
            return Ok(());
        }
        // Only other measures have weight.
        let sample = Sample { weights: &walk.weights, ..*origin };
        walk.stacks.add(&sample, Stacks::EMPTY, names, samples)
    }

    /// The time of each function that none of its callers has.
    ///
    /// What functions in a circle took when they called each other is no help, as some
    /// programs count it once for each call and others not at all: nobody called a circle
    /// if its callers outside have all it took.
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

    /// How what a function took is split among its callers: by its own time, where that
    /// is known for each and asked for. Recursion is left out.
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
        Shares { callers, heaviest, at_root, sum }
    }
}

impl Function {
    /// The numbers of its callers.
    fn callers(&self) -> Vec<usize> {
        self.callers.iter().map(|caller| caller.function as usize).collect()
    }

    /// What its callers leave of its time, or of its own time.
    fn without(&self, all: f64, part: fn(&Caller) -> f64) -> f64 {
        remainder(all, all - self.callers.iter().map(part).sum::<f64>())
    }
}

/// What is left of a time, if it is not only the error of sums that are rounded.
fn remainder(all: f64, rest: f64) -> f64 {
    if rest > all * 1e-6 { rest } else { 0.0 }
}

/// How the weight of a function is split.
#[derive(Default)]
struct Shares {
    callers: Vec<Share>,
    heaviest: Option<Share>,
    /// What nobody called.
    at_root: f64,
    /// All of it.
    sum: f64,
}

/// A caller, and how much of the time is below it.
#[derive(Clone, Copy)]
struct Share {
    function: u32,
    frame: u32,
    share: f64,
}

/// A walk from a function to all that may have called it.
struct Walk {
    /// Those of each function.
    shares: Vec<Shares>,
    /// Less than this is not split.
    least: u64,
    /// Of the next sample.
    weights: Vec<u64>,
    place: usize,
    pending: Vec<Step>,
    /// The frames of the stack at hand, leaf first.
    path: Vec<u32>,
    stacks: Stacks,
}

/// A part of the weight, at a caller that is so far from the leaf.
struct Step {
    function: u32,
    frame: u32,
    depth: usize,
    weight: u64,
}

impl Walk {
    /// Adds what a function took itself, by all its paths.
    fn add(
        &mut self,
        Own { function, frame, weight }: Own,
        by_own: &Shares,
        origin: &Sample<'_>,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.pending.push(Step { function, frame, depth: 0, weight });
        while let Some(Step { function, frame, depth, weight }) = self.pending.pop() {
            self.path.truncate(depth);
            self.path.push(frame);
            let none = Shares::default();
            let shares = match depth {
                0 => by_own,
                _ => self.shares.get(function as usize).unwrap_or(&none),
            };
            let at_root = split(shares, self.least, (depth, weight), &mut self.pending);
            if at_root > 0 {
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

/// Splits a weight among callers; returns what nobody called.
fn split(
    shares: &Shares,
    least: u64,
    (depth, weight): (usize, u64),
    pending: &mut Vec<Step>,
) -> u64 {
    let Shares { callers, heaviest, at_root, sum } = shares;
    let Some(heaviest) = heaviest.filter(|_| *sum > 0.0) else { return weight };
    let step = |Share { function, frame, .. }: Share, weight| {
        let depth = depth + 1;
        Step { function, frame, depth, weight }
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
        // Rounded down, so that there is always enough.
        let weight = ((weight as f64 * (caller.share / sum)) as u64).min(rest);
        rest -= weight;
        if weight > 0 {
            pending.push(step(*caller, weight));
        }
    }
    if *at_root > 0.0 {
        return rest;
    }
    // What rounding left.
    match pending[before..].last_mut() {
        Some(step) => step.weight += rest,
        None => return rest,
    }
    0
}
