//! Root frames that name a run, not a function: `old` and `new`, `sleep-31192`.

use std::collections::BTreeSet;

use hashbrown::HashMap;

/// Root frames that count as one function, because each only names the run that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunNames {
    /// The roots of the runs before, and those of the runs after.
    pub sides: [BTreeSet<Vec<u8>>; 2],
}

impl RunNames {
    /// The names of the runs of two sides. `roots` are the [`dominant_root`]s of the runs. They
    /// name the runs if each run has one and no name occurs on the other side: `is_in` says whether
    /// a side, 0 or 1, has a function of that name.
    #[must_use]
    pub fn of(
        roots: [&[Option<Vec<u8>>]; 2],
        is_in: impl Fn(usize, &[u8]) -> bool,
    ) -> Option<RunNames> {
        let side =
            |roots: &[Option<Vec<u8>>]| roots.iter().cloned().collect::<Option<BTreeSet<_>>>();
        let sides = [side(roots[0])?, side(roots[1])?];
        let is_known = |side: usize| sides[side].iter().any(|root| is_in(1 - side, root));
        let has_names = sides.iter().all(|side| !side.is_empty());
        (has_names && !is_known(0) && !is_known(1)).then_some(RunNames { sides })
    }

    /// The name that is shown for all of them: one of those after.
    ///
    /// # Panics
    ///
    /// Never: both sides have a name.
    #[must_use]
    pub fn shown(&self) -> &[u8] {
        self.sides[1].first().expect("a name of each side")
    }

    /// Whether this root is one of them.
    #[must_use]
    pub fn has(&self, root: &[u8]) -> bool {
        self.sides.iter().any(|side| side.contains(root))
    }
}

/// The root that holds at least half of a run that weighs `whole`, if there is one. `roots` are the
/// weights of roots in stacks where they call something: a root with self weight is a function.
#[must_use]
pub fn dominant_root(roots: &HashMap<Vec<u8>, f64>, whole: f64) -> Option<Vec<u8>> {
    let heaviest = roots.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
    heaviest.filter(|(_, weight)| **weight * 2.0 >= whole).map(|(root, _)| root.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(name: &str) -> Option<Vec<u8>> {
        Some(name.as_bytes().to_vec())
    }

    #[test]
    fn roots_of_one_side_name_its_runs() {
        let nowhere = |_: usize, _: &[u8]| false;
        let (old, new) = ([root("sleep-1"), root("sleep-2")], [root("sleep-3")]);
        let names = RunNames::of([&old, &new], nowhere).expect("names");
        assert_eq!(names.shown(), b"sleep-3");
        assert!(names.has(b"sleep-2") && !names.has(b"main"));
        // A function of the other side does not name a run.
        assert_eq!(RunNames::of([&old, &new], |side, name| side == 0 && name == b"sleep-3"), None);
        assert_eq!(RunNames::of([&old, &[None]], nowhere), None);
        assert_eq!(RunNames::of([&[], &new], nowhere), None);
    }

    #[test]
    fn a_dominant_root_holds_half() {
        let roots = |weights: &[(&str, f64)]| {
            weights.iter().map(|(name, weight)| (name.as_bytes().to_vec(), *weight)).collect()
        };
        let found = |weights| dominant_root(&roots(weights), 10.0);
        assert_eq!(found(&[("a", 5.0), ("b", 4.0)]), root("a"));
        assert_eq!(found(&[("a", 4.9), ("b", 4.0)]), None);
        assert_eq!(found(&[]), None);
    }
}
