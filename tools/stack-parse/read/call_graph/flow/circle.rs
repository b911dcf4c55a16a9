//! The ways through functions that call each other.

use super::{Builder, Kind, Shares, State, split};
use crate::read::call_graph::Caller;
use crate::read::call_graph::choose::choose;
use crate::read::call_graph::inside::{Call, Exit, Inside};

/// The functions of a circle, before its stacks are chosen.
struct Circle<'a> {
    inside: Inside,
    /// The callers of each function that are outside; once the entries are set, also the root.
    outside: Vec<Shares<'a>>,
    /// The weight of each function's stacks that have no other function of the circle.
    direct: Vec<u64>,
    /// Where the stacks of each exit have arrived.
    from: Vec<State>,
}

impl<'a> Builder<'a> {
    /// Adds the ways up from functions that call each other.
    pub(super) fn add_circle(&mut self, number: usize, members: &[usize]) {
        let mut circle = self.circle(number, members);
        for (place, &function) in members.iter().enumerate() {
            self.add_exits(number, (place, function), &mut circle);
        }
        self.set_entries(members, &mut circle);
        let total = |(&function, &direct): (&usize, &u64)| {
            let total = self.graph.functions[function].total?;
            Some((total - direct as f64).max(0.0))
        };
        circle.inside.set_totals(members.iter().zip(&circle.direct).map(total).collect());
        let (segments, off) = choose(&circle.inside);
        self.flow.off.in_circles = self.flow.off.in_circles.max(off);
        for segment in segments {
            let to = State::Entry(members[segment.entry as usize] as u32);
            let from = circle.from[segment.exit as usize];
            self.flow.add(from, &segment.frames, to, segment.weight, Kind::Circle);
        }
        let entries = std::mem::take(&mut circle.inside.entries);
        for ((&function, weight), shares) in members.iter().zip(entries).zip(circle.outside) {
            self.split(State::Entry(function as u32), weight, shares, Kind::Split);
        }
    }

    /// The calls of a circle.
    fn circle(&self, number: usize, members: &[usize]) -> Circle<'a> {
        let mut inside = Inside::new(members.len(), self.whole);
        let mut outside = Vec::new();
        for (place, &function) in members.iter().enumerate() {
            let (calls, mut others): (Shares<'a>, Shares<'a>) = self
                .shares_of_callees(function)
                .into_iter()
                .partition(|(caller, _)| caller.is_some_and(|it| self.is_in(number, it)));
            inside.callers[place] =
                calls.iter().flat_map(|(it, _)| *it).map(|it| self.call(it)).collect();
            inside.leave[place] = others.iter().map(|(_, share)| share).sum();
            others.retain(|(caller, share)| caller.is_some() && *share > 0.0);
            outside.push(others);
        }
        Circle { inside, outside, direct: vec![0; members.len()], from: Vec::new() }
    }

    fn is_in(&self, circle: usize, caller: &Caller) -> bool {
        self.circles.of[caller.function as usize] == circle
    }

    fn call(&self, caller: &Caller) -> Call {
        let function = self.places[caller.function as usize];
        // A call that took nothing is possible, too.
        Call { function, frame: caller.frame, share: (caller.own + caller.callees).max(1e-3) }
    }

    /// Adds the weights with which stacks come into the circle from below: the own cost of a
    /// function, and that of its callees outside.
    fn add_exits(
        &mut self,
        number: usize,
        (place, function): (usize, usize),
        circle: &mut Circle<'a>,
    ) {
        let leaf = State::Leaf(function as u32);
        let mut add = |first, weight, from| {
            if weight > 0 {
                circle.inside.exits.push(Exit { function: place as u32, first, weight });
                circle.from.push(from);
            }
        };
        match self.shares_of_own(function) {
            Some(shares) => {
                let mut first = 0;
                for (caller, weight) in split(self.own[function], shares) {
                    if caller.is_some_and(|it| self.is_in(number, it)) {
                        add(Some(first), weight, leaf);
                        first += 1;
                    } else {
                        circle.direct[place] += weight;
                        self.add_call(leaf, caller, weight, Kind::Exact);
                    }
                }
            }
            None => self.add_leaf(function),
        }
        add(None, self.called[function], State::Caller(function as u32));
    }

    /// Sets the weights with which stacks leave the circle above each function: in proportion to
    /// the shares of the callers outside, and of the root.
    ///
    /// The time at the root cannot be seen at one function: the costs of its calls from inside the
    /// circle overlap. It is what the callers outside do not have of the circle's time.
    fn set_entries(&self, members: &[usize], circle: &mut Circle<'a>) {
        let weight = circle.inside.weight();
        let callers: f64 = circle.outside.iter().flatten().map(|(_, share)| share).sum();
        let mut roots: Vec<f64> = members.iter().map(|&function| self.at_root(function)).collect();
        let largest = members.iter().enumerate().max_by(|(_, a), (_, b)| {
            self.graph.functions[**a].callees.total_cmp(&self.graph.functions[**b].callees)
        });
        let sum: f64 = roots.iter().sum();
        let at_root = if self.graph.is_of_calls { sum } else { weight as f64 - callers };
        let at_root = super::remainder(weight as f64, at_root);
        if sum > 0.0 {
            roots.iter_mut().for_each(|root| *root *= at_root / sum);
        } else if let Some((place, &function)) = largest.filter(|_| at_root > 0.0 || callers == 0.0)
        {
            roots[place] = at_root.max(1.0);
            circle.inside.leave[place] += self.graph.functions[function].callees.max(1.0) / 8.0;
        }
        for (shares, root) in circle.outside.iter_mut().zip(roots) {
            shares.push((None, root));
        }
        let shares =
            circle.outside.iter().map(|shares| shares.iter().map(|(_, share)| share).sum());
        circle.inside.set_entries(shares);
    }
}
