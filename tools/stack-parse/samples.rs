//! Sums samples of any format: which events count, which root frames they get, and what they weigh.
//!
//! A format passes on one sample after the other, by [`Samples::add`] or, where speed matters, by
//! [`Samples::open`], [`Samples::child`] and [`Samples::close`]. Everything else is done here: the
//! state of one input is reset for the next, rows are written as samples come, and what is left out
//! is counted and reported.
//! are written as they come, and what is left out is accounted for.

mod advice;
mod args;
mod event;
mod event_list;
mod event_name;
pub(crate) mod events;
mod every;
mod facts;
mod fork;
mod frame_traits;
mod headers;
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

use common::Result;
use common::folded::{LabelKeys, NO_STACK};
use common::io::Input;
use common::pipe::Pipe;
use common::stacks::{FrameId, FrameTable, NodeId, StackTree};

use crate::frame::FrameArgs;
use event::Fate;
use events::{Events, Measure};
use facts::Facts;
use frame_traits::FrameTraits;
use headers::InputHeaders;
use labelled::Labelled;
use labels::SampleLabels;
use latency::{Rounding, latency};
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

/// What the table of formats says of the format of an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) input: &'a str,
    pub(crate) format: &'static str,
    /// The default [`Root`].
    pub(crate) root: &'a Root,
    pub(crate) weighs: Weighs,
    /// Reports what is wrong with a recording.
    pub(crate) advice: Option<Advice>,
}

/// The state of the input that is being read.
#[derive(Clone, Debug)]
struct ThisInput {
    name: String,
    format: &'static str,
    root: Root,
    weighs: Weighs,
    rule: Rule,
    advice: Option<Advice>,
}

/// The samples of all inputs, summed.
#[derive(Debug)]
pub(crate) struct Samples<'p> {
    args: SamplesArgs,
    /// `None` in a helper thread, which only sums.
    pipe: Option<&'p mut Pipe>,
    sink: Sink,
    /// Whether the sink needs the stacks in `tree`.
    is_tree: bool,
    input: ThisInput,
    events: Events,
    window: Window,
    base: Base,
    /// Makes the labels that were asked for; `line_labels` are those of the current sample, where
    /// lines are written at once.
    labels: SampleLabels,
    line_labels: Vec<u8>,
    /// The samples summed by their labels, if lines have labels.
    labelled: Option<Labelled>,
    headers: InputHeaders,
    /// What is known of the input that is being read.
    pub(crate) facts: Facts,
    /// The weight lost by rounding with `--weight latency`.
    rounding: Rounding,
    /// Whether all inputs have a format that gives advice, so that the advice is right for all of
    /// them.
    is_advised: bool,
    frames: FrameTable,
    traits: FrameTraits,
    chains: CallChains,
    /// The stacks of each event, below one node per event.
    tree: StackTree,
    /// A name that is being made, and the same name without control bytes.
    text: Vec<u8>,
    clean: Vec<u8>,
    /// The lines of this input that were not understood.
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
            facts: Facts::default(),
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

    /// Starts an input: resets the clock, the first event, the root frames and the skipped lines.
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
        self.headers.begin_input(self.events.fates());
        self.facts = Facts::default();
    }

    /// Reports on the input that was read, to its end or not (`is_complete`). `detected` names its
    /// format and how that was found.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the input lacks what the user asked for.
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
    /// [`Error::Input`] with the error of the system.
    ///
    /// # Panics
    ///
    /// In a helper thread, which gets its text from the thread that reads.
    pub(crate) fn open_input(&self, path: &Path) -> Result<Input> {
        self.pipe.as_ref().expect("inputs are opened where the output is").open(path)
    }

    /// Declares the numbers that each sample of this input has; returns the index of the one that
    /// is taken.
    pub(crate) fn set_measures(&mut self, measures: &[Measure<'_>]) -> Option<usize> {
        self.set_measures_with(measures, 0)
    }

    /// Like [`set_measures`](Samples::set_measures), but the default is the measure at this index,
    /// not the first.
    pub(crate) fn set_measures_with(
        &mut self,
        measures: &[Measure<'_>],
        default: usize,
    ) -> Option<usize> {
        self.events.set_measures(measures, default)
    }

    /// Makes this event the default, though another one may come first.
    pub(crate) fn take_first(&mut self, event: &[u8]) {
        self.events.take_first(event);
    }

    /// Notes for an event whose samples have no [`drawn`](Sample::drawn) of their own that `drawn`
    /// samples were drawn, which weigh `weight` together. All of them must have been added.
    pub(crate) fn draw(&mut self, event: &[u8], weight: f64, drawn: u64) {
        self.events.draw(event, weight, drawn, self.window.is_bounded());
    }

    /// Sets the unit of an event's weights, if any sample has this event.
    pub(crate) fn set_unit(&mut self, event: &[u8], unit: &[u8]) {
        self.events.set_unit(event, unit);
    }

    /// Sets the unit of an event's weights, before its first sample.
    pub(crate) fn announce(&mut self, event: &[u8], unit: &[u8]) {
        self.events.announce(event, unit);
    }

    /// Declares that an announced event is one of several numbers of the same samples.
    pub(crate) fn set_measure(&mut self, event: &[u8]) {
        self.events.set_measure(event);
    }

    /// The options for the names of frames.
    pub(crate) fn frame_args(&self) -> &FrameArgs {
        &self.args.frames
    }

    /// Whether samples are written as they come, so that a parser should not hold them back.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.sink, Sink::PerSample | Sink::Table(_) | Sink::Every(_))
    }

    /// Whether the order of samples matters: they should come in the order of their times.
    pub(crate) fn need_order(&self) -> bool {
        self.choose_times() || [&b"since"[..], b"time"].into_iter().any(|it| self.wants_label(it))
    }

    /// Whether options select samples by their time, or need each sample by itself.
    pub(crate) fn choose_times(&self) -> bool {
        self.is_live() || self.window.is_bounded()
    }

    /// Counts a sample; `None` if the user did not ask for it, then its frames may be skipped.
    #[inline]
    pub(crate) fn open(&mut self, origin: &Sample<'_>) -> Option<OpenSample> {
        let (event, period) = self.events.of_sample(origin);
        let weight = origin.parallelism.map_or(period, |threads| latency(period, threads));
        let fate = self.fate(event, origin.time, origin.since);
        if self.args.header {
            self.note_facts(origin, fate);
        }
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
            // Frames that are not in the sums are skipped, so no message complains about their
            // names.
            Sink::OffCpu(_) => {
                if !self.open_off_cpu(origin) {
                    return None;
                }
            }
            Sink::Sum | Sink::PerSample | Sink::Every(_) | Sink::List => {}
        }
        Some(OpenSample { base: self.base.node, event, count: origin.count, weight })
    }

    /// Whether equal samples may be added by [`reopen`](Samples::reopen), which looks only at their
    /// time.
    pub(crate) fn can_reopen(&self) -> bool {
        let is_summed = matches!(self.sink, Sink::Sum) && self.labelled.is_none();
        is_summed && !self.input.root.is_of_each_sample()
    }

    /// Counts another sample that differs from an open one only in its time; false if the user did
    /// not ask for it.
    #[inline]
    pub(crate) fn reopen(&mut self, sample: OpenSample, time: &[u8]) -> bool {
        let fate = self.fate(sample.event, Some(Time::Text(time)), None);
        if self.args.header {
            self.note_time(Time::Text(time));
        }
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

    /// The node of `frame` below `parent`; meaningless where samples are not summed.
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

    /// Adds the sample whose frames, root first, are `frames` and whose leaf node is `leaf`.
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

    /// With `--root none` a sample without frames would be lost, so it gets one, unless its event
    /// is a frame already.
    fn some_frame(&mut self, leaf: NodeId, event: NodeId) -> NodeId {
        if leaf != event || self.args.events.by_event {
            return leaf;
        }
        let frame = self.frames.intern(NO_STACK);
        self.tree.child(event, frame)
    }
}
