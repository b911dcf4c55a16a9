//! How a function is called, and what its calls lead to.

use std::cmp::Reverse;

use common::stacks::FrameId;
use hashbrown::HashMap;

use crate::functions::{FunctionId, Place, place};
use crate::part::Part;
use crate::profile::Profile;

/// The functions of own code that call a function.
#[derive(Debug, Default)]
pub(crate) struct Callers<'p> {
    /// The chain in which most of the weight is, root first.
    pub(crate) chain: Vec<Caller<'p>>,
    /// The weight of the stacks with this chain, and of all.
    pub(crate) weight: u64,
    pub(crate) whole: u64,
    /// Who calls the first of the chain, or the function itself, where callers differ: the heaviest
    /// first, with their weights.
    pub(crate) split: Vec<(Caller<'p>, u64)>,
}

/// A function, and from where it calls the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caller<'p> {
    pub(crate) name: &'p [u8],
    pub(crate) place: Place<'p>,
}

/// What a function calls: the heaviest callees first.
#[derive(Debug, Default)]
pub(crate) struct Calls<'p> {
    pub(crate) list: Vec<Call<'p>>,
}

/// A callee, and what most of its weight is in.
#[derive(Debug)]
pub(crate) struct Call<'p> {
    /// The callee first; frames as they are.
    pub(crate) chain: Vec<&'p [u8]>,
    /// The ranked weight of the stacks with the callee.
    pub(crate) weight: u64,
}

/// So much of the weight makes a chain go on, in percent of the function's.
const MOST: u128 = 90;

/// So much of the weight makes the chain of calls go on, in percent of the callee's.
const HALF: u128 = 50;

/// What has less, in percent of the function's weight, is not named.
const LEAST: u128 = 5;

/// How many callers or callees are named.
const NAMED: usize = 3;

/// A chain of callers is not followed further.
const LONGEST: usize = 24;

fn is_at_least(part: u64, percent: u128, whole: u64) -> bool {
    u128::from(part) * 100 >= u128::from(whole) * percent
}

/// A stack, and the frame of its chain of callers that was reached.
struct Climb<'p> {
    frames: &'p [FrameId],
    at: usize,
    /// The next caller, if there is one.
    next: Option<usize>,
    weight: u64,
}

impl<'p> Callers<'p> {
    /// The callers of a function in these stacks, each of which has a weight. A function that is called
    /// again further down counts once.
    pub(crate) fn of(
        profile: &'p Profile,
        function: FunctionId,
        parts: impl Iterator<Item = (Part<'p>, u64)>,
    ) -> Callers<'p> {
        let weighty = parts.filter(|(_, weight)| *weight > 0);
        let climb = |(part, weight): (Part<'p>, u64)| Climb {
            frames: part.frames,
            at: part.at(),
            next: None,
            weight,
        };
        let mut climbs: Vec<Climb<'p>> = weighty.map(climb).collect();
        let whole = climbs.iter().map(|climb| climb.weight).sum();
        let mut callers = Callers { whole, weight: whole, ..Callers::default() };
        let mut chain = vec![function];
        while chain.len() <= LONGEST {
            climbs.iter_mut().for_each(|climb| climb.look(profile, &chain));
            let function = |climb: &Climb<'_>| Some(climb.function(climb.next?, profile));
            let groups = groups(climbs.iter().map(|climb| (function(climb), climb.weight)));
            let Some(&(first, weight)) = groups.first() else { break };
            let caller = |function| caller(profile, &climbs, function);
            if !is_at_least(weight, MOST, whole) {
                let named = groups.iter().filter(|(_, it)| is_at_least(*it, LEAST, whole));
                let named = named.filter_map(|(it, weight)| Some((caller((*it)?), *weight)));
                callers.split = named.take(NAMED).collect();
                break;
            }
            let Some(first) = first else { break };
            callers.chain.push(caller(first));
            callers.weight = weight;
            chain.push(first);
            climbs.retain(|climb| function(climb) == Some(first));
            climbs.iter_mut().for_each(|climb| climb.at = climb.next.unwrap_or_default());
        }
        callers.chain.reverse();
        callers
    }
}

impl Climb<'_> {
    /// Looks for the next caller in own code that is not in the chain.
    fn look(&mut self, profile: &Profile, chain: &[FunctionId]) {
        let mut all = profile.deepest.all_of_stack(self.frames);
        let is_new = |at: &usize| !chain.contains(&self.function(*at, profile));
        self.next = all.find(|at| *at < self.at && is_new(at));
    }

    fn function(&self, at: usize, profile: &Profile) -> FunctionId {
        profile.functions.of_frame(self.frames[at])
    }
}

/// A function that is the next caller, with the place from which it calls most.
fn caller<'p>(profile: &'p Profile, climbs: &[Climb<'p>], function: FunctionId) -> Caller<'p> {
    let of = |climb: &Climb<'p>| {
        let at = climb.next.filter(|at| climb.function(*at, profile) == function)?;
        Some(place(profile.frame(climb.frames[at])))
    };
    let places = groups(climbs.iter().map(|climb| (of(climb), climb.weight)));
    let place = places.into_iter().find_map(|(place, _)| place).unwrap_or_default();
    Caller { name: profile.functions.name(function), place }
}

/// The weights by key, the heaviest first.
fn groups<K: Copy + Ord + std::hash::Hash>(
    weights: impl Iterator<Item = (K, u64)>,
) -> Vec<(K, u64)> {
    let mut sums: HashMap<K, u64> = HashMap::new();
    weights.for_each(|(key, weight)| *sums.entry(key).or_default() += weight);
    let mut groups: Vec<(K, u64)> = sums.into_iter().collect();
    groups.sort_unstable_by_key(|(key, weight)| (Reverse(*weight), *key));
    groups
}

impl<'p> Calls<'p> {
    /// What the charged frames of these stacks call.
    pub(crate) fn of(profile: &'p Profile, parts: &[Part<'p>]) -> Calls<'p> {
        let whole: u64 = parts.iter().map(|part| part.rank(profile)).sum();
        // What woke a waiting thread is no call of it.
        let below = |part: &Part<'p>| {
            let below = &part.frames[part.at() + 1..];
            let end = below.iter().position(|frame| profile.frame(*frame) == b"--");
            (&below[..end.unwrap_or(below.len())], part.rank(profile))
        };
        let weighty = parts.iter().filter(|part| part.rank(profile) > 0);
        let below: Vec<(&[FrameId], u64)> = weighty.map(below).collect();
        let function = |path: &[FrameId], depth: usize| {
            path.get(depth).map(|frame| profile.functions.of_frame(*frame))
        };
        let mut list = Vec::new();
        let by_function = |paths: &[(&[FrameId], u64)], depth: usize| {
            groups(paths.iter().map(|(path, weight)| (function(path, depth), *weight)))
        };
        let callees = by_function(&below, 0);
        let named = callees.into_iter().filter(|(_, weight)| is_at_least(*weight, LEAST, whole));
        for (callee, weight) in named.filter_map(|(it, weight)| Some((it?, weight))).take(NAMED) {
            let of_callee = |(path, _): &&(&[FrameId], u64)| function(path, 0) == Some(callee);
            let mut paths: Vec<_> = below.iter().filter(of_callee).copied().collect();
            let mut chain = vec![profile.frame(paths[0].0[0])];
            for depth in 1.. {
                let next = by_function(&paths, depth);
                let Some(&(Some(next), it)) = next.first() else { break };
                if !is_at_least(it, HALF, weight) {
                    break;
                }
                paths.retain(|(path, _)| function(path, depth) == Some(next));
                chain.push(profile.frame(paths[0].0[depth]));
            }
            list.push(Call { chain, weight });
        }
        Calls { list }
    }
}
