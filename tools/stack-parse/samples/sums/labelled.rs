//! Samples for lines with labels, kept until it is known what samples weigh, and in which order the
//! lines come.

use std::collections::{BTreeMap, HashMap};

use common::stacks::{FrameId, FrameTable, NodeId, Overflows, StackCounts};
use common::{Result, folded::FoldedLine, io::Total, pipe::Pipe};

use super::Sums;
use crate::samples::events::Events;
use crate::samples::labels::{SampleLabels, When};
use crate::samples::sample::{OpenSample, Sample};

/// The samples that are kept for their lines.
#[derive(Debug, Default)]
pub(crate) struct Labelled {
    /// The texts of labels, without times.
    texts: FrameTable,
    /// The labels of the last sample.
    pub(super) noted: Noted,
    /// Samples without times, by the leaf's node and the labels.
    sums: HashMap<(NodeId, FrameId), Sum>,
    /// Samples with times: hardly two of them have the same line.
    timed: Vec<Timed>,
}

/// The labels of a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noted {
    /// Those without times.
    text: FrameId,
    when: Option<When>,
}

/// The sum of samples with the same stack and labels.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    event: usize,
    samples: u128,
    total: u128,
}

/// Samples of one time.
#[derive(Clone, Copy, Debug)]
struct Timed {
    when: When,
    leaf: NodeId,
    text: FrameId,
    event: u32,
    count: u64,
    /// The weight of one of them.
    weight: u64,
}

impl Labelled {
    /// Notes the labels of a sample.
    pub(crate) fn note(
        &mut self,
        origin: &Sample<'_>,
        event: &[u8],
        when: Option<When>,
        labels: &mut SampleLabels,
    ) {
        let text = self.texts.intern(labels.text(origin, event));
        self.noted = Noted { text, when: when.filter(|when| labels.has_time(*when)) };
    }

    /// Adds a sample with these labels.
    pub(super) fn add(&mut self, labels: Noted, leaf: NodeId, sample: &OpenSample) {
        let (Noted { text, when }, OpenSample { event, count, weight, .. }) = (labels, *sample);
        if let Some(when) = when {
            let event = event as u32;
            return self.timed.push(Timed { when, leaf, text, event, count, weight });
        }
        let sum = self.sums.entry((leaf, text)).or_insert(Sum { event, ..Sum::default() });
        sum.samples += u128::from(count);
        sum.total = sum.total.saturating_add(u128::from(count) * u128::from(weight));
    }

    /// Writes the lines with times in their order, then the others, sorted.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    pub(super) fn write(
        mut self,
        sums: (&Sums, &Events),
        labels: &SampleLabels,
        pipe: &mut Pipe,
    ) -> Result<()> {
        let (stacks, events) = sums;
        let mut overflows = Overflows::default();
        let mut timed = std::mem::take(&mut self.timed);
        // Lines of equal times may be equal.
        let order = |it: &Timed| {
            let time = it.when.time.filter(|_| labels.has(b"time"));
            (labels.has(b"since").then_some(it.when.since), time)
        };
        timed.sort_unstable_by_key(|it| (order(it), it.text, it.leaf));
        for together in timed.chunk_by(|a, b| order(a) == order(b)) {
            let mut lines: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            for it in together {
                let mut text = Vec::new();
                labels.append_times(it.when, &mut text);
                text.extend_from_slice(self.texts.name(it.text));
                stacks.append_stack(it.leaf, &mut text);
                let is_summed = events.get(it.event as usize).weigher.sums();
                let weight = if is_summed { it.weight } else { 1 };
                add(&mut lines, text, u128::from(it.count) * u128::from(weight), &mut overflows);
            }
            for (text, weight) in lines.iter().filter(|(_, weight)| **weight > 0) {
                pipe.pass(&FoldedLine::of_labelled_stack(text, *weight))?;
            }
        }
        pipe.leave_out(&overflows);
        self.write_sums(sums, pipe)
    }

    fn write_sums(self, (stacks, events): (&Sums, &Events), pipe: &mut Pipe) -> Result<()> {
        let (mut counts, mut overflows) = (StackCounts::default(), Overflows::default());
        let mut text = Vec::new();
        for ((leaf, labels), sum) in self.sums {
            text.clear();
            text.extend_from_slice(self.texts.name(labels));
            stacks.append_stack(leaf, &mut text);
            let weight = if events.get(sum.event).weigher.sums() { sum.total } else { sum.samples };
            match u64::try_from(weight) {
                Ok(weight) => counts.add(&text, weight),
                Err(_) => overflows.leave_out(&text, total(weight)),
            }
        }
        overflows.absorb(counts.overflows());
        pipe.leave_out(&overflows);
        counts
            .for_each_sorted(|text, weight| pipe.pass(&FoldedLine::of_labelled_stack(text, weight)))
    }
}

/// Adds a weight to that of a line, or leaves it out if the sum does not fit into 64 bits.
fn add(lines: &mut BTreeMap<Vec<u8>, u64>, text: Vec<u8>, weight: u128, overflows: &mut Overflows) {
    let Ok(small) = u64::try_from(weight) else {
        return overflows.leave_out(&text, total(weight));
    };
    let name = text.clone();
    overflows.add(lines.entry(text).or_default(), &name, small);
}

fn total(weight: u128) -> Total {
    Total { lines: 1, weight }
}
