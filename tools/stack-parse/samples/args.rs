//! The options for how samples become stacks.

use std::time::Duration;

use clap::Args;
use common::{Error, Result, folded::LabelKeys};

use super::events::EventArgs;
use super::root::Root;
use super::sinks::{self, Every, PerSample, Sink, Table};
use super::sources::{OffCpu, Source, Wakers, Wall, Whose};
use super::sums::Sums;
use super::wants::Wants;
use super::weight::Weight;
use super::window::WindowArgs;
use super::words::WordsAnd;
use crate::frame::FrameArgs;

/// The options for how samples become stacks.
#[derive(Args, Clone, Debug)]
pub(crate) struct SamplesArgs {
    /// What a sample weighs; with --per-sample and --every auto is samples, with --table period
    #[arg(long, value_parser = WordsAnd(Weight::refuse_measure), default_value = "auto")]
    pub(super) weight: Weight,

    #[command(flatten)]
    pub(super) events: EventArgs,

    /// List what the input holds and exit: event, unit, samples, total
    #[arg(long, group = "lists", conflicts_with_all = ["per_sample", "table", "off_cpu"])]
    pub(super) list_events: bool,

    /// Print what --list-events, --list-formats and --detect list as a table for programs
    #[arg(long, requires = "lists")]
    pub(crate) tsv: bool,

    /// The root frame, also label:KEY; the default is comm, none for a trace of one process
    #[arg(long, value_parser = WordsAnd(Root::parse_label))]
    pub(super) root: Option<Root>,

    /// Labels before the stacks: since, time, comm, pid, tid, cpu, event, cgroup, addr, object,
    /// build_id, lifetime, and those of the format itself; 'all' for all
    #[arg(long, value_name = "KEY,...", value_parser = LabelKeys::parse)]
    #[arg(conflicts_with_all = ["table", "list_events"])]
    pub(super) labels: Option<LabelKeys>,

    #[command(flatten)]
    pub(super) window: WindowArgs,

    #[command(flatten)]
    pub(super) frames: FrameArgs,

    /// One line per sample, in the order of the input, as soon as it is known
    #[arg(long)]
    pub(super) per_sample: bool,

    /// A table, one row per sample: time, since, comm, pid, tid, cpu, event, weight, stack
    #[arg(long, conflicts_with = "per_sample")]
    pub(super) table: bool,

    /// A table of the spans that the input has itself, requests and phases, for stack-label: start,
    /// end, tid, pid, id, name; --event chooses by name
    #[arg(long, conflicts_with_all = ["lists", "tsv", "weight", "by_event", "root", "labels", "from"])]
    #[arg(conflicts_with_all = ["to", "annotate", "own", "inlined", "srcline", "per_sample", "table"])]
    #[arg(conflicts_with_all = ["every", "switches", "header"])]
    pub(super) spans: bool,

    /// Write the sums of each interval of SECONDS, then a line '# end SECONDS': for live pipes
    #[arg(long, value_name = "SECONDS", value_parser = sinks::parse_length)]
    #[arg(conflicts_with_all = ["per_sample", "table", "off_cpu", "list_events"])]
    pub(super) every: Option<Duration>,

    /// Nanoseconds that threads were blocked, of process PID or of the program that perf started,
    /// from sched:sched_switch events
    #[arg(long, group = "switches", value_name = "PID|program", num_args = 0..=1)]
    #[arg(require_equals = true)]
    #[arg(conflicts_with_all = ["per_sample", "table", "weight", "by_event", "event"])]
    pub(super) off_cpu: Option<Option<Whose>>,

    /// Nanoseconds that each thread ran, waited or could run, from its first moment to its last; the
    /// leaf, or the label 'state', says which
    #[arg(long, group = "switches")]
    #[arg(conflicts_with_all = ["table", "every", "weight", "by_event", "off_cpu", "from", "to"])]
    pub(super) wall: bool,

    /// Below each stack that waited, after '--', the stack that woke it, from sched:sched_waking
    #[arg(long, requires = "switches")]
    pub(super) wakers: bool,

    /// Also write what is counted and how far it can be trusted: '# unit: samples', '# lost: 0 of
    /// 900 samples'
    #[arg(long, conflicts_with_all = ["table", "list_events"])]
    pub(super) header: bool,

    /// Exit with 2 if a line was not understood
    #[arg(long)]
    pub(super) strict: bool,
}

impl SamplesArgs {
    /// The value of `--to` in nanoseconds, if it was given.
    pub(crate) fn to(&self) -> Option<u64> {
        self.window.to
    }

    /// What the user asked for. `is_bounded` says whether some times are left out.
    pub(super) fn wants(&self, is_bounded: bool) -> Wants {
        Wants {
            at_once: self.per_sample || self.table || self.every.is_some(),
            list: self.list_events || self.spans,
            spans: self.spans,
            switches: self.off_cpu.is_some() || self.wall,
            wall: self.wall,
            wakers: self.wakers,
            frames: self.frames.clone(),
            is_bounded,
            asked_root: self.root.clone(),
            root: Root::None,
            labels: self.labels.clone().unwrap_or(LabelKeys::Only(Vec::new())),
            weight: self.weight,
            by_event: self.events.by_event,
            header: self.header,
            strict: self.strict,
            tsv: self.tsv,
        }
    }

    /// What makes samples; `None` if they are taken as they were recorded. Adds the frames that it
    /// needs to those of `sums`.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the glob of the events cannot be read, or for a root frame that slices
    /// cannot have.
    pub(super) fn source(&self, sums: &mut Sums) -> Result<Option<Box<dyn Source>>> {
        let frames = &mut sums.frames;
        if self.wall {
            // A stack is recorded before it is known what the thread did with it.
            if let Some(Root::Label(key)) = &self.root
                && [&b"state"[..], b"waker"].contains(&&key[..])
            {
                let refused = "--wall: the labels state and waker are no root frames here: print them \
                               with --labels, and use 'stack-merge --by-label state'";
                return Err(Error::Usage(refused.to_owned()));
            }
            let has_time = |keys: &LabelKeys| keys.has(b"time") || keys.has(b"since");
            let is_timed = self.per_sample || self.labels.as_ref().is_some_and(has_time);
            let wall = Wall::new(&self.events, is_timed, self.wakers, frames);
            return Ok(Some(Box::new(wall)));
        }
        let wakers = self.wakers.then(|| Wakers::new(frames));
        let whose = self.off_cpu.map(Option::unwrap_or_default);
        Ok(whose.map(|whose| Box::new(OffCpu::new(whose, wakers)) as Box<dyn Source>))
    }

    /// Where samples are written as they come; `None` if they are summed.
    pub(super) fn sink(&self) -> Option<Box<dyn Sink>> {
        Some(match self {
            SamplesArgs { table: true, .. } => Box::new(Table::default()),
            SamplesArgs { per_sample: true, .. } => Box::new(PerSample),
            SamplesArgs { every: Some(length), .. } => Box::new(Every::new(*length)),
            _ => return None,
        })
    }
}
