//! What a profiler's samples add up to: which events, which root, which
//! weight, whatever the format they came in.

use clap::{Args, ValueEnum};
use common::{Error, Flow, FrameId, FrameTable, NodeId, Pipe, Result, StackTree, clean_frame};

use crate::events::{EventArgs, Events};
use crate::health;
use crate::off_cpu::OffCpu;
use crate::rows::Rows;
use crate::sample::{Origin, Sample};
use crate::skipped::Skipped;
use crate::weigher::{Weigher, Weight};
use crate::window::{Window, WindowArgs};

/// Which frame stands above a thread's stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Root {
    /// The thread's name
    Comm,
    /// The name and the process: comm-PID
    Pid,
    /// The name, the process and the thread: comm-PID/TID
    Tid,
    /// No such frame
    None,
}

/// How samples become stacks.
#[derive(Args, Debug)]
pub(crate) struct ProfileArgs {
    /// What a sample weighs; the default is auto, samples with --per-sample, period with --table
    #[arg(long, value_enum)]
    weight: Option<Weight>,

    #[command(flatten)]
    events: EventArgs,

    /// The root frame
    #[arg(long, value_enum, default_value = "comm")]
    root: Root,

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

impl ProfileArgs {
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
            Sink::Rows(Rows::new(self.table))
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
    Rows(Rows),
    /// The time between them is added up.
    OffCpu(OffCpu),
}

/// Samples, counted.
#[derive(Debug)]
pub(crate) struct Profile {
    root: Root,
    by_event: bool,
    sink: Sink,
    events: Events,
    window: Window,
    /// Samples of wanted events outside the window.
    outside: Flow,
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

/// The root frames of the sample at hand, and what they were made from.
#[derive(Debug, Default)]
struct Base {
    event: Option<usize>,
    comm: Vec<u8>,
    pid: Vec<u8>,
    tid: Vec<u8>,
    frames: Vec<FrameId>,
    node: NodeId,
}

impl Base {
    /// True if and only if a sample of this origin has these root frames.
    fn is(&self, event: usize, origin: &Origin<'_>, root: Root) -> bool {
        self.event == Some(event)
            && self.comm == origin.comm
            && (matches!(root, Root::Comm | Root::None)
                || self.pid == origin.pid.unwrap_or_default()
                    && self.tid == origin.tid.unwrap_or_default())
    }

    fn note(&mut self, event: usize, origin: &Origin<'_>) {
        self.event = Some(event);
        for (kept, part) in [
            (&mut self.comm, origin.comm),
            (&mut self.pid, origin.pid.unwrap_or_default()),
            (&mut self.tid, origin.tid.unwrap_or_default()),
        ] {
            kept.clear();
            kept.extend_from_slice(part);
        }
    }
}

impl Profile {
    pub(crate) fn new(args: &ProfileArgs) -> Result<Profile> {
        let events = if args.off_cpu {
            Events::only("sched:sched_switch")?
        } else {
            Events::new(&args.events)?
        };
        Ok(Profile {
            root: args.root,
            by_event: args.events.by_event,
            sink: args.sink(),
            events,
            window: Window::new(&args.window)?,
            outside: Flow::default(),
            weigher: Weigher::new(args.weight()),
            frames: FrameTable::default(),
            tree: StackTree::default(),
            counted: StackTree::default(),
            base: Base::default(),
            name: Vec::new(),
            skipped: Skipped::default(),
        })
    }

    /// True if and only if a fork treats samples as this profile does: there is
    /// nothing left to learn, and samples do not depend on those before.
    pub(crate) fn can_fork(&self) -> bool {
        matches!(self.sink, Sink::Sum) && self.events.are_chosen()
    }

    /// An empty profile that treats samples alike, for another thread.
    pub(crate) fn fork(&self) -> Profile {
        Profile {
            root: self.root,
            by_event: self.by_event,
            sink: Sink::Sum,
            events: self.events.fork(),
            window: self.window.clone(),
            outside: Flow::default(),
            weigher: self.weigher.fork(),
            frames: FrameTable::default(),
            tree: StackTree::default(),
            counted: StackTree::default(),
            base: Base::default(),
            name: Vec::new(),
            skipped: Skipped::default(),
        }
    }

    /// Adds a profile that was forked from this one.
    pub(crate) fn absorb(&mut self, mut other: Profile) -> Result<()> {
        self.weigher.agree(&mut self.tree, &mut other.weigher, &mut other.tree)?;
        let ours: Vec<FrameId> = (0..other.frames.len() as FrameId)
            .map(|frame| self.frames.intern(other.frames.name(frame)))
            .collect();
        self.tree.add_tree(&other.tree, |frame| ours[frame as usize])?;
        self.events.absorb(&other.events);
        self.outside += other.outside;
        self.skipped.absorb(&other.skipped);
        Ok(())
    }

    /// Accounts for a sample; `None` if it was not asked for, then its frames
    /// may be passed over.
    pub(crate) fn open(&mut self, origin: &Origin<'_>) -> Result<Option<Sample>> {
        let event = self.events.index(origin.event);
        if !self.account(event, origin.period, origin.time) {
            return Ok(None);
        }
        self.set_base(event, origin);
        match &mut self.sink {
            Sink::Sum => {}
            Sink::Rows(rows) => rows.open(origin),
            Sink::OffCpu(off_cpu) => off_cpu.open(origin, &mut self.tree)?,
        }
        Ok(Some(Sample { base: self.base.node, event, period: origin.period }))
    }

    /// True if and only if nothing matters of a sample but what
    /// [`reopen`](Profile::reopen) accounts for.
    pub(crate) fn can_reopen(&self) -> bool {
        matches!(self.sink, Sink::Sum)
    }

    /// Accounts for a sample that differs from another only in its time;
    /// false if it is not asked for.
    pub(crate) fn reopen(&mut self, sample: Sample, time: &[u8]) -> bool {
        self.account(sample.event, sample.period, Some(time))
    }

    /// Adds a sample to the accounts; true if it is wanted.
    #[inline]
    fn account(&mut self, event: usize, period: u64, time: Option<&[u8]>) -> bool {
        self.events.account(event, period);
        let is_within = self.window.admits(time);
        let is_wanted = self.events.admits(event);
        if is_wanted && !is_within {
            self.outside += period;
        }
        is_wanted && is_within
    }

    fn set_base(&mut self, event: usize, origin: &Origin<'_>) {
        // Neighbours are mostly of one thread.
        if self.base.is(event, origin, self.root) {
            return;
        }
        self.base.note(event, origin);
        let ids: [&[u8]; 4] = match self.root {
            Root::Comm | Root::None => [b"", b"", b"", b""],
            Root::Pid => [b"-", origin.pid.unwrap_or(b"?"), b"", b""],
            Root::Tid => [b"-", origin.pid.unwrap_or(b"?"), b"/", origin.tid.unwrap_or(b"?")],
        };
        self.name.clear();
        if self.root != Root::None {
            clean_frame(origin.comm, &mut self.name);
            ids.iter().for_each(|id| self.name.extend_from_slice(id));
        }
        self.base.frames.clear();
        if self.by_event {
            self.base.frames.push(self.frames.intern(self.events.name(event)));
        }
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
        !matches!(self.sink, Sink::Rows(_))
    }

    /// The number of a frame with this name.
    #[inline]
    pub(crate) fn frame(&mut self, name: &[u8]) -> FrameId {
        // Only clean names are in the table, so what is found needs no look.
        if let Some(frame) = self.frames.get(name) {
            return frame;
        }
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
            Sink::Rows(rows) => {
                let weight = self.weigher.weigh(sample.period, &mut self.tree)?;
                let frames = self.base.frames.iter().copied().chain(frames);
                rows.close(weight, frames.map(|frame| self.frames.name(frame)));
                Ok(())
            }
            Sink::Sum => {
                let weight = self.weigher.weigh(sample.period, &mut self.tree)?;
                let leaf = self.some_frame(leaf);
                self.tree.add(leaf, weight)
            }
            Sink::OffCpu(off_cpu) => {
                off_cpu.close(leaf);
                Ok(())
            }
        }
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
            Sink::Rows(ref rows) if !rows.is_table() => pipe.write(stack, count),
            _ => {
                Err(Error::Usage("--table and --off-cpu: folded stacks hold no samples".to_owned()))
            }
        }
    }

    /// How many samples were read.
    pub(crate) fn samples(&self) -> u64 {
        self.events.accounts().iter().map(|event| event.samples).sum()
    }

    /// Writes the samples that wait.
    pub(crate) fn drain(&mut self, pipe: &mut Pipe) -> Result<()> {
        match &mut self.sink {
            Sink::Rows(rows) => rows.drain(pipe),
            Sink::Sum | Sink::OffCpu(_) => Ok(()),
        }
    }

    /// Writes what was counted, and says what was left out.
    pub(crate) fn finish(mut self, args: &ProfileArgs, pipe: &mut Pipe) -> Result<()> {
        self.drain(pipe)?;
        self.report_accounts(pipe);
        if let Sink::OffCpu(off_cpu) = &self.sink {
            off_cpu.report(pipe);
        } else if self.weigher.by_period() && args.weight() == Weight::Auto {
            pipe.complaints
                .note("periods vary: weights are sums of periods, --weight samples counts");
        }
        if matches!(self.sink, Sink::Sum) && self.samples() >= health::FEWEST_SAMPLES {
            let root_frames = u32::from(self.root != Root::None) + u32::from(self.by_event);
            health::report(&self.tree, &self.frames, root_frames, pipe);
        }
        self.tree.add_tree(&self.counted, |frame| frame)?;
        pipe.write_tree(&self.tree, &self.frames)
    }

    fn report_accounts(&self, pipe: &mut Pipe) {
        let by_period = self.weigher.by_period();
        let flow = |samples, periods| Flow {
            lines: samples,
            weight: if by_period { periods } else { u128::from(samples) },
        };
        for event in self.events.accounts() {
            let flow = flow(event.samples, event.periods);
            pipe.accounts.read += flow;
            if !event.is_wanted {
                pipe.accounts.dropped += flow;
                pipe.complaints.note(format_args!(
                    "event {}: {} samples (weight {}) left out, --event or --by-event takes them in",
                    String::from_utf8_lossy(&event.name),
                    flow.lines,
                    flow.weight,
                ));
            }
        }
        if self.outside.lines > 0 {
            let flow = flow(self.outside.lines, self.outside.weight);
            pipe.accounts.dropped += flow;
            pipe.complaints.note(format_args!(
                "{} samples (weight {}) are outside --from and --to",
                flow.lines, flow.weight,
            ));
        }
    }
}
