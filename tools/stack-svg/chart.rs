//! The static flame chart: lanes below each other on one axis of seconds. In each lane, stacks hang
//! from the lane's name. Blocks that are too narrow are drawn together at their depth.

use std::ops::Range;

use common::{numbers::grouped, stacks::FrameId};

use crate::document::{Place, Placed};
use crate::look::Look;
use crate::numbers::percent;
use crate::profile::Profile;
use crate::strip::samples::Sample;
use crate::strip::{Chart, Strip};

/// Narrower blocks, in pixels, are drawn together. Those of several frames get no wider than this.
const LEAST_WIDTH: f64 = 4.0;
const WIDEST_OF_SEVERAL: f64 = 48.0;

/// The least width that is visible, in pixels.
const HAIR: f64 = 1.0;

/// How many rows the lanes may have together: a page has no room for more.
const MOST_ROWS: u32 = 95;

/// The part of a lane's weight that may be deeper than its rows: they are the tops of narrow
/// towers.
const DEEPER: f64 = 0.02;

/// A box of the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) what: What,
    pub(crate) weight: u64,
    pub(crate) row: u32,
    /// In nanoseconds.
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The name of a lane.
    Lane(usize),
    Frame(FrameId),
    /// A number of blocks of this frame that are too narrow.
    Narrow(u64, FrameId),
    /// A number of narrow blocks of several frames, and the frame of the longest block.
    Mixed(u64, FrameId),
}

/// The boxes of the lanes that fit.
pub(crate) struct Drawing {
    pub(crate) blocks: Vec<Block>,
    /// The time that the picture covers, in nanoseconds.
    pub(crate) length: u64,
    /// The lanes that do not fit, and what they weigh.
    left_out: usize,
    weight_left_out: u64,
    /// How many frames are too deep.
    deep: u64,
}

impl Placed for Block {
    fn place(&self) -> Place {
        let Block { weight, row, start, end, .. } = *self;
        Place { row, start, end, weight }
    }
}

impl Drawing {
    /// Draws the lanes that fit, the heaviest first. `least` is the share of the width that the
    /// user wants a frame to have at least.
    pub(crate) fn new(
        strip: &Strip,
        chart: &Chart,
        profile: &Profile,
        look: &Look,
        least: f64,
    ) -> Drawing {
        let length = strip.length();
        let widths = Widths::new(look, least, length);
        let mut drawing =
            Drawing { blocks: Vec::new(), length, left_out: 0, weight_left_out: 0, deep: 0 };
        let mut row = 0;
        for (number, lane) in strip.lanes.iter().enumerate() {
            let samples = chart.lanes.get(number).map_or(&[][..], Vec::as_slice);
            let rows = rows_of(samples, profile);
            // The first lane always fits. After one that does not fit, no lane is drawn.
            if samples.is_empty() || row > 0 && row + rows > MOST_ROWS || drawing.left_out > 0 {
                drawing.left_out += strip.lanes_of(number);
                drawing.weight_left_out += lane.weight;
                continue;
            }
            let (what, weight) = (What::Lane(number), lane.weight);
            drawing.blocks.push(Block { what, weight, row, start: 0, end: length });
            let blocks = &mut drawing.blocks;
            let mut lane = Lane::new(chart, profile, widths, row..row + rows, blocks);
            samples.iter().for_each(|sample| lane.add(sample));
            lane.close(0);
            drawing.deep += lane.deep;
            row += rows;
        }
        // Row by row, each from left to right, for people who read the file.
        drawing.blocks.sort_by_key(|block| (block.row, block.start));
        drawing
    }

    /// What is not drawn, in words.
    pub(crate) fn notes(&self, total: u64, hint: &str) -> Vec<String> {
        let (lanes, are) = if self.left_out == 1 { ("lane", "is") } else { ("lanes", "are") };
        let (count, share) = (grouped(self.left_out as u64), percent(self.weight_left_out, total));
        let lanes = format!("{count} more {lanes} ({share} of the weight) {are} not drawn{hint}");
        let deep = format!("{} frames are too deep to draw{hint}", grouped(self.deep));
        let lanes = (self.left_out > 0).then_some(lanes);
        lanes.into_iter().chain((self.deep > 0).then_some(deep)).collect()
    }
}

/// How many rows a lane has with its name, so that few samples are deeper.
fn rows_of(samples: &[Sample], profile: &Profile) -> u32 {
    let mut weights = Vec::new();
    for sample in samples {
        let depth = profile.nodes[sample.node as usize].depth as usize;
        weights.resize(weights.len().max(depth + 1), 0.0);
        weights[depth] += sample.weight as f64;
    }
    let mut left = DEEPER * weights.iter().sum::<f64>();
    let mut is_tower = |weight: &f64| {
        left -= weight;
        left >= 0.0
    };
    let towers = weights.iter().rev().take_while(|weight| is_tower(weight)).count();
    ((weights.len() - towers) as u32).min(MOST_ROWS)
}

/// Widths as nanoseconds.
#[derive(Clone, Copy)]
struct Widths {
    /// Narrower blocks are drawn together.
    least: u64,
    /// Those of several frames are no wider.
    widest: u64,
    hair: u64,
}

impl Widths {
    /// Widths for a picture that covers `length` nanoseconds; `least` is a share of its width.
    fn new(look: &Look, least: f64, length: u64) -> Widths {
        let share = |pixels: f64| pixels / look.frames_width() as f64;
        let time = |share: f64| (share * length as f64) as u64;
        Widths {
            least: time(least.max(share(LEAST_WIDTH))).max(1),
            widest: time(share(WIDEST_OF_SEVERAL)).max(1),
            hair: time(share(HAIR)),
        }
    }
}

/// A lane under construction.
struct Lane<'a> {
    profile: &'a Profile,
    parents: &'a [u32],
    widths: Widths,
    /// The row of its name, and those below.
    rows: Range<u32>,
    /// The frames of the last sample, the root first.
    open: Vec<(u32, Block)>,
    /// For each depth, the last block of narrow ones, and how long the longest of them is.
    narrow: Vec<Option<(usize, u64)>>,
    blocks: &'a mut Vec<Block>,
    deep: u64,
}

impl<'a> Lane<'a> {
    fn new(
        chart: &'a Chart,
        profile: &'a Profile,
        widths: Widths,
        rows: Range<u32>,
        blocks: &'a mut Vec<Block>,
    ) -> Lane<'a> {
        let (open, narrow) = (Vec::new(), Vec::new());
        Lane { profile, parents: &chart.parents, widths, rows, open, narrow, blocks, deep: 0 }
    }

    fn add(&mut self, sample: &Sample) {
        let path = self.path(sample.node);
        let is_next = self.open.first().is_some_and(|(_, block)| block.end == sample.start);
        let same = self.open.iter().zip(&path).take_while(|((open, _), node)| open == *node);
        let kept = if is_next { same.count() } else { 0 };
        self.close(kept);
        for (&node, row) in path.iter().zip(self.rows.start + 1..).skip(kept) {
            if let Some(frame) = self.profile.nodes[node as usize].frame() {
                let (what, start) = (What::Frame(frame), sample.start);
                self.open.push((node, Block { what, weight: 0, row, start, end: start }));
            }
        }
        for (_, block) in &mut self.open {
            block.end = sample.end;
            block.weight += sample.weight;
        }
    }

    /// The frames of a stack, the root first.
    fn path(&self, node: u32) -> Vec<u32> {
        let parent = |&node: &u32| Some(self.parents[node as usize]);
        let path = std::iter::successors(Some(node), parent).take_while(|&node| node != 0);
        let mut path: Vec<u32> = path.collect();
        path.reverse();
        path
    }

    /// Finishes all open blocks but the first `kept`.
    fn close(&mut self, kept: usize) {
        while self.open.len() > kept
            && let Some((_, block)) = self.open.pop()
        {
            if block.row >= self.rows.end {
                self.deep += 1;
            } else if block.end - block.start >= self.widths.least {
                self.blocks.push(block);
            } else {
                self.add_narrow(block);
            }
        }
    }

    /// Draws a narrow block together with those before it, unless there is a visible gap.
    fn add_narrow(&mut self, block: Block) {
        let What::Frame(frame) = block.what else { return };
        let depth = (block.row - self.rows.start) as usize;
        self.narrow.resize(self.narrow.len().max(depth + 1), None);
        let length = block.end - block.start;
        if let Some((place, longest)) = &mut self.narrow[depth] {
            let last = &mut self.blocks[*place];
            let is_cell = block.start / self.widths.widest == last.start / self.widths.widest;
            let what = match last.what {
                What::Narrow(count, its) if its == frame => Some(What::Narrow(count + 1, its)),
                What::Narrow(count, its) | What::Mixed(count, its) if is_cell => {
                    Some(What::Mixed(count + 1, if length > *longest { frame } else { its }))
                }
                _ => None,
            };
            if let Some(what) = what.filter(|_| block.start < last.end + self.widths.least) {
                (last.what, last.end) = (what, block.end.max(last.start + self.widths.hair));
                last.weight += block.weight;
                *longest = length.max(*longest);
                return;
            }
        }
        self.narrow[depth] = Some((self.blocks.len(), length));
        let end = block.end.max(block.start + self.widths.hair);
        self.blocks.push(Block { what: What::Narrow(1, frame), end, ..block });
    }
}
