//! Chooses stacks for functions that call each other in a circle.
//!
//! For such functions a file has the time of each while at least one call of it is active, and the
//! same for each call. It does not have the stacks. Chosen are stacks in which each function, counted
//! once for each stack, has about the stated time:
//!
//! 1. From where a stack comes into the circle, random walks go from callee to caller, in proportion
//!    to the times of the calls, until they leave it ([`super::walks`]).
//! 2. The weights of these walks are scaled until each function has its time
//!    ([`super::fit`]).
//! 3. Where a function still has too little, walks are added that pass it, and the weights are
//!    scaled again.
//!
//! The numbers are random, but the same in each run.

use super::fit::Fit;
use super::inside::{Inside, Segment};
use super::walks::{Need, Walker};
use super::whole::whole;

/// How often walks are added.
const ROUNDS: usize = 5;

/// How many walks there are in each round, for all weight together.
const WALKS: f64 = 5_000.0;

/// How many there are at least from each exit.
const LEAST_WALKS: usize = 5;

/// How often all weights are scaled in each round.
const SCALED: usize = 40;

/// A function has too little if this part of the circle's weight is missing.
const MISSING: f64 = 0.004;

/// At most so many functions that have too little get walks in one round.
const MOST_NEEDS: usize = 8;

/// A function that is in so much of the weight is in all of it.
const ALL: f64 = 0.98;

/// The stacks, and the largest difference between the weight of a function and its total, if
/// any has one.
pub(super) fn choose(inside: &Inside) -> (Vec<Segment>, Option<u64>) {
    let mut walker = Walker::new(inside);
    let mut fit = Fit::new(inside);
    let (mut all, mut needs, mut musts) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fit.keep_only_with(&all);
        add_walks(inside, &mut walker, &mut fit, &needs, &musts);
        fit.scale(SCALED);
        let missing = fit.missing(MISSING * inside.weight() as f64);
        let is_in_all = |it: &usize| inside.totals[*it] >= Some(ALL * inside.weight() as f64);
        let some: Vec<usize>;
        (all, some) = missing.into_iter().partition(is_in_all);
        needs = some.into_iter().take(MOST_NEEDS).map(|it| walker.need(it)).collect();
        if needs.is_empty() && all.is_empty() {
            break;
        }
        musts.extend(all.iter().map(|&it| walker.need(it)));
    }
    fit.drop_light(inside.whole as f64 / 10_000.0);
    fit.scale(2 * SCALED);
    whole(inside, fit.into_walks(), &mut walker)
}

/// Adds walks from each exit: some that must pass the musts only, and some for each need.
fn add_walks(
    inside: &Inside,
    walker: &mut Walker<'_>,
    fit: &mut Fit<'_>,
    needs: &[Need],
    musts: &[Need],
) {
    let all = inside.whole.max(1) as f64;
    for (number, exit) in (0..).zip(&inside.exits) {
        let count = WALKS * exit.weight as f64 / all;
        let kinds = std::iter::once(None).chain(needs.iter().map(Some));
        let mut walks = Vec::new();
        for need in kinds {
            let musts = need.into_iter().chain(musts);
            let must: Vec<&Need> = musts.collect();
            let count = if need.is_some() {
                1 + (count / 10.0) as usize
            } else {
                LEAST_WALKS + count as usize
            };
            walks.extend((0..count).filter_map(|_| walker.walk(number, &must, fit.liking())));
        }
        if walks.is_empty() {
            walks.push(walker.shortest_out(number));
        }
        let weight = exit.weight as f64 / walks.len() as f64;
        walks.into_iter().for_each(|walk| fit.add(walk, weight));
    }
}
