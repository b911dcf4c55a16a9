//! One event or measure, and the sums of its samples.

use common::{names::unit_of_event, stacks::NodeId};

use crate::remedies;
use crate::samples::weight::Weigher;

/// Whether a sample counts, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It counts.
    Taken,
    /// Its event is not wanted.
    OtherEvent,
    /// It is outside `--from` and `--to`.
    OtherTime,
    /// It has no time, so nobody knows whether it is within `--from` and `--to`.
    NoTime,
    /// Its object was not chosen by `--live`, `--major` or `--promoted`.
    OtherObject,
}

/// Why samples of wanted events were left out, in the words of a message.
pub(crate) const LEFT_OUT: [(Fate, &str); 3] = [
    (Fate::OtherTime, "are outside --from and --to"),
    (Fate::NoTime, remedies::NO_TIME),
    (Fate::OtherObject, "are of objects that --live, --major or --promoted leaves out"),
];

/// The sum of samples. The products of two 64-bit numbers may add up to more than 128 bits hold;
/// then the total stays at the greatest value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) samples: u128,
    /// In the unit of the event.
    pub(crate) total: u128,
    /// The sum of W²/N over all groups of N drawn samples that weigh W together.
    pub(crate) squares: f64,
    /// How many samples were drawn, as far as that is known.
    pub(crate) known: u128,
    /// How many of them do not say how many samples were drawn for them.
    pub(crate) unknown: u128,
}

impl Sum {
    #[inline]
    pub(super) fn add(&mut self, count: u64, weight: u64, drawn: Option<u64>) {
        self.samples += u128::from(count);
        let all = u128::from(count) * u128::from(weight);
        self.total = self.total.saturating_add(all);
        match drawn {
            Some(drawn) => self.draw(all as f64, drawn),
            None => self.unknown += u128::from(count),
        }
    }

    /// Notes that `drawn` samples were drawn for this part of the total.
    #[inline]
    pub(super) fn draw(&mut self, weight: f64, drawn: u64) {
        self.known += u128::from(drawn);
        if drawn > 0 {
            self.squares += weight * weight / drawn as f64;
        }
    }

    /// The number of samples whose sum would vary as much as this one (the effective sample size);
    /// `None` if it is unknown.
    pub(crate) fn drawn(&self) -> Option<f64> {
        let total = self.total as f64;
        (self.unknown == 0 && self.squares > 0.0).then(|| total * total / self.squares)
    }

    pub(crate) fn absorb(&mut self, other: Sum) {
        self.samples += other.samples;
        self.total = self.total.saturating_add(other.total);
        self.squares += other.squares;
        self.known += other.known;
        self.unknown += other.unknown;
    }
}

/// The peak of memory in use.
#[derive(Clone, Debug)]
pub(crate) struct Peak {
    /// In the unit of the measure.
    pub(crate) most: u64,
    /// When the peak was first reached: seconds, or a number and its unit.
    pub(crate) when: Vec<u8>,
}

/// An event, or a measure.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) name: Vec<u8>,
    pub(crate) unit: Vec<u8>,
    /// Whether this is one of several numbers of the same samples.
    pub(crate) is_measure: bool,
    /// Whether its samples are taken from the input that is being read.
    pub(super) is_wanted: bool,
    /// Whether that input has such samples.
    pub(super) is_in_input: bool,
    /// One for each [`Fate`].
    pub(super) sums: [Sum; 5],
    pub(crate) weigher: Weigher,
    /// The peak of all inputs, if this measures memory in use and a format noted it.
    pub(crate) peak: Option<Peak>,
    /// The node above its stacks in the tree, if it has any.
    pub(crate) node: Option<NodeId>,
}

impl Event {
    pub(super) fn new(name: Vec<u8>, is_wanted: bool) -> Event {
        Event {
            unit: unit_of_event(&name).to_vec(),
            name,
            is_measure: false,
            is_wanted,
            is_in_input: false,
            sums: Default::default(),
            weigher: Weigher::default(),
            peak: None,
            node: None,
        }
    }

    /// Forgets all samples.
    pub(super) fn clear(&mut self) {
        (self.sums, self.weigher, self.node) = Default::default();
    }

    pub(crate) fn sum(&self, fate: Fate) -> Sum {
        self.sums[fate as usize]
    }

    /// The sum of all its samples, whatever their fate.
    pub(crate) fn all(&self) -> Sum {
        let mut all = Sum::default();
        self.sums.iter().for_each(|sum| all.absorb(*sum));
        all
    }

    /// Whether any sample of it counts.
    pub(crate) fn is_taken(&self) -> bool {
        self.sum(Fate::Taken).samples > 0
    }

    /// Whether it was wanted from any input, even if its samples were left out.
    pub(crate) fn was_wanted(&self) -> bool {
        self.sum(Fate::OtherEvent).samples < self.all().samples
    }

    /// Whether it is a measure that the user did not ask for, so that its samples do not count as
    /// left out.
    pub(crate) fn is_other_measure(&self) -> bool {
        self.is_measure && !self.was_wanted()
    }
}
