//! Makes stacks from a graph of calls, as pstats and callgrind write it.
//!
//! A file has the own cost of each function and, for each of its callers, its cost with all
//! callees. Stacks are made of it so that the totals of the functions are those of the file:
//!
//! - The own cost of each function is exact.
//! - Above a caller the weight is split in proportion: if `main` and `test` call `parse` for 3 and
//!   1 seconds, each stack that ends in `parse` or in one of its callees has three quarters below
//!   `main` ([`flow`]). What each call takes is exact, too. Which of two callers of `parse` is above
//!   which of its callees is an estimate.
//! - Functions that call each other in a circle have stacks that repeat. There the file does not
//!   tell how often. [`choose`] makes stacks so that the weight of each function, counted once for
//!   each stack, is about the cost that the file states.
//! - A light stack does not exist in all its parts ([`paths`]), so that there are few.

mod choose;
mod circles;
mod fit;
mod flow;
mod inside;
mod paths;
mod shares;
mod walks;
mod whole;

use std::fmt;

use common::Result;

use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::Samples;
use crate::samples::sample::Sample;
use flow::Flow;
use paths::for_each_path;

/// Smaller percentages would be shown as 0.0.
const LEAST_OFF: f64 = 0.05;

/// Functions and their callers.
pub(crate) struct Graph {
    functions: Vec<Function>,
    is_of_calls: bool,
}

/// A function.
#[derive(Default)]
struct Function {
    own: f64,
    /// The sum of what it called, in the unit of [`Caller::callees`].
    callees: f64,
    /// The cost with all callees while at least one call is active, if the file has it.
    total: Option<f64>,
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
    /// What the function called took when this one called it. If the file does not have it, the
    /// cost with the own one.
    pub(crate) callees: f64,
}

/// The exact own cost of a function, for one of its lines or for all.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    pub(crate) function: u32,
    /// Its frame as the leaf of a stack.
    pub(crate) frame: u32,
    pub(crate) weight: u64,
}

/// How far the totals of functions are from those that the file states, if it does.
#[derive(Clone, Copy, Default)]
struct Off {
    /// The largest difference for a function that does not call itself. There is one only if the
    /// file contradicts itself.
    outside: Option<u64>,
    /// The largest difference for a function in a circle.
    in_circles: Option<u64>,
}

/// How good the stacks are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Accuracy {
    /// The weight of all stacks.
    weight: u64,
    /// The weight of those with functions that call themselves, directly or by others.
    in_circles: u64,
    off: Off,
}

impl Graph {
    /// A graph without functions. It is `of_calls` if the own costs have another unit than those of
    /// callees, so that only the proportions of these count.
    pub(crate) fn new(of_calls: bool) -> Graph {
        Graph { functions: Vec::new(), is_of_calls: of_calls }
    }

    /// Sets the own cost of a function and the cost of what it called, in the units of those of a
    /// [`Caller`]; and its cost with all callees while at least one call is active, if that is
    /// known.
    pub(crate) fn set_function(&mut self, number: u32, own: f64, callees: f64, total: Option<f64>) {
        let function = self.function(number);
        (function.own, function.callees, function.total) = (own, callees, total);
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

    /// The numbers of the callers of each function.
    fn callers(&self) -> Vec<Vec<usize>> {
        let callers = |it: &Function| it.callers.iter().map(|it| it.function as usize).collect();
        self.functions.iter().map(callers).collect()
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
    ) -> Result<Accuracy> {
        let mut flow = Flow::new(self, owns);
        let weight = owns.iter().fold(0_u64, |sum, own| sum.saturating_add(own.weight));
        let mut accuracy = Accuracy { weight, in_circles: 0, off: flow.off };
        let (mut stacks, mut estimated) = (Stacks::default(), 0);
        let mut weights = origin.weights.to_vec();
        for_each_path(&mut flow, owns, |path| {
            estimated += if path.is_estimate { path.weight } else { 0 };
            accuracy.in_circles += if path.is_in_circle { path.weight } else { 0 };
            let frames = path.frames.iter().rev();
            let stack = frames.fold(Stacks::EMPTY, |stack, &frame| stacks.call(stack, frame));
            weights[place] = path.weight;
            stacks.add(&Sample { weights: &weights, ..*origin }, stack, names, samples)?;
            weights.fill(0);
            Ok(())
        })?;
        samples.facts.add_estimated([estimated, weight]);
        if weights.iter().any(|&weight| weight > 0) {
            // No sample took the weights of the other measures.
            let sample = Sample { weights: &weights, ..*origin };
            stacks.add(&sample, Stacks::EMPTY, names, samples)?;
        }
        Ok(accuracy)
    }
}

impl Function {
    fn calls_itself(&self, number: usize) -> bool {
        self.callers.iter().any(|caller| caller.function as usize == number)
    }
}

impl Accuracy {
    /// That of two graphs.
    pub(crate) fn and(self, other: Accuracy) -> Accuracy {
        let off = Off {
            outside: self.off.outside.max(other.off.outside),
            in_circles: self.off.in_circles.max(other.off.in_circles),
        };
        Accuracy {
            weight: self.weight.saturating_add(other.weight),
            in_circles: self.in_circles.saturating_add(other.in_circles),
            off,
        }
    }

    /// A part of the weight in percent.
    fn percent(&self, part: u64) -> f64 {
        100.0 * part as f64 / self.weight.max(1) as f64
    }
}

/// `own costs are exact, totals too; 12.5 % of the weight is in recursion, where totals are off by
/// at most 0.4 % of all`
impl fmt::Display for Accuracy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("own costs are exact, totals ")?;
        match self.off.outside.map_or(0.0, |off| self.percent(off)) {
            off if off < LEAST_OFF => out.write_str("too")?,
            off => write!(out, "within {off:.1} % of all, since the file contradicts itself")?,
        }
        let in_circles = self.percent(self.in_circles);
        if in_circles < LEAST_OFF {
            return Ok(());
        }
        write!(out, "; {in_circles:.1} % of the weight is in recursion, where totals are ")?;
        match self.off.in_circles {
            Some(off) if self.percent(off) < LEAST_OFF => {
                out.write_str("off by less than 0.1 % of all")
            }
            Some(off) => write!(out, "off by at most {:.1} % of all", self.percent(off)),
            None => out.write_str("estimates"),
        }
    }
}
