//! Stacks, made of the ways of a [`Flow`].
//!
//! First the own cost of each function is split at each way, in proportion, as long as the parts
//! are large. What is left then is given to stacks one by one, each as much as all its ways still
//! have: so every way gets its exact weight, and there are at most as many of these stacks as there
//! are ways.

use common::Result;

use super::Own;
use super::flow::{Flow, Kind, State};

/// Weights up to the total divided by this are not split.
const MOST_PARTS: u64 = 4_000;

/// A stack and its weight.
pub(super) struct Path<'a> {
    /// Leaf first.
    pub(super) frames: &'a [u32],
    pub(super) weight: u64,
    /// Whether the file does not say that it is this one: a function nearer to the leaf may have
    /// had another caller.
    pub(super) is_estimate: bool,
    /// Whether functions in it call each other in a circle.
    pub(super) is_in_circle: bool,
}

/// Hands the stacks of the own costs to `each`.
pub(super) fn for_each_path(
    flow: &mut Flow,
    owns: &[Own],
    mut each: impl FnMut(&Path<'_>) -> Result<()>,
) -> Result<()> {
    let total: u128 = owns.iter().map(|own| u128::from(own.weight)).sum();
    let least = u64::try_from(total / u128::from(MOST_PARTS)).unwrap_or(u64::MAX);
    let mut walk = Walk { flow, taken: Vec::new(), frames: Vec::new(), pending: Vec::new() };
    let mut rest = Vec::new();
    for own in owns.iter().filter(|own| own.weight > 0) {
        let weight = own.weight - walk.split(own, least, &mut each)?;
        rest.push(Own { weight, ..*own });
    }
    for own in rest {
        walk.give_rest(own, &mut each)?;
    }
    Ok(())
}

/// A walk from a leaf up to the roots.
struct Walk<'a> {
    flow: &'a mut Flow,
    /// The ways to the current function: their states and their numbers there.
    taken: Vec<(State, usize)>,
    /// The current frames, leaf first.
    frames: Vec<u32>,
    pending: Vec<Part>,
}

/// A part of a weight that is to go a way.
struct Part {
    /// How many ways lead to this one.
    depth: usize,
    way: (State, usize),
    weight: u64,
}

impl Walk<'_> {
    /// Splits an own cost into parts of more than `least`; returns their sum.
    fn split(
        &mut self,
        own: &Own,
        least: u64,
        each: &mut impl FnMut(&Path<'_>) -> Result<()>,
    ) -> Result<u64> {
        let mut placed = 0;
        self.taken.clear();
        self.push_parts(State::Leaf(own.function), own.weight, least);
        while let Some(Part { depth, way, weight }) = self.pending.pop() {
            self.taken.truncate(depth);
            self.taken.push(way);
            match self.flow.ways(way.0)[way.1].to {
                State::Root => {
                    self.take(own.frame, weight, each)?;
                    placed += weight;
                }
                to => self.push_parts(to, weight, least),
            }
        }
        Ok(placed)
    }

    /// Splits a weight among the ways from a state. Rounded down, so that no way gets more than its
    /// own.
    fn push_parts(&mut self, from: State, weight: u64, least: u64) {
        let ways = self.flow.ways(from);
        let sum: u128 = ways.iter().map(|way| u128::from(way.weight)).sum();
        for (number, way) in ways.iter().enumerate() {
            let part = u128::from(weight) * u128::from(way.weight) / sum.max(1);
            if part > u128::from(least) {
                let depth = self.taken.len();
                self.pending.push(Part { depth, way: (from, number), weight: part as u64 });
            }
        }
    }

    /// Gives what is left of an own cost to the ways that have most left.
    fn give_rest(
        &mut self,
        own: Own,
        each: &mut impl FnMut(&Path<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut rest = own.weight;
        while rest > 0 {
            let (mut at, mut weight) = (State::Leaf(own.function), rest);
            self.taken.clear();
            while at != State::Root {
                let ways = self.flow.ways(at).iter().enumerate();
                // Each state has as much left as comes to it, unless sums are over 64 bits.
                let most = ways.rev().max_by_key(|(_, way)| way.left);
                let Some((number, way)) = most.filter(|(_, way)| way.left > 0) else { break };
                weight = weight.min(way.left);
                self.taken.push((at, number));
                at = way.to;
            }
            self.take(own.frame, weight, each)?;
            rest -= weight;
        }
        Ok(())
    }

    /// Takes a weight from all ways of the current stack.
    fn take(
        &mut self,
        leaf: u32,
        weight: u64,
        each: &mut impl FnMut(&Path<'_>) -> Result<()>,
    ) -> Result<()> {
        self.frames.clear();
        self.frames.push(leaf);
        let (mut is_estimate, mut is_in_circle) = (false, false);
        for &(from, number) in &self.taken {
            let is_one_of_several = self.flow.ways(from).len() > 1;
            let way = self.flow.take(from, number, weight);
            is_in_circle |= way.kind == Kind::Circle;
            is_estimate |= way.kind == Kind::Circle || way.kind == Kind::Split && is_one_of_several;
            let frames = way.frames.clone();
            self.frames.extend_from_slice(self.flow.frames(frames));
        }
        each(&Path { frames: &self.frames, weight, is_estimate, is_in_circle })
    }
}
