//! In which order functions that changed are named.

use std::cmp::Ordering;

use super::comparison::Function;
use super::runs::Runs;

/// By how much the change of what own code calls may be larger than its own and count as equal: other
/// code may call it, too.
const ABOUT_EQUAL: f64 = 1.01;

/// Sorts functions: the largest change first, that of the self weight or of what is charged, then that
/// of the total, so that functions that changed themselves come before their callers. Of equal changes
/// own code comes before the code of others that it calls, and then a caller before what it calls.
/// Changes of self weight that noise explains count only with `noise`.
pub fn largest_first(functions: &mut [&Function], runs: &Runs, noise: bool) {
    functions.sort_by(|a, b| {
        let [name, other] = [a, b].map(|function| runs.functions.name(function.frame));
        larger_first(a, b, noise)
            .then_with(|| runs.depth(a.frame).cmp(&runs.depth(b.frame)))
            .then_with(|| name.cmp(other))
    });
    for at in 1..functions.len() {
        let least = functions[at].size(noise);
        let is_passed = |other: &&Function| {
            !other.is_charged() && least > 0.0 && other.size(noise) <= ABOUT_EQUAL * least
        };
        if functions[at].is_charged() {
            let passed = functions[..at].iter().rev().take_while(|it| is_passed(it)).count();
            functions[at - passed..=at].rotate_right(1);
        }
    }
}

/// Which of two functions changed more, the one that did first.
fn larger_first(a: &Function, b: &Function, noise: bool) -> Ordering {
    let total = |function: &Function| function.total.difference().abs();
    b.size(noise)
        .total_cmp(&a.size(noise))
        .then(b.is_charged().cmp(&a.is_charged()))
        .then(total(b).total_cmp(&total(a)))
}
