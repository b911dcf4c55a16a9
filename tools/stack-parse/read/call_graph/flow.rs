//! How the weights of leaves flow up to the roots.
//!
//! Weights are integers, and what arrives at a function leaves it again, so that every total is
//! exact. A stack that is followed from its leaf is in a [`State`] at each function.

mod circle;

use std::ops::Range;

use common::numbers::shared;

use super::circles::Circles;
use super::shares::fixed;
use super::{Caller, Function, Graph, Off, Own};

/// All ways from leaves to roots.
pub(super) struct Flow {
    /// The ways up from each state.
    ways: Vec<Vec<Way>>,
    /// The frames of the ways.
    frames: Vec<u32>,
    pub(super) off: Off,
}

/// Where a stack that is followed from its leaf has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// At a leaf.
    Leaf(u32),
    /// At a caller.
    Caller(u32),
    /// At a function by which its circle was entered from outside.
    Entry(u32),
    /// Above the root.
    Root,
}

/// A way up from a state.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The range of its frames, callees first.
    pub(super) frames: Range<usize>,
    pub(super) to: State,
    /// The weight of the stacks that go this way.
    pub(super) weight: u64,
    /// What is left of it.
    pub(super) left: u64,
    pub(super) kind: Kind,
}

/// How much the file says about a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The own cost of a function when this caller called it.
    Exact,
    /// The part of a cost for one caller.
    Split,
    /// A part that was chosen for functions that call each other.
    Circle,
}

impl State {
    fn index(self) -> Option<usize> {
        match self {
            State::Leaf(function) => Some(3 * function as usize),
            State::Caller(function) => Some(3 * function as usize + 1),
            State::Entry(function) => Some(3 * function as usize + 2),
            State::Root => None,
        }
    }
}

impl Flow {
    /// The ways of the own costs of functions.
    pub(super) fn new(graph: &Graph, owns: &[Own]) -> Flow {
        let mut builder = Builder::new(graph, owns);
        for circle in (0..builder.circles.members.len()).rev() {
            let members = std::mem::take(&mut builder.circles.members[circle]);
            match members[..] {
                [function] if !graph.functions[function].calls_itself(function) => {
                    builder.add_function(function);
                }
                _ => builder.add_circle(circle, &members),
            }
        }
        builder.flow
    }

    pub(super) fn ways(&self, from: State) -> &[Way] {
        from.index().and_then(|index| self.ways.get(index)).map_or(&[], Vec::as_slice)
    }

    /// Takes a weight from a way.
    pub(super) fn take(&mut self, from: State, number: usize, weight: u64) -> &Way {
        let ways = from.index().map(|index| &mut self.ways[index]);
        let way = &mut ways.expect("a root has no ways")[number];
        way.left = way.left.saturating_sub(weight);
        way
    }

    /// The frames of a way.
    pub(super) fn frames(&self, range: Range<usize>) -> &[u32] {
        &self.frames[range]
    }

    fn add(&mut self, from: State, frames: &[u32], to: State, weight: u64, kind: Kind) {
        let Some(ways) = from.index().and_then(|index| self.ways.get_mut(index)) else { return };
        if weight > 0 {
            let start = self.frames.len();
            self.frames.extend_from_slice(frames);
            let frames = start..self.frames.len();
            ways.push(Way { frames, to, weight, left: weight, kind });
        }
    }
}

/// Makes a [`Flow`], callees first.
struct Builder<'a> {
    graph: &'a Graph,
    circles: Circles,
    /// The place of each function in its circle.
    places: Vec<u32>,
    flow: Flow,
    /// The weight of all stacks.
    whole: u64,
    /// The weight of each function as a leaf.
    own: Vec<u64>,
    /// The weight of each function as a caller, of the callees so far.
    called: Vec<u64>,
}

/// The callers of a function and the root, each with its share.
type Shares<'a> = Vec<(Option<&'a Caller>, f64)>;

impl<'a> Builder<'a> {
    fn new(graph: &'a Graph, owns: &[Own]) -> Builder<'a> {
        let count = graph.functions.len();
        let mut own = vec![0_u64; count];
        for it in owns {
            if let Some(own) = own.get_mut(it.function as usize) {
                *own = own.saturating_add(it.weight);
            }
        }
        let circles = Circles::new(&graph.callers());
        let mut places = vec![0; count];
        for members in &circles.members {
            (0..).zip(members).for_each(|(place, &function)| places[function] = place);
        }
        let flow =
            Flow { ways: vec![Vec::new(); 3 * count], frames: Vec::new(), off: Off::default() };
        let whole = own.iter().fold(0_u64, |sum, own| sum.saturating_add(*own));
        Builder { graph, circles, places, flow, whole, own, called: vec![0; count] }
    }

    /// Adds the ways up from a function that does not call itself.
    fn add_function(&mut self, function: usize) {
        let own = self.own[function];
        let weight = own.saturating_add(self.called[function]);
        match self.shares_of_own(function) {
            Some(shares) => self.split(State::Leaf(function as u32), own, shares, Kind::Exact),
            None => self.add_leaf(function),
        }
        let called = self.called[function];
        let shares = self.shares_of_callees(function);
        self.split(State::Caller(function as u32), called, shares, Kind::Split);
        if let Some(total) = self.graph.functions[function].total {
            let off = weight.abs_diff(total as u64);
            self.flow.off.outside = self.flow.off.outside.max(Some(off));
        }
    }

    /// Adds the own cost of a function to that of its callees, which is split in the same way: the
    /// file does not have it for each caller.
    fn add_leaf(&mut self, function: usize) {
        let (own, number) = (self.own[function], function as u32);
        self.called[function] = self.called[function].saturating_add(own);
        self.flow.add(State::Leaf(number), &[], State::Caller(number), own, Kind::Exact);
    }

    /// Adds ways to callers and the root.
    fn split(&mut self, from: State, weight: u64, shares: Shares<'a>, kind: Kind) {
        for (caller, weight) in split(weight, shares) {
            self.add_call(from, caller, weight, kind);
        }
    }

    /// Adds a way to one caller or, without one, to the root.
    fn add_call(&mut self, from: State, caller: Option<&Caller>, weight: u64, kind: Kind) {
        let Some(caller) = caller else {
            return self.flow.add(from, &[], State::Root, weight, kind);
        };
        let called = &mut self.called[caller.function as usize];
        *called = called.saturating_add(weight);
        self.flow.add(from, &[caller.frame], State::Caller(caller.function), weight, kind);
    }

    /// How the own cost of a function is split among its callers, if the file has that.
    fn shares_of_own(&self, function: usize) -> Option<Shares<'a>> {
        let Function { own, callers, .. } = &self.graph.functions[function];
        let sum: f64 = callers.iter().map(|caller| caller.own).sum();
        let shares = callers.iter().map(|caller| (Some(caller), caller.own));
        (sum > 0.0).then(|| shares.chain([(None, remainder(*own, own - sum))]).collect())
    }

    /// How the cost of what a function calls is split among its callers.
    fn shares_of_callees(&self, function: usize) -> Shares<'a> {
        let callers = &self.graph.functions[function].callers;
        let shares = callers.iter().map(|caller| (Some(caller), caller.callees));
        shares.chain([(None, self.at_root(function))]).collect()
    }

    /// The cost of what a function calls that is in none of its callers.
    fn at_root(&self, function: usize) -> f64 {
        let Function { callees, callers, .. } = &self.graph.functions[function];
        let in_callers: f64 = callers.iter().map(|caller| caller.callees).sum();
        remainder(*callees, callees - in_callers)
    }
}

/// A weight split by shares; all of it is at the root if there are none.
fn split(weight: u64, mut shares: Shares<'_>) -> impl Iterator<Item = (Option<&Caller>, u64)> {
    if shares.iter().all(|(_, share)| *share <= 0.0) {
        shares = vec![(None, 1.0)];
    }
    let fixed: Vec<u128> = fixed(shares.iter().map(|(_, share)| *share)).collect();
    shared(weight, shares.into_iter().map(|(caller, _)| caller).zip(fixed).collect())
}

/// `rest`, or 0 if it is only an error of rounding sums.
fn remainder(all: f64, rest: f64) -> f64 {
    if rest > 0.5 + all * 1e-12 { rest } else { 0.0 }
}
