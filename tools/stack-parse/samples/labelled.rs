//! Samples for lines with labels, kept until it is known what samples weigh, and in which order the
//! lines come.

use std::collections::{BTreeMap, HashMap};

use common::Result;
use common::folded::FoldedLine;
use common::io::Total;
use common::pipe::Pipe;
use common::stacks::{FrameId, FrameTable, NodeId, Overflows, StackCounts};

use super::Samples;
use super::labels::{SampleLabels, When};
use super::sample::{OpenSample, Sample};

/// The samples that are kept for their lines.
#[derive(Debug, Default)]
pub(crate) struct Labelled {
    /// The texts of labels, without times.
    texts: FrameTable,
    noted: Noted,
    /// Samples without times, by the leaf's node and the labels.
    sums: HashMap<(NodeId, FrameId), Sum>,
    /// Samples with times: hardly two of them have the same line.
    timed: Vec<Timed>,
}

/// The labels of a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Noted {
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

/// How the kept samples become lines.
pub(crate) trait Lines {
    /// Appends the stack with this leaf node.
    fn append_stack(&self, leaf: NodeId, out: &mut Vec<u8>);

    /// Whether samples of an event count their weight, not one each.
    fn sums(&self, event: usize) -> bool;
}

impl Labelled {
    /// Notes the labels of a sample.
    pub(super) fn note(
        &mut self,
        origin: &Sample<'_>,
        event: &[u8],
        when: Option<When>,
        labels: &mut SampleLabels,
    ) {
        let text = self.texts.intern(labels.text(origin, event));
        self.noted = Noted { text, when: when.filter(|when| labels.has_time(*when)) };
    }

    /// The labels of the last sample.
    pub(super) fn noted(&self) -> Noted {
        self.noted
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
        labels: &SampleLabels,
        lines: &impl Lines,
        pipe: &mut Pipe,
    ) -> Result<()> {
        let mut overflows = Overflows::default();
        let mut timed = std::mem::take(&mut self.timed);
        // Lines of equal times may be equal.
        let order = |it: &Timed| {
            let time = it.when.time.filter(|_| labels.has(b"time"));
            (labels.has(b"since").then_some(it.when.since), time)
        };
        timed.sort_unstable_by_key(|it| (order(it), it.text, it.leaf));
        for together in timed.chunk_by(|a, b| order(a) == order(b)) {
            let mut sums: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            for it in together {
                let mut text = Vec::new();
                labels.append_times(it.when, &mut text);
                text.extend_from_slice(self.texts.name(it.text));
                lines.append_stack(it.leaf, &mut text);
                let weight = if lines.sums(it.event as usize) { it.weight } else { 1 };
                add(&mut sums, text, u128::from(it.count) * u128::from(weight), &mut overflows);
            }
            for (text, weight) in sums.iter().filter(|(_, weight)| **weight > 0) {
                pipe.pass(&FoldedLine::of_labelled_stack(text, *weight))?;
            }
        }
        pipe.leave_out(&overflows);
        self.write_sums(lines, pipe)
    }

    fn write_sums(self, lines: &impl Lines, pipe: &mut Pipe) -> Result<()> {
        let (mut counts, mut overflows) = (StackCounts::default(), Overflows::default());
        let mut text = Vec::new();
        for ((leaf, labels), sum) in self.sums {
            text.clear();
            text.extend_from_slice(self.texts.name(labels));
            lines.append_stack(leaf, &mut text);
            let weight = if lines.sums(sum.event) { sum.total } else { sum.samples };
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

impl Lines for Samples<'_> {
    fn append_stack(&self, leaf: NodeId, out: &mut Vec<u8>) {
        let by_event = self.args.events.by_event;
        self.tree.append_stack(leaf, usize::from(!by_event), &self.frames, out);
    }

    fn sums(&self, event: usize) -> bool {
        self.events.get(event).weigher.sums()
    }
}

/// Adds a weight to that of a line, or leaves it out if the sum does not fit into 64 bits.
fn add(sums: &mut BTreeMap<Vec<u8>, u64>, text: Vec<u8>, weight: u128, overflows: &mut Overflows) {
    let Ok(small) = u64::try_from(weight) else {
        return overflows.leave_out(&text, total(weight));
    };
    let name = text.clone();
    overflows.add(sums.entry(text).or_default(), &name, small);
}

fn total(weight: u128) -> Total {
    Total { lines: 1, weight }
}
