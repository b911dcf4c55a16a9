//! From a graph of calls to stacks.
//!
//! A function's own time is known for each of its callers. Above these, time is
//! split in proportion: if `main` and `test` call `parse` for 3 and 1 seconds, each
//! stack that ends in `parse` or in what it calls has three quarters below `main`.
//! That is a guess, but nothing is lost: the stacks weigh as much as all own times.

use common::Result;

use super::recursion::Circles;
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

/// Seconds have as many nanoseconds.
const NANOSECONDS: f64 = 1e9;

/// A share of the total that is not split any more: its heaviest caller gets it.
/// There are at most so many stacks, and the functions of the graph.
const MOST_SHARES: u64 = 2_000;

/// Functions, and who calls them.
#[derive(Default)]
pub(super) struct Graph {
    functions: Vec<Function>,
}

/// A function; times are in seconds.
#[derive(Default)]
struct Function {
    own: f64,
    time: f64,
    callers: Vec<Caller>,
}

#[derive(Clone, Copy)]
struct Caller {
    function: u32,
    /// What the function itself took when this one called it.
    own: f64,
    /// The same with all that it called.
    time: f64,
}

impl Graph {
    pub(super) fn set_function(&mut self, function: u32, own: f64, time: f64) {
        let function = self.function(function);
        (function.own, function.time) = (own, time);
    }

    pub(super) fn add_call(&mut self, caller: u32, callee: u32, own: f64, time: f64) {
        self.function(caller);
        self.function(callee).callers.push(Caller { function: caller, own, time });
    }

    fn function(&mut self, function: u32) -> &mut Function {
        let function = function as usize;
        if self.functions.len() <= function {
            self.functions.resize_with(function + 1, Function::default);
        }
        &mut self.functions[function]
    }

    /// Adds the own time of all functions.
    pub(super) fn add(&self, names: &FrameNames, samples: &mut Samples<'_>) -> Result<()> {
        samples.set_measures(&[Measure { name: b"time", unit: b"nanoseconds" }]);
        let total: f64 = self.functions.iter().map(|function| function.own).sum();
        let callers: Vec<Vec<usize>> = self.functions.iter().map(Function::callers).collect();
        let is_entry = |function: usize| self.functions[function].without_caller(false) > 0.0;
        let mut walk = Walk {
            graph: self,
            circles: Circles::new(&callers, is_entry),
            least: ((total * NANOSECONDS) as u64 / MOST_SHARES).max(1),
            pending: Vec::new(),
            path: Vec::new(),
            stacks: Stacks::new(),
        };
        // Sums are rounded, not what is added to them, so that the last one is exact.
        let (mut exact, mut counted) = (0.0, 0);
        for (number, function) in self.functions.iter().enumerate() {
            exact += function.own * NANOSECONDS;
            let weight = (exact.round() as u64).saturating_sub(counted);
            counted += weight;
            walk.add(number as u32, weight, names, samples)?;
        }
        Ok(())
    }
}

impl Function {
    /// The numbers of its callers.
    fn callers(&self) -> Vec<usize> {
        self.callers.iter().map(|caller| caller.function as usize).collect()
    }

    /// The time, or the own time, that none of its callers has.
    fn without_caller(&self, own: bool) -> f64 {
        let (all, part): (f64, fn(&Caller) -> f64) =
            if own { (self.own, |caller| caller.own) } else { (self.time, |caller| caller.time) };
        let rest = all - self.callers.iter().map(part).sum::<f64>();
        // Sums are rounded.
        if rest > all * 1e-6 { rest } else { 0.0 }
    }
}

/// A walk from a function to all that may have called it.
struct Walk<'a> {
    graph: &'a Graph,
    circles: Circles,
    /// Less than this is not split.
    least: u64,
    pending: Vec<Step>,
    /// The stack at hand, leaf first.
    path: Vec<u32>,
    stacks: Stacks,
}

/// A part of the weight, at a caller that is so far from the leaf.
struct Step {
    function: u32,
    depth: usize,
    weight: u64,
}

impl Walk<'_> {
    /// Adds the own time of a function, by all its paths.
    fn add(
        &mut self,
        function: u32,
        weight: u64,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.pending.push(Step { function, depth: 0, weight });
        while let Some(Step { function, depth, weight }) = self.pending.pop() {
            self.path.truncate(depth);
            self.path.push(function);
            let at_root = self.split(function, depth, weight);
            if at_root > 0 {
                let path = self.path.iter().rev();
                let stack =
                    path.fold(Stacks::EMPTY, |stack, &frame| self.stacks.call(stack, frame));
                let origin = Sample { weights: &[at_root], ..Sample::default() };
                self.stacks.add(&origin, stack, names, samples)?;
            }
        }
        Ok(())
    }

    /// Splits a weight among the callers of a function; returns what nobody
    /// called.
    fn split(&mut self, number: u32, depth: usize, weight: u64) -> u64 {
        let (callers, at_root) = self.callers(number, depth);
        let sum = callers.iter().map(|caller| caller.share).sum::<f64>() + at_root;
        let heaviest = callers.iter().max_by(|a, b| a.share.total_cmp(&b.share));
        let Some(heaviest) = heaviest.filter(|_| sum > 0.0) else { return weight };
        if weight <= self.least {
            if at_root >= heaviest.share {
                return weight;
            }
            self.pending.push(Step { function: heaviest.function, depth: depth + 1, weight });
            return 0;
        }
        let mut rest = weight;
        for Share { function, share } in &callers {
            // Rounded down, so that there is always enough.
            let weight = ((weight as f64 * (share / sum)) as u64).min(rest);
            rest -= weight;
            if weight > 0 {
                self.pending.push(Step { function: *function, depth: depth + 1, weight });
            }
        }
        if at_root > 0.0 {
            return rest;
        }
        // What rounding left.
        match self.pending.last_mut().filter(|step| step.depth == depth + 1) {
            Some(step) => step.weight += rest,
            None => return rest,
        }
        0
    }

    /// The callers of a function, and the share that has none. A function's own time
    /// is known for each caller; recursion is left out.
    fn callers(&self, number: u32, depth: usize) -> (Vec<Share>, f64) {
        let function = &self.graph.functions[number as usize];
        let is_call =
            |it: &&Caller| !self.circles.is_recursion(it.function as usize, number as usize);
        let calls = || function.callers.iter().filter(is_call);
        let by_own = depth == 0 && calls().any(|caller| caller.own > 0.0);
        let shares = calls().map(|caller| Share {
            function: caller.function,
            share: if by_own { caller.own } else { caller.time },
        });
        (shares.filter(|it| it.share > 0.0).collect(), function.without_caller(by_own))
    }
}

/// A caller, and how much of the time is below it.
struct Share {
    function: u32,
    share: f64,
}
