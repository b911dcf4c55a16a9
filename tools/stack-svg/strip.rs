//! The strip of time: which lane, such as a thread, ran when, and which stacks then.

pub(crate) mod clock;
pub(crate) mod drawn;
mod entries;
pub(crate) mod samples;

use std::cmp::Reverse;

use common::numbers::{decimal, grouped, seconds};
use common::pipe::Split;
use common::stacks::{FrameId, FrameTable};

use crate::base32::push_number;
use crate::escape::embedded;
use crate::profile::Profile;

use clock::{Clock, Key};
use entries::Entry;
use samples::{Sample, Source};

/// How many lanes the file has; one more is the sum of all others.
const MOST_LANES: usize = 1000;

/// Steps are reduced to `FEWEST_STEPS` first, then lanes to `FEWEST_LANES`, then steps again.
const FEWEST_STEPS: u64 = 60;
const FEWEST_LANES: usize = 8;

/// The largest size of a picture with a strip, in bytes: the strip has as many steps as fit.
const MOST_BYTES: usize = 19_500_000;

/// How large the strip may be in a picture that is large without it.
const LEAST_ROOM: usize = 2_000_000;

/// About how many bytes a frame takes.
const BYTES_OF_FRAME: usize = 7;

/// What ran when.
pub(crate) struct Strip {
    /// What each lane is a value of.
    by: Split,
    /// The nanoseconds of a step, and how many steps there are.
    width: u64,
    steps: u64,
    /// The heaviest first.
    pub(crate) lanes: Vec<Lane>,
    /// How many lanes the last one sums up; 0 if it is a lane of its own.
    others: usize,
    /// Whether there are fewer steps than usual, so that the picture is not too large.
    is_coarse: bool,
    /// Whether some lines have no time, so that no lane has them.
    has_untimed: bool,
    /// The weights by stack, lane and step, for the script; see [`entries::text`].
    pub(crate) entries: String,
    /// For a flame chart, what ran in each lane; the sum of other lanes has none.
    pub(crate) chart: Option<Chart>,
}

/// What ran when, exactly.
pub(crate) struct Chart {
    pub(crate) lanes: Vec<Vec<Sample>>,
    /// For each frame of the profile, its parent.
    pub(crate) parents: Vec<u32>,
    /// The time within which samples were merged, if they were too many.
    merged_within: Option<u64>,
    pub(crate) text: String,
}

pub(crate) struct Lane {
    pub(crate) name: String,
    /// The value, with a letter before it that says what it is, see [`Clock::add`].
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
        let mut keys = Keys::new(&clock, MOST_LANES);
        let nodes = entries::nodes_of(&clock.stacks, profile, frames);
        let mut chart = clock.lines.is_some().then(|| Chart::new(&clock, &nodes, &keys, profile));
        let room = room_for_steps(profile, frames, chart.as_ref());
        let (lanes, text) = loop {
            let found = entries::of(&clock, &nodes, &keys.lanes);
            let (lanes, text) = (lanes(&clock, &keys, &found), entries::text(&found));
            let bytes = text.len() + lanes.iter().map(Lane::bytes).sum::<usize>();
            if bytes <= room || !has_less(&mut clock, &mut keys) {
                break (lanes, text);
            }
        };
        chart.iter_mut().for_each(|chart| chart.keep(keys.named()));
        Some(Strip {
            width: clock.cells.width(),
            steps: clock.cells.columns(),
            lanes,
            others: keys.others,
            is_coarse: clock.cells.is_coarser(),
            has_untimed: clock.untimed.lines > 0,
            entries: text,
            chart,
            by: clock.by,
        })
    }

    /// The notes on what is left out so that the picture is not too large.
    pub(crate) fn notes(&self) -> Vec<String> {
        let why = "so that the picture is not too large";
        let step = seconds(self.width);
        let steps = self.is_coarse.then(|| format!("a step of time is {step} s, {why}"));
        let (others, verb) =
            (grouped(self.others as u64), if self.others == 1 { "is" } else { "are" });
        let lanes = format!("{others} of the lanes {verb} only known together, {why}");
        let lanes = (self.others > 0).then_some(lanes);
        let merged = self.chart.as_ref().and_then(|chart| chart.merged_within).map(|within| {
            let within = seconds(within);
            format!("what ran within {within} s is drawn as the frames its stacks share, {why}")
        });
        [steps, lanes, merged].into_iter().flatten().collect()
    }

    /// How many values the lane of this number has.
    pub(crate) fn lanes_of(&self, number: usize) -> usize {
        if self.others > 0 && number + 1 == self.lanes.len() { self.others } else { 1 }
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
}

impl Lane {
    /// About how many bytes the lane takes in the file.
    fn bytes(&self) -> usize {
        let of_number = |number: u64| 1 + number.checked_ilog2().unwrap_or(0) as usize / 5;
        let step = |&(_, weight): &(u64, u64)| 1 + of_number(weight);
        self.value.len() + self.name.len() + self.steps.iter().map(step).sum::<usize>()
    }
}

/// How many bytes of the picture are left for the weights of lanes and steps.
fn room_for_steps(profile: &Profile, frames: &FrameTable, chart: Option<&Chart>) -> usize {
    let names: usize = (0..frames.len()).map(|id| frames.name(id as FrameId).len() + 1).sum();
    let others = names + BYTES_OF_FRAME * profile.nodes.len() + chart.map_or(0, |it| it.text.len());
    MOST_BYTES.saturating_sub(others).max(LEAST_ROOM)
}

impl Chart {
    /// `nodes` are the frames of stacks, and `keys` the lanes of values.
    fn new(clock: &Clock, nodes: &[u32], keys: &Keys, profile: &Profile) -> Chart {
        let parents = profile.parents();
        let source = Source { clock, nodes, lanes: &keys.lanes, parents: &parents };
        let (lanes, merged_within) = source.samples(keys.named());
        let text = samples::text(&lanes);
        Chart { lanes, parents, merged_within, text }
    }

    /// Leaves out all but the first lanes.
    fn keep(&mut self, lanes: usize) {
        if lanes < self.lanes.len() {
            self.lanes.truncate(lanes);
            self.text = samples::text(&self.lanes);
        }
    }
}

/// Which lane each value has.
struct Keys {
    /// The lane of each value, the heaviest first; the lightest values share the last lane.
    lanes: Vec<u32>,
    /// How many values share it.
    others: usize,
}

impl Keys {
    /// Gives at most `most` values a lane of their own.
    fn new(clock: &Clock, most: usize) -> Keys {
        let totals = totals(clock);
        let mut order: Vec<usize> = (0..totals.len()).collect();
        order.sort_by_cached_key(|&value| {
            (Reverse(totals[value]), without_number(clock.values.name(value as u32)))
        });
        let mut lanes = vec![0; totals.len()];
        for (lane, &value) in order.iter().enumerate() {
            lanes[value] = lane.min(most) as u32;
        }
        Keys { others: lanes.len().saturating_sub(most), lanes }
    }

    /// How many values have a lane of their own.
    fn named(&self) -> usize {
        self.lanes.len() - self.others
    }
}

/// A text and the number at its end, so that `worker-9` comes before `worker-10`.
fn without_number(text: &[u8]) -> (&[u8], Option<u64>) {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (start, number) = text.split_at(text.len() - digits);
    (start, decimal(number))
}

/// What each value weighs.
fn totals(clock: &Clock) -> Vec<u64> {
    let mut totals = vec![0; clock.values.len()];
    for (Key { value, .. }, _, weight) in clock.cells.iter() {
        totals[value as usize] += weight;
    }
    totals
}

/// Reduces steps or lanes that the file has no room for; returns whether that was possible.
fn has_less(clock: &mut Clock, keys: &mut Keys) -> bool {
    let lanes = keys.named();
    if clock.cells.columns() <= FEWEST_STEPS && lanes > FEWEST_LANES {
        *keys = Keys::new(clock, lanes / 2);
        return true;
    }
    clock.cells.columns() > 1 && clock.cells.coarsen()
}

fn lanes(clock: &Clock, keys: &Keys, entries: &[Entry]) -> Vec<Lane> {
    let count = keys.named() + usize::from(keys.others > 0);
    let mut sums = vec![vec![0; clock.cells.columns() as usize]; count];
    for entry in entries {
        sums[entry.lane as usize][entry.step as usize] += entry.weight;
    }
    let mut values = vec![None; count];
    for (value, &lane) in keys.lanes.iter().enumerate() {
        values[lane as usize] = Some(value as u32).filter(|_| (lane as usize) < keys.named());
    }
    let lane = |(sums, value): (Vec<u64>, Option<u32>)| Lane {
        name: value.map_or_else(|| others_name(keys.others), |value| clock.name(value)),
        value: value.map_or_else(|| b"+".to_vec(), |value| clock.values.name(value).to_vec()),
        weight: sums.iter().sum(),
        steps: (0..).zip(sums).filter(|&(_, weight)| weight > 0).collect(),
    };
    sums.into_iter().zip(values).map(lane).collect()
}

/// The name of the sum of `others` lanes.
fn others_name(others: usize) -> String {
    let word = if others == 1 { "other" } else { "others" };
    format!("{} {word}", grouped(others as u64))
}
