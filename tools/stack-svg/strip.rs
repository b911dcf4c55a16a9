//! The strip of time: which lane, such as a thread, ran when, and which stacks then.

pub(crate) mod clock;
pub(crate) mod drawn;
mod entries;
pub(crate) mod samples;

use std::cmp::Reverse;

use common::{FrameTable, Split, seconds};

use crate::embed::push_number;
use crate::escape::embedded;
use crate::profile::Profile;

use clock::{Clock, Key};
use entries::Entry;
use samples::{Sample, Source};

/// How many lanes the file has; one more is the sum of all others.
const MOST_LANES: usize = 1000;

/// How long the text of the entries may be, in bytes: with more there are fewer steps.
const MOST_TEXT: usize = 14 << 20;

/// What ran when.
pub(crate) struct Strip {
    /// What lanes are values of.
    by: Split,
    /// The nanoseconds of a step, and how many steps there are.
    width: u64,
    steps: u64,
    /// The heaviest first.
    lanes: Vec<Lane>,
    /// How many lanes the last one is the sum of, if it is one.
    others: usize,
    /// Whether there are fewer steps than else, so that the picture is not too large.
    is_coarse: bool,
    /// Whether some lines have no time, so that no lane has them.
    has_untimed: bool,
    /// The weights by stack, lane and step, for the script.
    entries: String,
    /// Of a flame chart, what ran in each lane; the sum of others has none.
    chart: Option<Chart>,
}

/// What ran when, exactly.
pub(crate) struct Chart {
    pub(crate) lanes: Vec<Vec<Sample>>,
    /// For each frame of the profile, its parent.
    pub(crate) parents: Vec<u32>,
    /// The time within which samples were merged, if they were too many.
    merged_within: Option<u64>,
    text: String,
}

pub(crate) struct Lane {
    pub(crate) name: String,
    /// The value with a first letter that says what it is, see [`Clock::add`].
    value: Vec<u8>,
    pub(crate) weight: u64,
    /// The steps in which it weighs something, in their order.
    steps: Vec<(u64, u64)>,
}

impl Strip {
    /// The strip of what was read into a profile; `None` if no line has a time.
    pub(crate) fn new(mut clock: Clock, profile: &Profile, frames: &FrameTable) -> Option<Strip> {
        if clock.cells.total() == 0 {
            return None;
        }
        clock.cells.settle(false);
        let mut is_coarse = clock.cells.is_coarser();
        let (keys, others) = lanes_of(&clock);
        let nodes = entries::nodes_of(&clock.stacks, profile, frames);
        let chart = clock.lines.is_some().then(|| Chart::new(&clock, &nodes, &keys, profile));
        let mut found = entries::of(&clock, &nodes, &keys);
        let mut text = entries::text(&found);
        while text.len() > MOST_TEXT && clock.cells.coarsen() {
            is_coarse = true;
            found = entries::of(&clock, &nodes, &keys);
            text = entries::text(&found);
        }
        Some(Strip {
            width: clock.cells.width(),
            steps: clock.cells.columns(),
            lanes: lanes(&clock, &keys, others, &found),
            others,
            is_coarse,
            has_untimed: clock.untimed.lines > 0,
            entries: text,
            chart,
            by: clock.by,
        })
    }

    /// What to say where something is left out so that the picture is not too large.
    pub(crate) fn notes(&self) -> Vec<String> {
        let why = "so that the picture is not too large";
        let step = seconds(self.width);
        let steps = self.is_coarse.then(|| format!("a step of time is {step} s, {why}"));
        let merged = self.chart.as_ref().and_then(|chart| chart.merged_within).map(|within| {
            let within = seconds(within);
            format!("what ran within {within} s is drawn as far as its stacks are equal, {why}")
        });
        [steps, merged].into_iter().flatten().collect()
    }

    /// The samples, if it is that of a flame chart.
    pub(crate) fn chart(&self) -> Option<&Chart> {
        self.chart.as_ref()
    }

    /// The heaviest first; the last may be the sum of several.
    pub(crate) fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// How many values the lane of this number has.
    pub(crate) fn lanes_of(&self, number: usize) -> usize {
        if number < MOST_LANES { 1 } else { self.others }
    }

    /// How many nanoseconds it has.
    pub(crate) fn length(&self) -> u64 {
        self.width.saturating_mul(self.steps)
    }

    /// The facts for the script, as attributes of an element.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("id", "strip".to_owned()),
            ("data-key", self.by.word()),
            ("data-width", self.width.to_string()),
            ("data-steps", self.steps.to_string()),
            ("data-others", self.others.to_string()),
            ("data-untimed", if self.has_untimed { "true" } else { "" }.to_owned()),
        ]
    }

    /// A line for each lane: its value, its name, its weight, and its steps: how many are
    /// between one that weighs something and the next, and what it weighs.
    pub(crate) fn lanes_text(&self) -> String {
        let line = |lane: &Lane| {
            let mut numbers = String::new();
            push_number(lane.weight, &mut numbers);
            let mut next = 0;
            for &(step, weight) in &lane.steps {
                push_number(step - next, &mut numbers);
                push_number(weight, &mut numbers);
                next = step + 1;
            }
            format!("{}\t{}\t{numbers}", embedded(&lane.value), lane.name)
        };
        self.lanes.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The weights by stack, lane and step; see [`entries::text`].
    pub(crate) fn entries_text(&self) -> &str {
        &self.entries
    }
}

impl Chart {
    /// `nodes` are the frames of stacks, and `keys` the lanes of values.
    fn new(clock: &Clock, nodes: &[u32], keys: &[u32], profile: &Profile) -> Chart {
        let parents = profile.parents();
        let source = Source { clock, nodes, lanes: keys, parents: &parents };
        let (lanes, merged_within) = source.samples(keys.len().min(MOST_LANES));
        let text = samples::text(&lanes);
        Chart { lanes, parents, merged_within, text }
    }

    /// The samples for the script; see [`samples::text`].
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// The lane of each key, the heaviest first; the lightest share the last one. And how many
/// share it.
fn lanes_of(clock: &Clock) -> (Vec<u32>, usize) {
    let mut totals = vec![0; clock.values.len()];
    for (Key { value, .. }, _, weight) in clock.cells.iter() {
        totals[value as usize] += weight;
    }
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by_key(|&value| (Reverse(totals[value]), clock.values.name(value as u32)));
    let mut lanes = vec![0; totals.len()];
    for (lane, &value) in order.iter().enumerate() {
        lanes[value] = lane.min(MOST_LANES) as u32;
    }
    (lanes, totals.len().saturating_sub(MOST_LANES))
}

fn lanes(clock: &Clock, lane_of: &[u32], others: usize, entries: &[Entry]) -> Vec<Lane> {
    let count = lane_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut sums = vec![vec![0; clock.cells.columns() as usize]; count];
    for entry in entries {
        sums[entry.lane as usize][entry.step as usize] += entry.weight;
    }
    let mut values = vec![None; count];
    for (value, &lane) in lane_of.iter().enumerate() {
        values[lane as usize] = Some(value as u32).filter(|_| (lane as usize) < MOST_LANES);
    }
    let lane = |(sums, value): (Vec<u64>, Option<u32>)| Lane {
        name: value.map_or_else(|| others_name(others), |value| clock.name(value)),
        value: value.map_or_else(|| b"+".to_vec(), |value| clock.values.name(value).to_vec()),
        weight: sums.iter().sum(),
        steps: (0..).zip(sums).filter(|&(_, weight)| weight > 0).collect(),
    };
    sums.into_iter().zip(values).map(lane).collect()
}

/// What the sum of so many lanes is called.
fn others_name(others: usize) -> String {
    let word = if others == 1 { "other" } else { "others" };
    format!("{} {word}", common::grouped(others as u64))
}
