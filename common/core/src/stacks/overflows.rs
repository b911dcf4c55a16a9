//! Weights that were left out because a sum would not have fitted into 64 bits.

use crate::io::Total;

/// How many stacks messages name.
const NAMED: usize = 3;

/// The weights that were left out because a sum would not have fitted into
/// 64 bits, and the stacks that they belong to.
#[derive(Clone, Debug, Default)]
pub struct Overflows {
    named: Vec<(Vec<u8>, Total)>,
    others: Total,
}

impl Overflows {
    /// Adds `weight` to `sum`, or leaves it out if the sum would not fit, and
    /// returns whether it was added. `stack` is folded text.
    pub fn add(&mut self, sum: &mut u64, stack: &[u8], weight: u64) -> bool {
        let added = sum.checked_add(weight);
        match added {
            Some(added) => *sum = added,
            None => self.leave_out(stack, weight.into()),
        }
        added.is_some()
    }

    /// Adds what was left out of the sum of `stack`, which is folded text.
    #[cold]
    pub fn leave_out(&mut self, stack: &[u8], total: Total) {
        if let Some((_, sum)) = self.named.iter_mut().find(|(named, _)| named == stack) {
            *sum += total;
        } else if self.named.len() < NAMED {
            self.named.push((stack.to_vec(), total));
        } else {
            self.others += total;
        }
    }

    /// The first stacks of which weight was left out, and how much.
    pub fn named(&self) -> impl Iterator<Item = (&[u8], Total)> {
        self.named.iter().map(|(stack, total)| (&stack[..], *total))
    }

    /// What was left out of other stacks.
    #[must_use]
    pub fn others(&self) -> Total {
        self.others
    }

    /// Puts the text that `name` returns for a stack in place of each stack that is named.
    #[must_use]
    pub fn renamed(mut self, name: impl Fn(&[u8]) -> Vec<u8>) -> Overflows {
        self.named.iter_mut().for_each(|(stack, _)| *stack = name(stack));
        self
    }

    /// Adds all that was left out of other sums.
    pub fn absorb(&mut self, other: &Overflows) {
        for (stack, total) in other.named() {
            self.leave_out(stack, total);
        }
        self.others += other.others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_kept_by_stack() {
        let (mut overflows, mut sum) = (Overflows::default(), u64::MAX - 5);
        for (stack, weight, fits) in
            [("a", 6, false), ("b", 3, true), ("b", 3, false), ("a", 7, false), ("c", 2, true)]
        {
            assert_eq!(overflows.add(&mut sum, stack.as_bytes(), weight), fits, "{stack} {weight}");
        }
        assert_eq!(sum, u64::MAX);
        let expected = [("a", 2, 13), ("b", 1, 3)]
            .map(|(stack, lines, weight)| (stack.as_bytes(), Total { lines, weight }));
        assert!(overflows.named().eq(expected), "{overflows:?}");
        for stack in ["c", "d", "e", "a"] {
            overflows.add(&mut sum, stack.as_bytes(), 1);
        }
        assert_eq!(overflows.named().map(|(_, total)| total.lines).collect::<Vec<_>>(), [3, 1, 1]);
        assert_eq!(overflows.others(), Total { lines: 2, weight: 2 });
    }
}
