//! The weights of samples: `--weight`.

use std::ffi::OsStr;

use clap::ValueEnum;
use clap::error::ErrorKind;
use common::stacks::{NodeId, StackTree};

use super::sample::OpenSample;

/// The weight of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weight {
    /// Samples where all have the same period, else periods; values where a format has them
    Auto,
    /// One each
    Samples,
    /// What it stands for in the event's unit: cycles, nanoseconds, bytes
    Period,
    /// Its period divided by how many recorded threads ran: what makes the program end later
    Latency,
}

impl Weight {
    /// Refuses `words` and `bytes`, which are measures now, but were weights before.
    pub(super) fn refuse_measure(value: &OsStr) -> Option<clap::error::Result<Weight>> {
        let what = format!("--weight {0}: use '--event {0}'\n", value.display());
        let is_measure = value == "words" || value == "bytes";
        is_measure.then(|| Err(clap::Error::raw(ErrorKind::InvalidValue, what)))
    }
}

/// What the number beside a sample means; this differs by format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weighs {
    /// A sampling period: how much of the event passed since the last sample.
    Period,
    /// What was measured: bytes of an allocation.
    Value,
    /// A measured value of every single thing, without sampling: the size of a file, the time of a
    /// span.
    Exact,
    /// The sum of an unknown number of samples, as in a line of folded stacks or a node of a call
    /// tree. Its samples cannot be counted.
    Sum,
}

impl Weighs {
    /// How many samples were drawn for `count` equal samples; `None` if that is unknown.
    #[inline]
    pub(crate) fn drawn(self, count: u64) -> Option<u64> {
        matches!(self, Weighs::Period | Weighs::Value).then_some(count)
    }
}

/// How the samples of an input are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Each counts one.
    Count,
    /// Each counts its weight.
    Sum,
    /// Samples are counted until a period differs; then the counts are scaled to periods, and
    /// periods are summed.
    CountWhileEqual,
}

impl Rule {
    /// `auto` is the rule for sampling periods if the user asked for no weight.
    pub(crate) fn new(asked: Weight, weighs: Weighs, auto: Rule) -> Rule {
        match (asked, weighs) {
            (_, Weighs::Sum)
            | (Weight::Period | Weight::Latency, _)
            | (Weight::Auto, Weighs::Value | Weighs::Exact) => Rule::Sum,
            (Weight::Samples, _) => Rule::Count,
            (Weight::Auto, Weighs::Period) => auto,
        }
    }
}

/// Weighs the samples of one event, whose stacks are below one node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weigher {
    /// The period of all samples that were counted so far.
    same: Option<u64>,
    sums: bool,
}

impl Weigher {
    /// The weight that `sample` adds to the tree, in which `node` is the event's; `None` if it does
    /// not fit into 64 bits.
    #[inline]
    pub(crate) fn weigh(
        &mut self,
        rule: Rule,
        sample: &OpenSample,
        node: NodeId,
        tree: &mut StackTree,
    ) -> Option<u64> {
        let is_counted = match rule {
            Rule::Count => true,
            Rule::Sum => false,
            Rule::CountWhileEqual => {
                !self.sums && *self.same.get_or_insert(sample.weight) == sample.weight
            }
        };
        if is_counted {
            return Some(sample.count);
        }
        self.sum(node, tree);
        sample.count.checked_mul(sample.weight)
    }

    /// Whether weights are sums, not counts.
    pub(crate) fn sums(&self) -> bool {
        self.sums
    }

    /// Whether weights are sums because periods differed.
    pub(crate) fn varied(&self) -> bool {
        self.sums && self.same.is_some()
    }

    /// Makes two trees of one event, each weighed on its own, use the same rule.
    pub(crate) fn agree(
        &mut self,
        (node, tree): (NodeId, &mut StackTree),
        other: &mut Weigher,
        (other_node, other_tree): (NodeId, &mut StackTree),
    ) {
        let same = self.same.is_none() || other.same.is_none() || self.same == other.same;
        if !same || self.sums || other.sums {
            self.sum(node, tree);
            other.sum(other_node, other_tree);
        }
        self.same = self.same.or(other.same);
    }

    fn sum(&mut self, node: NodeId, tree: &mut StackTree) {
        if !std::mem::replace(&mut self.sums, true) {
            tree.scale_below(node, self.same.unwrap_or(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: NodeId = 1;
    const LEAF: NodeId = 2;

    fn sample(count: u64, weight: u64) -> OpenSample {
        OpenSample { base: EVENT, event: 0, count, weight }
    }

    fn weighed(periods: &[u64]) -> (Weigher, StackTree) {
        let (mut weigher, mut tree) = (Weigher::default(), StackTree::default());
        let event = tree.child(StackTree::ROOT, 0);
        assert_eq!((event, tree.child(event, 1)), (EVENT, LEAF));
        for &period in periods {
            let sample = sample(1, period);
            let weight = weigher.weigh(Rule::CountWhileEqual, &sample, EVENT, &mut tree);
            tree.add(LEAF, weight.expect("small"));
        }
        (weigher, tree)
    }

    #[test]
    fn equal_periods_are_counted_others_summed() {
        for (periods, sum) in [(&[7, 7, 7][..], 3), (&[7, 7, 9], 23), (&[1, 1], 2), (&[], 0)] {
            assert_eq!(weighed(periods).1.self_weight(LEAF), sum, "{periods:?}");
        }
    }

    #[test]
    fn several_samples_weigh_as_much_as_one_by_one() {
        let tree = &mut weighed(&[]).1;
        for (rule, sum) in [(Rule::Count, 3), (Rule::Sum, 21), (Rule::CountWhileEqual, 3)] {
            let weight = Weigher::default().weigh(rule, &sample(3, 7), EVENT, tree);
            assert_eq!(weight.expect("small"), sum);
        }
        let huge = Weigher::default().weigh(Rule::Sum, &sample(u64::MAX, 2), EVENT, tree);
        assert_eq!(huge, None);
    }

    #[test]
    fn only_sampling_periods_are_counted_unless_asked() {
        let auto = Rule::CountWhileEqual;
        for (asked, weighs, rule) in [
            (Weight::Auto, Weighs::Period, auto),
            (Weight::Auto, Weighs::Value, Rule::Sum),
            (Weight::Samples, Weighs::Value, Rule::Count),
            (Weight::Samples, Weighs::Sum, Rule::Sum),
            (Weight::Period, Weighs::Period, Rule::Sum),
            (Weight::Latency, Weighs::Period, Rule::Sum),
        ] {
            assert_eq!(Rule::new(asked, weighs, auto), rule, "{asked:?} {weighs:?}");
        }
    }

    #[test]
    fn parts_weighed_apart_agree() {
        for (left, right, sum) in [
            (&[7, 7][..], &[7][..], 3),
            (&[7, 7], &[9], 23),
            (&[7, 8], &[9], 24),
            (&[7], &[8, 9], 24),
            (&[7], &[], 1),
            (&[], &[7, 8], 15),
        ] {
            let ((mut left_weigher, mut tree), (mut right_weigher, mut right_tree)) =
                (weighed(left), weighed(right));
            left_weigher.agree((EVENT, &mut tree), &mut right_weigher, (EVENT, &mut right_tree));
            let total = tree.self_weight(LEAF) + right_tree.self_weight(LEAF);
            assert_eq!(total, sum, "{left:?} {right:?}");
        }
    }
}
