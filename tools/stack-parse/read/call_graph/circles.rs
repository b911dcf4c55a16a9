//! Functions that call each other in a circle.

/// The circles of a graph of calls, callers first. A function that is in no other circle is one.
pub(super) struct Circles {
    /// The number of each function's circle.
    pub(super) of: Vec<usize>,
    /// The functions of each circle.
    pub(super) members: Vec<Vec<usize>>,
}

/// The circle of a function is not known yet.
const UNKNOWN: usize = usize::MAX;

impl Circles {
    /// `callers` has the callers of each function. This is Kosaraju's algorithm: one walk along the
    /// calls lists functions in the order in which it leaves them; then, from the end of this list,
    /// walks against the calls stay inside one circle each.
    pub(super) fn new(callers: &[Vec<usize>]) -> Circles {
        let mut of = vec![UNKNOWN; callers.len()];
        let mut members = Vec::new();
        for &start in left(callers).iter().rev() {
            if of[start] != UNKNOWN {
                continue;
            }
            let circle = members.len();
            of[start] = circle;
            let mut inside = vec![start];
            let mut next = 0;
            while let Some(&function) = inside.get(next) {
                next += 1;
                for &caller in &callers[function] {
                    if of[caller] == UNKNOWN {
                        of[caller] = circle;
                        inside.push(caller);
                    }
                }
            }
            inside.sort_unstable();
            members.push(inside);
        }
        Circles { of, members }
    }
}

/// The functions in the order in which a walk along the calls leaves them: callees first.
fn left(callers: &[Vec<usize>]) -> Vec<usize> {
    let callees = reversed(callers);
    let mut left = Vec::with_capacity(callers.len());
    let mut seen = vec![false; callers.len()];
    for start in 0..callers.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        // Functions on the path, and how many of their callees were visited.
        let mut way = vec![(start, 0)];
        while let Some((function, visited)) = way.last_mut() {
            match callees[*function].get(*visited) {
                Some(&callee) => {
                    *visited += 1;
                    if !std::mem::replace(&mut seen[callee], true) {
                        way.push((callee, 0));
                    }
                }
                None => {
                    left.push(*function);
                    way.pop();
                }
            }
        }
    }
    left
}

/// The callees of each function.
fn reversed(callers: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut callees = vec![Vec::new(); callers.len()];
    for (function, callers) in callers.iter().enumerate() {
        callers.iter().for_each(|&caller| callees[caller].push(function));
    }
    callees
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_call_each_other_are_one_circle() {
        // main 0 calls a 1, a and b 2 call each other, b calls itself and c 3.
        let callers = [vec![], vec![0, 2], vec![1, 2], vec![2]];
        let circles = Circles::new(&callers);
        assert_eq!(circles.members, [vec![0], vec![1, 2], vec![3]]);
        assert_eq!(circles.of, [0, 1, 1, 2]);
    }

    #[test]
    fn a_long_chain_of_calls_is_no_deep_recursion_of_ours() {
        let callers: Vec<Vec<usize>> =
            (0..200_000).map(|it: usize| it.checked_sub(1).into_iter().collect()).collect();
        assert_eq!(Circles::new(&callers).members.len(), 200_000);
    }
}
