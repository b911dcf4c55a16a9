//! In which order functions that changed are named.

use std::cmp::Ordering;

use super::comparison::{Comparison, Function};

/// By how much the change of what own code calls may be larger than its own and count as equal: other
/// code may call it, too.
const ABOUT_EQUAL: f64 = 1.01;

impl Comparison {
    /// Sorts functions: the largest change first, that of the self weight or of what is charged, then
    /// that of the total, so that functions that changed themselves come before their callers. Of equal
    /// changes own code comes before the code of others that it calls, and then what was read first: a
    /// caller before what it calls. Changes of self weight that noise explains count only with `noise`.
    pub fn sort(&self, functions: &mut [&Function], noise: bool) {
        functions.sort_by(|a, b| self.larger_first(a, b, noise).then(a.frame.cmp(&b.frame)));
        for at in 1..functions.len() {
            if !self.is_charged(functions[at]) {
                continue;
            }
            let most = ABOUT_EQUAL * self.size(functions[at], noise);
            let is_passed =
                |other: &&&Function| !self.is_charged(other) && self.size(other, noise) <= most;
            let passed = functions[..at].iter().rev().take_while(is_passed).count();
            functions[at - passed..=at].rotate_right(1);
        }
    }

    /// Which of two functions changed more, the one that did first.
    fn larger_first(&self, a: &Function, b: &Function, noise: bool) -> Ordering {
        let [of_a, of_b] =
            [a, b].map(|function| (self.size(function, noise), function.total.difference().abs()));
        of_b.0.total_cmp(&of_a.0).then(of_b.1.total_cmp(&of_a.1))
    }

    /// By how much a function changed itself, or what is charged to it.
    fn size(&self, function: &Function, noise: bool) -> f64 {
        let Function { frame, own, .. } = function;
        let own = if noise || own.is_real { own.difference().abs() } else { 0.0 };
        self.charged.get(frame).map_or(own, |charged| own.max(charged.abs()))
    }

    /// Whether it is own code that changed itself, or that calls more or less code of others.
    fn is_charged(&self, function: &Function) -> bool {
        self.charged.contains_key(&function.frame)
    }
}
