//! What a profiler's samples add up to: which events, which root, which
//! weight, whatever the format they came in.

pub(crate) mod events;
mod health;
mod left_out;
mod off_cpu;
mod per_sample;
mod root;
pub(crate) mod sample;
pub(crate) mod skipped;
pub(crate) mod weight;
mod window;

use clap::Args;
use common::{Error, FrameId, FrameTable, NodeId, Pipe, Result, StackTree, clean_frame};

use crate::formats::Format;
use crate::samples::events::{EventArgs, Events};
use crate::samples::left_out::{LeftOut, Why};
use crate::samples::off_cpu::OffCpu;
use crate::samples::per_sample::PerSample;
use crate::samples::root::{Base, Root};
use crate::samples::sample::{Origin, Sample};
use crate::samples::skipped::Skipped;
use crate::samples::weight::{Weigher, Weight};
use crate::samples::window::{Window, WindowArgs};

/// How samples become stacks.
#[derive(Args, Debug)]
pub(crate) struct SamplesArgs {
    /// What a sample weighs; the default is auto, samples with --per-sample, period with --table
    #[arg(long, value_enum)]
    weight: Option<Weight>,

    #[command(flatten)]
    events: EventArgs,

    /// The root frame; the default is comm, none for a trace of one process
    #[arg(long, value_enum)]
    root: Option<Root>,

    #[command(flatten)]
    window: WindowArgs,

    /// One line per sample, in the order of the input, as soon as it is known
    #[arg(long)]
    per_sample: bool,

    /// A table, one row per sample: time, comm, pid, tid, cpu, event, weight, stack
    #[arg(long, conflicts_with = "per_sample")]
    table: bool,

    /// Nanoseconds that threads were blocked, from sched:sched_switch events
    #[arg(long, conflicts_with_all = ["per_sample", "table", "weight", "by_event", "event"])]
    off_cpu: bool,
}

impl SamplesArgs {
    fn weight(&self) -> Weight {
        match self.weight {
            Some(weight) => weight,
            None if self.table => Weight::Period,
            None if self.per_sample => Weight::Samples,
            None => Weight::Auto,
        }
    }

    fn sink(&self) -> Sink {
        if self.off_cpu {
            Sink::OffCpu(OffCpu::default())
        } else if self.table || self.per_sample {
            Sink::PerSample(PerSample::new(self.table))
        } else {
            Sink::Sum
        }
    }
}

/// What becomes of samples.
#[derive(Debug)]
enum Sink {
    /// They are added up.
    Sum,
    /// Each is written.
    PerSample(PerSample),
    /// The time between them is added up.
    OffCpu(OffCpu),
}

/// Samples, counted.
#[derive(Debug)]
pub(crate) struct Samples {
    weight: Option<Weight>,
    /// What the user asked for, and what is done.
    asked_root: Option<Root>,
    root: Root,
    /// Stacks come from perf, of whose troubles something is known.
    is_perf: bool,
    by_event: bool,
    sink: Sink,
    events: Events,
    window: Window,
    /// Samples of wanted events that are not wanted for another reason.
    left_out: LeftOut,
    weigher: Weigher,
    frames: FrameTable,
    tree: StackTree,
    /// Stacks that came with counts of their own, which no period scales.
    counted: StackTree,
    base: Base,
    name: Vec<u8>,
    /// What was not understood of the input at hand.
    pub(crate) skipped: Skipped,
}

impl Samples {
    pub(crate) fn new(args: &SamplesArgs) -> Result<Samples> {
        let events = if args.off_cpu {
            Events::only(off_cpu::EVENT, off_cpu::NEEDS)?
        } else {
            Events::new(&args.events)?
        };
        Ok(Samples {
            weight: args.weight,
            asked_root: args.root,
            root: args.root.unwrap_or(Root::Comm),
            is_perf: false,
            by_event: args.events.by_event,
            sink: args.sink(),
            events,
            window: Window::new(&args.window)?,
            left_out: LeftOut::default(),
            weigher: Weigher::new(args.weight()),
            frames: FrameTable::default(),
            tree: StackTree::default(),
            counted: StackTree::default(),
            base: Base::default(),
            name: Vec::new(),
            skipped: Skipped::default(),
        })
    }

    /// Gets ready for an input of this format.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the format does not hold what was asked for.
    pub(crate) fn begin(&mut self, format: Format) -> Result<()> {
        if let Some(weight) = self.weight {
            format.check_weight(weight)?;
        }
        self.is_perf |= format == Format::PerfScript;
        let usual = if format == Format::PerfScript { Root::Comm } else { Root::None };
        self.root = self.asked_root.unwrap_or(usual);
        self.base = Base::default();
        Ok(())
    }

    /// True if and only if the time of a sample makes a difference.
    pub(crate) fn needs_time(&self) -> bool {
        let is_table = matches!(&self.sink, Sink::PerSample(rows) if rows.is_table());
        is_table || self.window.is_bounded()
    }

    /// True if and only if weights are sums of periods.
    pub(crate) fn sums_periods(&self) -> bool {
        self.weigher.by_period()
    }

    /// True if and only if weights are bytes.
    pub(crate) fn is_in_bytes(&self) -> bool {
        self.weight == Some(Weight::Bytes)
    }

    /// True if and only if a fork treats samples as this samples does: there is
    /// nothing left to learn, and samples do not depend on those before.
    pub(crate) fn can_fork(&self) -> bool {
        matches!(self.sink, Sink::Sum) && self.events.are_chosen()
    }

    /// An empty samples that treats samples alike, for another thread.
    pub(crate) fn fork(&self) -> Samples {
        Samples {
            weight: self.weight,
            asked_root: self.asked_root,
            root: self.root,
            is_perf: self.is_perf,
            by_event: self.by_event,
            sink: Sink::Sum,
            events: self.events.fork(),
            window: self.window.clone(),
            left_out: LeftOut::default(),
            weigher: self.weigher.fork(),
            frames: FrameTable::default(),
            tree: StackTree::default(),
            counted: StackTree::default(),
            base: Base::default(),
            name: Vec::new(),
            skipped: Skipped::default(),
        }
    }

    /// Adds a samples that was forked from this one.
    pub(crate) fn absorb(&mut self, mut other: Samples) -> Result<()> {
        self.weigher.agree(&mut self.tree, &mut other.weigher, &mut other.tree)?;
        let ours: Vec<FrameId> = (0..other.frames.len() as FrameId)
            .map(|frame| self.frames.intern(other.frames.name(frame)))
            .collect();
        self.tree.add_tree(&other.tree, |frame| ours[frame as usize])?;
        self.events.absorb(&other.events);
        self.left_out.absorb(other.left_out);
        Ok(())
    }

    /// Stats for a sample; `None` if it was not asked for, then its frames
    /// may be passed over.
    #[inline]
    pub(crate) fn open(&mut self, origin: &Origin<'_>) -> Result<Option<Sample>> {
        self.open_several(1, origin)
    }

    /// [`open`](Samples::open) for as many samples of one origin and the same
    /// frames.
    pub(crate) fn open_several(
        &mut self,
        samples: u64,
        origin: &Origin<'_>,
    ) -> Result<Option<Sample>> {
        let event = self.events.index(origin.event);
        let mut sample = Sample { base: StackTree::ROOT, event, samples, period: origin.period };
        if !self.account(&sample, origin.time) {
            return Ok(None);
        }
        self.set_base(event, origin);
        match &mut self.sink {
            Sink::Sum => {}
            Sink::PerSample(rows) => rows.open(origin),
            Sink::OffCpu(off_cpu) => off_cpu.open(origin, &mut self.tree)?,
        }
        sample.base = self.base.node;
        Ok(Some(sample))
    }

    /// True if and only if nothing matters of a sample but what
    /// [`reopen`](Samples::reopen) accounts for.
    pub(crate) fn can_reopen(&self) -> bool {
        matches!(self.sink, Sink::Sum)
    }

    /// Stats for a sample that differs from another only in its time;
    /// false if it is not asked for.
    pub(crate) fn reopen(&mut self, sample: Sample, time: &[u8]) -> bool {
        self.account(&sample, Some(time))
    }

    /// Adds a sample to the accounts; true if it is wanted.
    #[inline]
    fn account(&mut self, sample: &Sample, time: Option<&[u8]>) -> bool {
        self.events.account(sample.event, sample.samples, sample.period);
        let is_within = self.window.admits(time);
        let is_wanted = self.events.admits(sample.event);
        if is_wanted && !is_within {
            self.left_out.add(sample, if time.is_some() { Why::Time } else { Why::NoTime });
        }
        is_wanted && is_within
    }

    fn set_base(&mut self, event: usize, origin: &Origin<'_>) {
        // Neighbours are mostly of one thread.
        if self.base.is(event, origin, self.root) {
            return;
        }
        self.base.note(event, origin);
        self.base.frames.clear();
        if self.by_event {
            self.name.clear();
            clean_frame(self.events.name(event), &mut self.name);
            self.base.frames.push(self.frames.intern(&self.name));
        }
        self.name.clear();
        self.root.push_name(origin, &mut self.name);
        if !self.name.is_empty() {
            self.base.frames.push(self.frames.intern(&self.name));
        }
        self.base.node = StackTree::ROOT;
        if self.is_tree() {
            for &frame in &self.base.frames {
                self.base.node = self.tree.child(self.base.node, frame);
            }
        }
    }

    fn is_tree(&self) -> bool {
        !matches!(self.sink, Sink::PerSample(_))
    }

    /// The number of a frame with this name.
    #[inline]
    pub(crate) fn frame(&mut self, name: &[u8]) -> FrameId {
        self.name.clear();
        clean_frame(name, &mut self.name);
        self.frames.intern(&self.name)
    }

    /// The node of `frame` below `parent`; without meaning where samples are
    /// not added up.
    #[inline]
    pub(crate) fn child(&mut self, parent: NodeId, frame: FrameId) -> NodeId {
        if self.is_tree() { self.tree.child(parent, frame) } else { parent }
    }

    /// Adds the sample whose frames, root first, are `frames` and whose leaf
    /// is `leaf`.
    pub(crate) fn close(
        &mut self,
        sample: Sample,
        leaf: NodeId,
        frames: impl Iterator<Item = FrameId>,
    ) -> Result<()> {
        match &mut self.sink {
            Sink::PerSample(rows) => {
                let weight = self.weigher.weigh(&sample, &mut self.tree)?;
                let frames = self.base.frames.iter().copied().chain(frames);
                rows.close(weight, frames.map(|frame| self.frames.name(frame)));
                Ok(())
            }
            Sink::Sum => {
                let weight = self.weigher.weigh(&sample, &mut self.tree)?;
                let leaf = self.some_frame(leaf);
                self.tree.add(leaf, weight)
            }
            Sink::OffCpu(off_cpu) => {
                off_cpu.close(leaf);
                Ok(())
            }
        }
    }

    /// Leaves out a sample whose object was not chosen.
    pub(crate) fn leave_out(&mut self, sample: &Sample) {
        self.left_out.add(sample, Why::Object);
    }

    /// Without any frame, `--root none` would lose the sample.
    fn some_frame(&mut self, leaf: NodeId) -> NodeId {
        if leaf != StackTree::ROOT {
            return leaf;
        }
        let nothing = self.frames.intern(b"[no stack]");
        self.tree.child(leaf, nothing)
    }

    /// Adds a stack that came with a count of its own.
    pub(crate) fn add_folded(&mut self, stack: &[u8], count: u64, pipe: &mut Pipe) -> Result<()> {
        match self.sink {
            Sink::Sum => self.counted.add_stack(&mut self.frames, stack, count),
            Sink::PerSample(ref rows) if !rows.is_table() => pipe.write(stack, count),
            _ => Err(Error::Usage("--table and --off-cpu: the input holds no samples".to_owned())),
        }
    }

    /// How many samples were read.
    pub(crate) fn samples(&self) -> u64 {
        self.events.accounts().iter().map(|event| event.samples).sum()
    }

    /// Writes the samples that wait.
    pub(crate) fn drain(&mut self, pipe: &mut Pipe) -> Result<()> {
        match &mut self.sink {
            Sink::PerSample(rows) => rows.drain(pipe),
            Sink::Sum | Sink::OffCpu(_) => Ok(()),
        }
    }

    /// Writes what was counted, and says what was left out.
    pub(crate) fn finish(mut self, args: &SamplesArgs, pipe: &mut Pipe) -> Result<()> {
        self.drain(pipe)?;
        self.report_accounts(pipe);
        if let Sink::OffCpu(off_cpu) = &self.sink {
            off_cpu.report(pipe);
        } else if self.weigher.by_period() && args.weight() == Weight::Auto {
            pipe.note("periods vary: weights are sums of periods, --weight samples counts");
        }
        let is_summed = matches!(self.sink, Sink::Sum);
        if self.is_perf && is_summed && self.samples() >= health::FEWEST_SAMPLES {
            let root_frames = u32::from(self.root != Root::None) + u32::from(self.by_event);
            health::report(&self.tree, &self.frames, root_frames, pipe);
        }
        self.tree.add_tree(&self.counted, |frame| frame)?;
        pipe.write_tree(&self.tree, &self.frames)
    }

    fn report_accounts(&self, pipe: &mut Pipe) {
        let by_period = self.weigher.by_period();
        self.events.report(by_period, pipe);
        self.left_out.report(by_period, pipe);
    }
}
