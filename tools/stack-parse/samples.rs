//! What samples add up to, whatever format they came in: which events, which
//! root, which weight.
//!
//! A format hands over one sample after the other, by [`Samples::add`] or, where
//! speed matters, by [`Samples::open`], [`Samples::child`] and [`Samples::close`].
//! Everything else is done here: what belongs to one input is reset with it, rows
//! are written as they come, and what is left out is accounted for.

mod advice;
mod args;
mod event;
mod event_list;
mod event_name;
pub(crate) mod events;
mod every;
mod fork;
mod frame_traits;
mod labelled;
mod labels;
mod latency;
mod memory;
mod messages;
mod off_cpu;
mod origin;
mod report;
mod root;
pub(crate) mod sample;
mod sink;
pub(crate) mod skipped;
mod table;
mod wakers;
mod weight;
mod window;

use std::fmt::Display;
use std::path::Path;

use common::{FrameId, FrameTable, Input, LabelKeys, NO_STACK, NodeId, Pipe, Result, StackTree};

use crate::frame::FrameArgs;
use event::Fate;
use events::{Events, Measure};
use frame_traits::FrameTraits;
use labelled::Labelled;
use labels::SampleLabels;
use latency::{Rounding, latency};
use report::InputHeaders;
use root::Base;
use sample::{OpenSample, Sample, Time};
use sink::Sink;
use skipped::Skipped;
use weight::Rule;
use window::Window;

pub(crate) use advice::{Advice, CallChains, Recorded};
pub(crate) use args::SamplesArgs;
pub(crate) use memory::{LIFETIME, seconds_of_label};
pub(crate) use off_cpu::Ids;
pub(crate) use root::Root;
pub(crate) use weight::Weighs;

/// What the table of formats says of an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) input: &'a str,
    pub(crate) format: &'static str,
    /// What [`Root`] is unless the user chooses.
    pub(crate) root: &'a Root,
    pub(crate) weighs: Weighs,
    /// What is known of the troubles of a recording.
    pub(crate) advice: Option<Advice>,
}

/// What belongs to the input that is being read.
#[derive(Clone, Debug)]
struct ThisInput {
    name: String,
    format: &'static str,
    root: Root,
    weighs: Weighs,
    rule: Rule,
    advice: Option<Advice>,
}

/// Samples, counted.
#[derive(Debug)]
pub(crate) struct Samples<'p> {
    args: SamplesArgs,
    /// `None` in a thread that helps another one, which only sums.
    pipe: Option<&'p mut Pipe>,
    sink: Sink,
    /// Whether the sink needs the stacks in `tree`.
    is_tree: bool,
    input: ThisInput,
    events: Events,
    window: Window,
    base: Base,
    /// The labels that were asked for, and those of the sample at hand where it is written at
    /// once.
    labels: SampleLabels,
    line_labels: Vec<u8>,
    /// Where samples are summed by their labels, too.
    labelled: Option<Labelled>,
    headers: InputHeaders,
    /// What `--weight latency` lost.
    rounding: Rounding,
    /// Whether the troubles of all inputs are known, so that advice is not wrong for
    /// some of them.
    is_advised: bool,
    frames: FrameTable,
    traits: FrameTraits,
    chains: CallChains,
    /// The stacks of each event below a node of its own.
    tree: StackTree,
    /// The text that is being made, and what it is without control bytes.
    text: Vec<u8>,
    clean: Vec<u8>,
    /// What was not understood of this input.
    pub(crate) skipped: Skipped,
}

impl<'p> Samples<'p> {
    pub(crate) fn new(args: &SamplesArgs, pipe: &'p mut Pipe) -> Result<Samples<'p>> {
        let events = match args.off_cpu {
            Some(_) => off_cpu::events(args.wakers),
            None => Events::new(&args.events)?,
        };
        Ok(Samples::of(args.clone(), Some(pipe), events, Window::new(&args.window)?))
    }

    fn of(
        args: SamplesArgs,
        pipe: Option<&'p mut Pipe>,
        events: Events,
        window: Window,
    ) -> Samples<'p> {
        let mut frames = FrameTable::default();
        let sink = Sink::new(&args, &mut frames);
        let is_summed = matches!(sink, Sink::Sum | Sink::OffCpu(_));
        Samples {
            is_tree: is_summed,
            sink,
            labels: SampleLabels::new(args.labels.clone().unwrap_or(LabelKeys::Only(Vec::new()))),
            labelled: (args.has_labels() && is_summed).then(Labelled::default),
            line_labels: Vec::new(),
            args,
            pipe,
            input: ThisInput {
                name: String::new(),
                format: "",
                root: Root::None,
                weighs: Weighs::Value,
                rule: Rule::Count,
                advice: None,
            },
            events,
            window,
            base: Base::default(),
            headers: InputHeaders::default(),
            rounding: Rounding::default(),
            is_advised: true,
            frames,
            traits: FrameTraits::default(),
            chains: CallChains::default(),
            tree: StackTree::default(),
            text: Vec::new(),
            clean: Vec::new(),
            skipped: Skipped::default(),
        }
    }

    /// Gets ready for an input: its clock, its first event, its root frames and
    /// its lines are its own.
    pub(crate) fn begin_input(&mut self, source: Source<'_>) {
        self.input = ThisInput {
            name: source.input.to_owned(),
            format: source.format,
            root: self.args.root.as_ref().unwrap_or(source.root).clone(),
            weighs: source.weighs,
            rule: Rule::new(self.args.weight, source.weighs, self.sink.auto_rule()),
            advice: source.advice,
        };
        self.is_advised &= source.advice.is_some();
        self.events.begin_input();
        self.window.begin_input();
        self.base = Base::default();
        self.headers.begin_input();
    }

    /// Says what there was to say of this input, whose format was recognised by
    /// `detected`, and which was read to its end or not.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if it lacks what the user asked for.
    ///
    /// [`Error::Usage`]: common::Error::Usage
    pub(crate) fn end_input(&mut self, detected: impl Display, is_complete: bool) -> Result<()> {
        if is_complete && !self.events.has_samples() {
            self.note(format_args!("no sample found, {detected}"));
        }
        self.note_header();
        if let Sink::OffCpu(off_cpu) = &mut self.sink {
            off_cpu.end_input();
        }
        if let Some(pipe) = &mut self.pipe {
            self.skipped.report(&self.input.name, self.args.strict, pipe);
        }
        self.check_wakings()
    }

    /// Opens an input.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with what the system says.
    ///
    /// # Panics
    ///
    /// In a thread that helps another one, which gets its text from there.
    pub(crate) fn open_input(&self, path: &Path) -> Result<Input> {
        self.pipe.as_ref().expect("inputs are opened where the output is").open(path)
    }

    /// Says that each sample of this input has these numbers; returns the place
    /// of the one that is taken.
    pub(crate) fn set_measures(&mut self, measures: &[Measure<'_>]) -> Option<usize> {
        self.set_measures_with(measures, 0)
    }

    /// The same, where another measure than the first is taken unless the user
    /// chooses: the one in this place.
    pub(crate) fn set_measures_with(
        &mut self,
        measures: &[Measure<'_>],
        default: usize,
    ) -> Option<usize> {
        self.events.set_measures(measures, default)
    }

    /// Has this event taken unless the user chooses, though another one may come first.
    pub(crate) fn take_first(&mut self, event: &[u8]) {
        self.events.take_first(event);
    }

    /// Says of the samples of an event that were added without a number of samples how many were
    /// drawn for them, which weigh `weight` together; all must have been taken.
    pub(crate) fn draw(&mut self, event: &[u8], weight: f64, drawn: u64) {
        self.events.draw(event, weight, drawn, self.window.is_bounded());
    }

    /// Says what the weights of an event are in, if any sample has it.
    pub(crate) fn set_unit(&mut self, event: &[u8], unit: &[u8]) {
        self.events.set_unit(event, unit);
    }

    /// Says what the weights of an event's samples are in, before the first of them.
    pub(crate) fn announce(&mut self, event: &[u8], unit: &[u8]) {
        self.events.announce(event, unit);
    }

    /// Says that an event, which was announced, is one of several numbers of the same samples.
    pub(crate) fn set_measure(&mut self, event: &[u8]) {
        self.events.set_measure(event);
    }

    /// How the names of frames are made.
    pub(crate) fn frame_args(&self) -> &FrameArgs {
        &self.args.frames
    }

    /// Whether samples are written as they come, so that none should wait.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.sink, Sink::PerSample | Sink::Table(_) | Sink::Every(_))
    }

    /// Whether it matters in which order samples come: that of their time is right.
    pub(crate) fn need_order(&self) -> bool {
        self.choose_times() || [&b"since"[..], b"time"].into_iter().any(|it| self.wants_label(it))
    }

    /// Whether samples of other times are wanted than without options, or each by itself.
    pub(crate) fn choose_times(&self) -> bool {
        self.is_live() || self.window.is_bounded()
    }

    /// Accounts for a sample; `None` if it was not asked for, then its frames
    /// may be passed over.
    #[inline]
    pub(crate) fn open(&mut self, origin: &Sample<'_>) -> Option<OpenSample> {
        let (event, period) = self.events.of_sample(origin);
        let weight = origin.parallelism.map_or(period, |threads| latency(period, threads));
        let fate = self.fate(event, origin.time, origin.since);
        self.events.account((event, weight), origin, self.input.weighs, fate);
        if fate != Fate::Taken || matches!(self.sink, Sink::List) {
            return None;
        }
        if let Some(threads) = origin.parallelism {
            self.rounding.note(origin.count, period, threads);
        }
        self.set_base(event, origin);
        if self.args.has_labels() {
            self.set_labels(event, origin);
        }
        match &mut self.sink {
            Sink::Table(table) => {
                let event = &self.events.get_mut(event).name;
                table.open(origin, event, self.window.when(origin).map(|it| it.since.into()));
            }
            // Nothing is said of programs whose stacks are not in the sums.
            Sink::OffCpu(_) => {
                if !self.open_off_cpu(origin) {
                    return None;
                }
            }
            Sink::Sum | Sink::PerSample | Sink::Every(_) | Sink::List => {}
        }
        Some(OpenSample { base: self.base.node, event, count: origin.count, weight })
    }

    /// Whether nothing matters of a sample but what [`reopen`](Samples::reopen)
    /// accounts for.
    pub(crate) fn can_reopen(&self) -> bool {
        let is_summed = matches!(self.sink, Sink::Sum) && self.labelled.is_none();
        is_summed && !self.input.root.is_of_each_sample()
    }

    /// Accounts for a sample that differs from another only in its time; false
    /// if it is not asked for.
    #[inline]
    pub(crate) fn reopen(&mut self, sample: OpenSample, time: &[u8]) -> bool {
        let fate = self.fate(sample.event, Some(Time::Text(time)), None);
        let drawn = self.input.weighs.drawn(sample.count);
        self.events.account_one(sample.event, sample.count, sample.weight, drawn, fate);
        fate == Fate::Taken
    }

    #[inline]
    fn fate(&mut self, event: usize, time: Option<Time<'_>>, since: Option<i64>) -> Fate {
        let is_within = self.window.admits(time, since);
        if !self.events.is_wanted(event) {
            Fate::OtherEvent
        } else if is_within {
            Fate::Taken
        } else if time.is_some() || since.is_some() {
            Fate::OtherTime
        } else {
            Fate::NoTime
        }
    }

    /// The node of `frame` below `parent`; without meaning where samples are
    /// not summed.
    #[inline]
    pub(crate) fn child(&mut self, parent: NodeId, frame: FrameId) -> NodeId {
        if self.is_tree { self.tree.child(parent, frame) } else { parent }
    }

    /// Adds a sample with these frames, root first.
    pub(crate) fn add(&mut self, origin: &Sample<'_>, frames: &[FrameId]) -> Result<()> {
        let Some(sample) = self.open(origin) else { return Ok(()) };
        let leaf = frames.iter().fold(sample.base, |node, &frame| self.child(node, frame));
        self.close(sample, leaf, frames.iter().copied())
    }

    /// Adds the sample whose frames, root first, are `frames` and whose leaf
    /// is `leaf`.
    pub(crate) fn close(
        &mut self,
        sample: OpenSample,
        leaf: NodeId,
        frames: impl Iterator<Item = FrameId>,
    ) -> Result<()> {
        if matches!(self.sink, Sink::OffCpu(_)) {
            self.close_off_cpu(&sample, leaf);
            return Ok(());
        }
        let event = self.events.get_mut(sample.event);
        let node = event.node.unwrap_or_default();
        let weight = event.weigher.weigh(self.input.rule, &sample, node, &mut self.tree);
        if matches!(self.sink, Sink::Sum) {
            let leaf = self.some_frame(leaf, node);
            if let Some(labelled) = &mut self.labelled {
                labelled.add(labelled.noted(), leaf, &sample);
            }
            match weight {
                Some(weight) => self.tree.add(leaf, weight),
                None => self.tree.leave_out(leaf, sample.total()),
            }
            return Ok(());
        }
        self.write_row(&sample, weight, frames)
    }

    /// Without any frame `--root none` would lose the sample, unless its event is
    /// a frame.
    fn some_frame(&mut self, leaf: NodeId, event: NodeId) -> NodeId {
        if leaf != event || self.args.events.by_event {
            return leaf;
        }
        let frame = self.frames.intern(NO_STACK);
        self.tree.child(event, frame)
    }
}
