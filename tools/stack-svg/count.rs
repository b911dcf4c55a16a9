//! Reads folded lines: merged, with one count or two, or in their order for a
//! flame chart.

use std::mem;

use common::folded::{FoldedLine, StackBuf};
use common::pipe::{Limit, Pipe, Split};
use common::stacks::{FrameId, FrameTable, Overflows, SortedStacks, StackCounts};
use common::{Result, io::Files};

use crate::noise::Sides;
use crate::profile::{Node, Profile};
use crate::strip::clock::Clock;

/// The stacks of one profile or of two, merged.
pub(crate) struct MergedStacks {
    /// With the weights of all lines.
    pub(crate) stacks: SortedStacks,
    /// These stacks with their weights in the first of two profiles.
    pub(crate) before: Option<SortedStacks>,
    /// The functions of two profiles.
    pub(crate) sides: Option<Sides>,
}

/// Counts lines with one count, each below its value of `split`; `clock` notes when they ran.
pub(crate) fn one_count(
    files: &Files,
    split: Option<&Split>,
    clock: &mut Clock,
    pipe: &mut Pipe,
) -> Result<MergedStacks> {
    let counts = pipe.lines(files).split(split).sums(Limit::AllStacks, |line, _| {
        clock.add(&line);
        line.stack
    })?;
    Ok(MergedStacks { stacks: counts.into_sorted(), before: None, sides: None })
}

/// Counts lines with two counts: `stack before after`, each below its value of `split`. A stack
/// weighs the sum of both, so that a frame that is gone is as visible as one that is new.
pub(crate) fn two_counts(
    files: &Files,
    split: Option<&Split>,
    pipe: &mut Pipe,
) -> Result<MergedStacks> {
    let (mut both, mut before) = (StackCounts::default(), StackCounts::default());
    let (mut all, mut overflows, mut sides) = (0, Overflows::default(), Sides::default());
    pipe.lines(files).split(split).pairs(|pair| {
        let stack = pair.stack;
        let mut fits = |weight| overflows.add(&mut all, stack, weight);
        let (first, second) = (fits(pair.before), fits(pair.after));
        let kept = |fits, weight| if fits { weight } else { 0 };
        let weights = [kept(first, pair.before), kept(second, pair.after)];
        both.add(stack, weights[0] + weights[1]);
        before.add(stack, weights[0]);
        sides.add(stack, weights);
        Ok(())
    })?;
    pipe.leave_out(&overflows);
    let before = Some(before.into_sorted());
    Ok(MergedStacks { stacks: both.into_sorted(), before, sides: Some(sides) })
}

/// The stacks of a flame chart.
pub(crate) enum InOrder {
    /// Of lines without a time: later ones are further to the right, and only consecutive ones are
    /// merged.
    Lines(Option<Profile>, FrameTable),
    /// Of lines with a time, which is in the clock.
    Times(Box<MergedStacks>),
}

/// Reads a flame chart, each line below its value of `split`; `clock` notes when they ran.
pub(crate) fn in_order(
    files: &Files,
    split: Option<&Split>,
    clock: &mut Clock,
    pipe: &mut Pipe,
) -> Result<InOrder> {
    let mut chart = Chart::default();
    let mut merged = None;
    pipe.lines(files).split(split).each(|line, _| {
        clock.add(&line);
        if clock.is_running() && merged.is_none() {
            merged = Some(Merged::of(mem::take(&mut chart)));
        }
        match &mut merged {
            Some(merged) => merged.add(&line),
            None => chart.add(&line),
        }
        Ok(())
    })?;
    let Some(Merged { counts, overflows, .. }) = merged else {
        pipe.leave_out(&chart.overflows);
        return Ok(InOrder::Lines(chart.profile(), chart.frames));
    };
    pipe.leave_out(&overflows);
    let stacks = MergedStacks { stacks: counts.into_sorted(), before: None, sides: None };
    Ok(InOrder::Times(Box::new(stacks)))
}

/// Sums of equal stacks.
struct Merged {
    counts: StackCounts,
    all: u64,
    overflows: Overflows,
}

impl Merged {
    /// The stacks of a chart whose first lines had no time.
    fn of(chart: Chart) -> Merged {
        let mut counts = StackCounts::default();
        let mut stack = StackBuf::default();
        let mut open: Vec<FrameId> = Vec::new();
        for node in &chart.nodes[1..] {
            open.truncate(node.depth as usize - 1);
            open.push(node.name);
            stack.clear();
            open.iter().for_each(|&frame| stack.push_frame(chart.frames.name(frame)));
            counts.add(stack.as_bytes(), node.self_weight);
        }
        Merged { counts, all: chart.nodes[0].weight, overflows: chart.overflows }
    }

    fn add(&mut self, line: &FoldedLine<'_>) {
        if self.overflows.add(&mut self.all, line.stack, line.count) {
            self.counts.add(line.stack, line.count);
        }
    }
}

struct Chart {
    frames: FrameTable,
    nodes: Vec<Node>,
    /// The nodes of the last stack, the whole first.
    open: Vec<usize>,
    overflows: Overflows,
}

impl Default for Chart {
    fn default() -> Chart {
        Chart {
            frames: FrameTable::default(),
            nodes: vec![Node::default()],
            open: vec![0],
            overflows: Overflows::default(),
        }
    }
}

impl Chart {
    fn add(&mut self, line: &FoldedLine<'_>) {
        let now = self.nodes[0].weight;
        let fits = self.overflows.add(&mut self.nodes[0].weight, line.stack, line.count);
        if line.count == 0 || !fits {
            return;
        }
        let mut depth = 0;
        for name in line.frames() {
            let frame = self.frames.intern(name);
            depth += 1;
            let stays = self.open.get(depth).is_some_and(|&id| self.nodes[id].name == frame);
            if !stays {
                self.open.truncate(depth);
                self.open.push(self.nodes.len());
                let depth = depth as u32;
                self.nodes.push(Node { name: frame, depth, start: now, ..Node::default() });
            }
        }
        self.open.truncate(depth + 1);
        for &id in &self.open[1..] {
            self.nodes[id].weight += line.count;
        }
        self.nodes[self.open[depth]].self_weight += line.count;
    }

    fn profile(&mut self) -> Option<Profile> {
        let nodes = mem::take(&mut self.nodes);
        (nodes[0].weight > 0).then(|| Profile::new(nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_merges_what_comes_one_after_the_other() {
        let mut chart = Chart::default();
        for (stack, count) in [("b;x", 1), ("b", 2), ("b;x", 4), ("a", 8), ("b;x;y", 16)] {
            chart.add(&FoldedLine::new(stack.as_bytes(), count));
        }
        let profile = chart.profile().expect("some weight");
        let name =
            |node: &Node| node.frame().map_or(&b"all"[..], |id| chart.frames.name(id)).to_owned();
        let nodes: Vec<_> = profile
            .nodes
            .iter()
            .map(|node| (name(node), node.depth, node.start, node.weight, node.self_weight))
            .collect();
        let named = |name: &str, depth, start, weight, own| {
            (name.as_bytes().to_owned(), depth, start, weight, own)
        };
        let expected = [
            named("all", 0, 0, 31, 0),
            named("b", 1, 0, 7, 2),
            named("x", 2, 0, 1, 1),
            named("x", 2, 3, 4, 4),
            named("a", 1, 7, 8, 8),
            named("b", 1, 15, 16, 0),
            named("x", 2, 15, 16, 0),
            named("y", 3, 15, 16, 16),
        ];
        assert_eq!(nodes, expected);
    }
}
