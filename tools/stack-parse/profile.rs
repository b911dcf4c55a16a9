//! What a profiler's samples add up to: which events, which root, which
//! weight, whatever the format they came in.

use clap::{Args, ValueEnum};
use common::{Flow, FrameId, FrameTable, NodeId, Pipe, Result, StackBuf, StackTree, clean_frame};

use crate::events::{EventArgs, Events};

/// What a sample counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weight {
    /// Samples where all have the same period, else periods
    Auto,
    /// One each
    Samples,
    /// The period the profiler noted: cycles, nanoseconds, bytes
    Period,
}

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
    /// What a sample weighs; the default is auto, with --per-sample it is samples
    #[arg(long, value_enum)]
    weight: Option<Weight>,

    #[command(flatten)]
    events: EventArgs,

    /// The root frame
    #[arg(long, value_enum, default_value = "comm")]
    root: Root,

    /// One line per sample, in the order of the input, as soon as it is known
    #[arg(long)]
    per_sample: bool,
}

/// Where a sample happened, as the format tells it; unknown is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin<'a> {
    pub(crate) comm: &'a [u8],
    pub(crate) pid: Option<&'a [u8]>,
    pub(crate) tid: Option<&'a [u8]>,
    pub(crate) event: &'a [u8],
    /// In the event's unit; 1 where the format does not tell.
    pub(crate) period: u64,
}

/// A sample whose frames are still to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// The node of the root frames, to which the sample's frames are added.
    pub(crate) base: NodeId,
    period: u64,
}

/// Samples, counted.
#[derive(Debug)]
pub(crate) struct Profile {
    weight: Weight,
    root: Root,
    by_event: bool,
    per_sample: bool,
    events: Events,
    frames: FrameTable,
    tree: StackTree,
    /// Stacks that came with counts of their own, which no period scales.
    counted: StackTree,
    /// The root frames of the sample at hand, for `--per-sample`.
    base: Vec<FrameId>,
    name: Vec<u8>,
    /// The period all samples had so far; none once they varied.
    same_period: Option<u64>,
}

impl Profile {
    pub(crate) fn new(args: &ProfileArgs) -> Result<Profile> {
        let default = if args.per_sample { Weight::Samples } else { Weight::Auto };
        Ok(Profile {
            weight: args.weight.unwrap_or(default),
            root: args.root,
            by_event: args.events.by_event,
            per_sample: args.per_sample,
            events: Events::new(&args.events)?,
            frames: FrameTable::default(),
            tree: StackTree::default(),
            counted: StackTree::default(),
            base: Vec::new(),
            name: Vec::new(),
            same_period: None,
        })
    }

    /// Accounts for a sample; `None` if its event was not asked for, then its
    /// frames may be passed over.
    pub(crate) fn open(&mut self, origin: &Origin<'_>) -> Option<Sample> {
        if !self.events.admit(origin.event, origin.period) {
            return None;
        }
        self.base.clear();
        if self.by_event {
            let event = self.events.shown(origin.event);
            self.base.push(self.frames.intern(event));
        }
        self.push_root(origin);
        let base = self.base.iter().fold(StackTree::ROOT, |node, &frame| {
            if self.per_sample { node } else { self.tree.child(node, frame) }
        });
        Some(Sample { base, period: origin.period })
    }

    fn push_root(&mut self, origin: &Origin<'_>) {
        let ids: [&[u8]; 4] = match self.root {
            Root::None => return,
            Root::Comm if origin.comm.is_empty() => return,
            Root::Comm => [b"", b"", b"", b""],
            Root::Pid => [b"-", origin.pid.unwrap_or(b"?"), b"", b""],
            Root::Tid => [b"-", origin.pid.unwrap_or(b"?"), b"/", origin.tid.unwrap_or(b"?")],
        };
        self.name.clear();
        clean_frame(origin.comm, &mut self.name);
        for id in ids {
            self.name.extend_from_slice(id);
        }
        self.base.push(self.frames.intern(&self.name));
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
        if self.per_sample { parent } else { self.tree.child(parent, frame) }
    }

    /// Adds the sample whose frames, root first, are `frames` and whose leaf
    /// is `leaf`.
    pub(crate) fn close(
        &mut self,
        sample: Sample,
        leaf: NodeId,
        frames: impl Iterator<Item = FrameId>,
        pipe: &mut Pipe,
    ) -> Result<()> {
        let weight = self.weigh(sample.period)?;
        if self.per_sample {
            return self.write_sample(weight, frames, pipe);
        }
        // Without any frame, `--root none` would lose the sample.
        let leaf = if leaf == StackTree::ROOT {
            let nothing = self.frames.intern(b"[no stack]");
            self.tree.child(leaf, nothing)
        } else {
            leaf
        };
        self.tree.add(leaf, weight)
    }

    fn write_sample(
        &mut self,
        weight: u64,
        frames: impl Iterator<Item = FrameId>,
        pipe: &mut Pipe,
    ) -> Result<()> {
        let mut stack = StackBuf::default();
        for frame in self.base.iter().copied().chain(frames) {
            stack.push_clean_frame(self.frames.name(frame));
        }
        if stack.frames() == 0 {
            stack.push_clean_frame(b"[no stack]");
        }
        pipe.write(stack.as_bytes(), weight)
    }

    /// What one sample adds. With `auto`, samples are counted until a period
    /// differs: then what was counted is scaled to periods.
    fn weigh(&mut self, period: u64) -> Result<u64> {
        match self.weight {
            Weight::Samples => Ok(1),
            Weight::Period => Ok(period),
            Weight::Auto if *self.same_period.get_or_insert(period) == period => Ok(1),
            Weight::Auto => {
                self.tree.scale(self.same_period.unwrap_or(1))?;
                self.weight = Weight::Period;
                Ok(period)
            }
        }
    }

    /// Adds a stack that came with a count of its own.
    pub(crate) fn add_folded(&mut self, stack: &[u8], count: u64, pipe: &mut Pipe) -> Result<()> {
        if self.per_sample {
            return pipe.write(stack, count);
        }
        self.counted.add_stack(&mut self.frames, stack, count)
    }

    /// Writes what was counted, and says what was left out.
    pub(crate) fn finish(mut self, asked: &ProfileArgs, pipe: &mut Pipe) -> Result<()> {
        self.tree.add_tree(&self.counted)?;
        pipe.write_tree(&self.tree, &self.frames)?;
        let by_period = self.weight == Weight::Period;
        for event in self.events.accounts() {
            let weight = if by_period { event.periods } else { u128::from(event.samples) };
            let flow = Flow { lines: event.samples, weight };
            pipe.accounts.read += flow;
            if event.admitted {
                continue;
            }
            pipe.accounts.dropped += flow;
            pipe.complaints.note(format_args!(
                "event {}: {} samples (weight {weight}) left out, --event or --by-event takes them in",
                String::from_utf8_lossy(&event.name),
                event.samples,
            ));
        }
        if by_period && !matches!(asked.weight, Some(Weight::Period)) {
            pipe.complaints
                .note("periods vary: weights are sums of periods, --weight samples counts");
        }
        Ok(())
    }
}
