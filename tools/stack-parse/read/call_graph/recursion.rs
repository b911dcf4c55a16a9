//! Finds the calls that are recursion: those that lead back into a circle of functions.
//!
//! Python's imports make large circles: `exec` runs a module, which imports another, which is run
//! by `exec`. A path that follows every call in a circle would visit all of it. So each function
//! has a depth, the number of calls from where the circle is entered, and only calls that go deeper
//! count.

/// The circle and the depth of each function.
pub(super) struct Circles {
    /// Functions with the same number call each other in a circle.
    circle: Vec<usize>,
    depth: Vec<u32>,
}

/// The circle of a function is not known yet.
const UNKNOWN: usize = usize::MAX;

impl Circles {
    /// `callers` has the callers of each function, and `circle` is the result of [`circles`] for
    /// them. `is_entry` is true for functions that may be called from outside the graph, too.
    pub(super) fn new(
        circle: Vec<usize>,
        callers: &[Vec<usize>],
        is_entry: impl Fn(usize) -> bool,
    ) -> Circles {
        let mut depth = vec![u32::MAX; callers.len()];
        let callees = reversed(callers);
        let is_outside = |function: usize| {
            is_entry(function) || callers[function].iter().any(|&it| circle[it] != circle[function])
        };
        let mut near: Vec<usize> = (0..callers.len()).filter(|&it| is_outside(it)).collect();
        near.iter().for_each(|&function| depth[function] = 0);
        let mut next = 0;
        while let Some(&function) = near.get(next) {
            next += 1;
            for &callee in &callees[function] {
                if circle[callee] == circle[function] && depth[callee] == u32::MAX {
                    depth[callee] = depth[function] + 1;
                    near.push(callee);
                }
            }
        }
        Circles { circle, depth }
    }

    /// Whether a call leads back into its circle.
    pub(super) fn is_recursion(&self, caller: usize, callee: usize) -> bool {
        self.circle[caller] == self.circle[callee] && self.depth[caller] >= self.depth[callee]
    }
}

/// The circle of each function, which is the number of one function in it. This is Kosaraju's
/// algorithm: one walk along the calls lists functions in the order in which it leaves them; then,
/// from the end of this list, walks against the calls stay inside one circle each.
pub(super) fn circles(callers: &[Vec<usize>]) -> Vec<usize> {
    let callees = reversed(callers);
    let mut left = Vec::with_capacity(callers.len());
    let mut seen = vec![false; callers.len()];
    for start in 0..callers.len() {
        // Functions on the path, and how many of their callees were visited.
        let mut way = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
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
    let mut circle = vec![UNKNOWN; callers.len()];
    for &start in left.iter().rev() {
        let mut pending = vec![start];
        while let Some(function) = pending.pop() {
            if circle[function] == UNKNOWN {
                circle[function] = start;
                pending.extend(callers[function].iter().filter(|&&it| circle[it] == UNKNOWN));
            }
        }
    }
    circle
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
    fn only_calls_that_lead_back_are_recursion() {
        // main 0 calls a 1, a and b 2 call each other, b calls itself and c 3.
        let callers = [vec![], vec![0, 2], vec![1, 2], vec![2]];
        let circles = Circles::new(circles(&callers), &callers, |_| false);
        for (caller, callee, expected) in
            [(0, 1, false), (1, 2, false), (2, 1, true), (2, 2, true), (2, 3, false)]
        {
            assert_eq!(circles.is_recursion(caller, callee), expected, "{caller} {callee}");
        }
    }

    #[test]
    fn a_long_chain_of_calls_is_no_deep_recursion_of_ours() {
        let callers: Vec<Vec<usize>> =
            (0..200_000).map(|it: usize| it.checked_sub(1).into_iter().collect()).collect();
        let circles = Circles::new(circles(&callers), &callers, |_| false);
        assert!(!circles.is_recursion(7, 8));
    }
}
