//! The profile as functions: what each weighs.

use clap::ValueEnum;
use common::own_code::OwnCode;
use common::stacks::{FrameId, FrameWeights, SortedStacks, with_room};
use common::trust::Trust;
use common::{Result, io::Total, numbers::Unit};

use crate::functions::Functions;

/// The stacks that came in, and what their frames weigh.
pub(crate) struct Profile {
    pub(crate) stacks: SortedStacks,
    /// By the numbers of the frames.
    pub(crate) weights: Vec<FrameWeights>,
    /// Where frames are lines, the functions that these are in.
    pub(crate) functions: Option<Functions>,
    /// What own code is charged with, if that is the order of the rows.
    pub(crate) own: Option<OwnCode>,
    /// What all stacks weigh.
    pub(crate) total: u64,
    pub(crate) unit: Unit,
    /// What the user or a header line calls the unit.
    pub(crate) unit_name: Option<String>,
    /// How far it can be trusted.
    pub(crate) trust: Trust,
    /// Where the stacks are cut to what is below some functions.
    pub(crate) under: Option<Under>,
}

/// What a profile was before it was cut to what is below the functions that match.
pub(crate) struct Under {
    pub(crate) pattern: Vec<u8>,
    /// The weight of all stacks, with those that have no such function.
    pub(crate) all: u64,
}

/// The column that the rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// The weight of the stacks that end in the function
    #[value(name = "self")]
    SelfWeight,
    /// The weight of the stacks that hold the function
    Total,
    /// The weight of the stacks whose deepest function of own code it is, with its lines and what
    /// it calls
    Own,
    Name,
}

/// One function and its weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) frame: FrameId,
    pub(crate) weights: FrameWeights,
}

/// Some of the functions, sorted.
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
    /// How many functions there are.
    pub(crate) functions: usize,
}

impl Profile {
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    pub(crate) fn new(
        stacks: SortedStacks,
        functions: Option<Functions>,
        unit_name: Option<String>,
    ) -> Result<Profile> {
        let weights = stacks.frame_weights()?;
        let total = stacks.iter().map(|stack| stack.weight).sum();
        let unit = Unit::named(unit_name.as_deref().unwrap_or_default());
        let (own, under, trust) = (None, None, Trust::default());
        Ok(Profile { stacks, weights, functions, own, total, unit, unit_name, trust, under })
    }

    pub(crate) fn name(&self, frame: FrameId) -> &[u8] {
        self.stacks.frames().name(frame)
    }

    /// The first rows in this order.
    pub(crate) fn rows(&self, sort: Sort, at_most: usize) -> Rows {
        Rows::of(&self.weights, sort, at_most)
    }
}

impl Rows {
    /// The first rows in this order; functions without a weight have none. Equal
    /// ones are in the order of the other weight, then of the names, which is that of
    /// the numbers of frames.
    pub(crate) fn of(weights: &[FrameWeights], sort: Sort, at_most: usize) -> Rows {
        let all = weights.iter().zip(0..).map(|(&weights, frame)| Row { frame, weights });
        let mut rows: Vec<Row> = with_room(weights.len());
        rows.extend(all.filter(|row| row.weights.total > 0));
        let functions = rows.len();
        match sort {
            Sort::SelfWeight => rows.sort_by_key(|row| (row.weights.by_self(), row.frame)),
            Sort::Total => rows.sort_by_key(|row| (row.weights.by_total(), row.frame)),
            Sort::Own | Sort::Name => {}
        }
        rows.truncate(at_most);
        Rows { rows, functions }
    }

    /// How many rows there are, and what their functions weigh themselves.
    pub(crate) fn shown(&self) -> Total {
        let mut shown = Total::default();
        self.rows.iter().for_each(|row| shown += row.weights.self_weight);
        shown
    }
}
