//! Code without a line, in functions that also have code with lines.

use super::{Line, Part};

/// Adds such code to its function as the line 0, if that function is in one file.
///
/// `parts` are in the order of their functions, then of their paths. `total_of` says what the stacks
/// with a function weigh: a stack may hold it with a line and without.
pub(super) fn added(parts: Vec<Part>, total_of: impl Fn(&[u8]) -> u64) -> Vec<Part> {
    let mut added: Vec<Part> = Vec::with_capacity(parts.len());
    let mut parts = parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        let is_same = |it: &Part| it.function == part.function;
        let Some(mut next) = parts.next_if(|it| part.path.is_empty() && is_same(it)) else {
            added.push(part);
            continue;
        };
        let is_in_one_file = !parts.peek().is_some_and(is_same);
        let has_no_line = next.lines.first().is_some_and(|line| line.number == 0);
        if is_in_one_file && !has_no_line {
            next.lines.insert(0, Line { number: 0, weights: part.weights });
            next.weights.self_weight += part.weights.self_weight;
            next.weights.total = total_of(&next.function);
        } else {
            added.push(part);
        }
        added.push(next);
    }
    added
}
