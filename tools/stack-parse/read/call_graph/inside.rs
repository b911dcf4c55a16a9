//! A circle of functions that call each other.

use common::numbers::shared;

use super::shares::fixed;

/// A circle; its functions are numbered from 0.
pub(super) struct Inside {
    /// The calls of each function from inside the circle.
    pub(super) callers: Vec<Vec<Call>>,
    /// The share of the callers of each function that are outside, and of the root.
    pub(super) leave: Vec<f64>,
    /// The weight of the stacks that leave the circle above each function.
    pub(super) entries: Vec<u64>,
    /// The stated weight of the stacks with each function, if it is known.
    pub(super) totals: Vec<Option<f64>>,
    /// Where stacks come into the circle from below.
    pub(super) exits: Vec<Exit>,
    /// The weight of all stacks, those outside the circle included.
    pub(super) whole: u64,
}

/// A call of a function by another one of the circle.
#[derive(Clone, Copy)]
pub(super) struct Call {
    pub(super) function: u32,
    pub(super) frame: u32,
    pub(super) share: f64,
}

/// A function that has its own cost, or that calls functions outside the circle.
pub(super) struct Exit {
    pub(super) function: u32,
    /// Which call was the one of its own cost, if that is known.
    pub(super) first: Option<usize>,
    pub(super) weight: u64,
}

/// A part of stacks inside the circle.
pub(super) struct Segment {
    pub(super) exit: u32,
    pub(super) entry: u32,
    /// The frames above the exit, callees first.
    pub(super) frames: Vec<u32>,
    pub(super) weight: u64,
}

impl Inside {
    /// A circle without calls and weights, in which a share of `whole` will be.
    pub(super) fn new(functions: usize, whole: u64) -> Inside {
        Inside {
            callers: vec![Vec::new(); functions],
            leave: vec![0.0; functions],
            entries: Vec::new(),
            totals: vec![None; functions],
            exits: Vec::new(),
            whole,
        }
    }

    /// The weight of all stacks that come into the circle.
    pub(super) fn weight(&self) -> u64 {
        self.exits.iter().fold(0, |sum, exit| exit.weight.saturating_add(sum))
    }

    /// Sets the weights with which stacks leave the circle, one for each function.
    pub(super) fn set_entries(&mut self, shares: impl Iterator<Item = f64> + Clone) {
        let shares = fixed(shares).map(|share| ((), share)).collect();
        self.entries = shared(self.weight(), shares).map(|(_, weight)| weight).collect();
    }

    /// Sets the stated weights of the stacks with each function. Some programs count recursion
    /// several times, so that a function has more than all: then they are not used.
    pub(super) fn set_totals(&mut self, totals: Vec<Option<f64>>) {
        let most = 1.001 * self.weight() as f64 + 1.0;
        if totals.iter().flatten().all(|total| *total <= most) {
            self.totals = totals;
        }
    }

    /// The call with which the shortest way from each function to an end begins.
    pub(super) fn ways_to(&self, is_end: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let mut callees = vec![Vec::new(); self.callers.len()];
        for (function, calls) in self.callers.iter().enumerate() {
            for (number, call) in calls.iter().enumerate() {
                callees[call.function as usize].push((function, number));
            }
        }
        let mut ways = vec![None; self.callers.len()];
        let mut near: Vec<usize> = (0..self.callers.len()).filter(|&it| is_end(it)).collect();
        let mut is_near = vec![false; self.callers.len()];
        near.iter().for_each(|&it| is_near[it] = true);
        let mut next = 0;
        while let Some(&at) = near.get(next) {
            next += 1;
            for &(callee, number) in &callees[at] {
                if !std::mem::replace(&mut is_near[callee], true) {
                    ways[callee] = Some(number);
                    near.push(callee);
                }
            }
        }
        ways
    }
}
