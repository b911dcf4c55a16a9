//! `--fail-over`: whether something surely grew by more than a limit.

use std::collections::BTreeSet;

use common::compare::{ALPHA, Comparison, Runs, Tested, chance_above};
use common::{names::printable_name, numbers::grouped};
use statrs::distribution::{ContinuousCDF, Normal};

/// How many of the functions that grew too much are named.
const NAMED: usize = 3;

/// What surely grew by more than the limit, and what the gate cannot see.
pub(crate) struct Gate {
    /// In percent of the whole before.
    limit: f64,
    /// The functions that grew: those that grew themselves first, then their callers.
    pub(crate) grown: Vec<Growth>,
    /// What varies most: its name and the standard error of its growth.
    noisiest: (String, f64),
    /// How many standard errors may still be noise.
    errors: f64,
}

/// Something and how it grew, in percent of the whole before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    what: Tested,
    percent: f64,
    /// The standard error.
    error: f64,
}

impl Gate {
    /// `limit` is in percent of the whole before.
    pub(crate) fn new(comparison: &Comparison, runs: &Runs, limit: f64) -> Gate {
        // Shares are in percent of their whole already.
        let percent = if comparison.absolute { 100.0 / comparison.whole.before } else { 1.0 };
        let tested: Vec<Growth> = comparison
            .tested()
            .map(|(what, change)| Growth {
                what,
                percent: change.difference() * percent,
                error: change.error * percent,
            })
            .collect();
        let alpha = ALPHA / tested.len().max(1) as f64;
        let half_count = comparison.half_count * percent;
        let is_sure = |growth: &&Growth| {
            chance_above(growth.percent - limit - half_count, growth.error) <= alpha
        };
        let mut grown: Vec<Growth> = tested.iter().filter(is_sure).copied().collect();
        let is_caller = |growth: &Growth| !matches!(growth.what, Tested::Own(_));
        grown.sort_by(|a, b| is_caller(a).cmp(&is_caller(b)).then(b.percent.total_cmp(&a.percent)));
        let mut named = BTreeSet::new();
        grown.retain(|growth| named.insert(growth.what.function()));
        // A function that is not there yet grows, too.
        let new = ("new functions".to_owned(), comparison.error_of_new(limit));
        let of_tested = tested.iter().max_by(|a, b| a.error.total_cmp(&b.error));
        let of_tested = of_tested.map(|growth| (name_of(growth.what, runs), growth.error));
        let noisiest = of_tested.filter(|(_, error)| *error > new.1).unwrap_or(new);
        Gate { limit, grown, noisiest, errors: -Normal::standard().inverse_cdf(alpha) }
    }

    /// The messages for the user.
    pub(crate) fn messages(&self, comparison: &Comparison, runs: &Runs) -> Vec<String> {
        let limit = self.limit;
        let grew = |growth: &Growth| {
            let (name, percent, error) =
                (name_of(growth.what, runs), growth.percent, 2.0 * growth.error);
            format!(
                "{name}: grew by {percent:.2}% \u{b1}{error:.2} of the whole before, more than {limit}%"
            )
        };
        let mut messages: Vec<String> = self.grown.iter().take(NAMED).map(grew).collect();
        if self.grown.len() > NAMED {
            let more = self.grown.len() - NAMED;
            let functions = if more == 1 { "function" } else { "functions" };
            messages.push(format!("{more} more {functions} grew by more than {limit}%"));
        }
        if self.grown.is_empty() {
            messages.extend(self.blindness(comparison));
        }
        messages
    }

    /// What the gate cannot see, if noise may be as large as the limit.
    fn blindness(&self, comparison: &Comparison) -> Option<String> {
        let (name, error) = &self.noisiest;
        let hidden = self.errors * error;
        if self.limit == 0.0 || hidden <= self.limit {
            return None;
        }
        let [before, after] = comparison.samples;
        let found = 2.0 / (1.0 / before + 1.0 / after);
        // With n times the runs, the error is smaller by the square root of n.
        let needed = found * (hidden / self.limit) * (hidden / self.limit);
        let limit = self.limit;
        let [needed, found] = [round_up(needed), found].map(|number| grouped(number as u64));
        Some(format!(
            "{name}: noise may hide a growth of {hidden:.1}% of the whole; to see {limit}% takes \
             about {needed} samples before and after each, in several runs, and there are {found}"
        ))
    }
}

fn name_of(what: Tested, runs: &Runs) -> String {
    match what.function() {
        Some(frame) => printable_name(runs.functions.name(frame)),
        None => "total".to_owned(),
    }
}

/// The next number of two digits and zeros.
fn round_up(number: f64) -> f64 {
    let step = 10f64.powi(number.log10().floor() as i32 - 1);
    (number / step).ceil() * step
}
