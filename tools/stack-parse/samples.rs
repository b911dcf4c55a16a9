//! Sums samples of any format: which events count, which root frames they get, and what they weigh.
//!
//! A format passes on one sample after the other, by [`Samples::add`] or, where speed matters, by
//! [`Samples::open`], [`Samples::child`] and [`Samples::close`]. Everything else is done here:
//!
//! - Samples come from [`sources`]: as they were recorded, or a source makes others out of them.
//! - They go to [`sums`], which are written at the end, or to [`sinks`], which write each at once.
//! - All that come in are counted in [`events`]; what is left out is reported at the end.
//!
//! Sums have no trait: most samples are summed as they were recorded, and that must be fast.

mod args;
mod base;
pub(crate) mod events;
mod facts;
mod fork;
mod headers;
mod inlined;
mod input;
mod labels;
mod latency;
mod messages;
mod report;
mod root;
pub(crate) mod sample;
mod sinks;
pub(crate) mod skipped;
mod slices;
mod sources;
mod spans;
mod sums;
mod threads;
mod wants;
mod weight;
mod window;
mod words;

use std::fmt::Display;

use common::stacks::{FrameId, NodeId};
use common::{Error, Result, pipe::Pipe};

use crate::frame::Frame;
use base::Base;
use events::{Events, Fate};
pub(crate) use facts::{End, Facts};
use headers::InputHeaders;
use input::ThisInput;
use labels::SampleLabels;
use latency::{Rounding, latency};
use sample::{OpenSample, Sample, Time};
use sinks::Stream;
use skipped::Skipped;
use sources::{Made, Source};
use spans::SpanTable;
use sums::Sums;
use weight::Rule;
use window::Window;

pub(crate) use args::SamplesArgs;
pub(crate) use inlined::Inlined;
pub(crate) use input::InputFormat;
pub(crate) use labels::{LIFETIME, seconds_of_label};
pub(crate) use messages::Loss;
pub(crate) use report::weight_in;
pub(crate) use root::Root;
pub(crate) use sources::Ids;
pub(crate) use spans::Span;
pub(crate) use sums::{Advice, CallChains, Recorded};
pub(crate) use threads::{ThreadNews, Turn};
pub(crate) use wants::Wants;
pub(crate) use weight::Weighs;

/// The samples of all inputs.
#[derive(Debug)]
pub(crate) struct Samples<'p> {
    /// What the user asked for.
    pub(crate) wants: Wants,
    /// The events of all samples: formats declare what is known of them.
    pub(crate) events: Events,
    /// Which times are wanted.
    pub(crate) window: Window,
    /// The lines of this input that were not understood.
    pub(crate) skipped: Skipped,
    /// `None` in a helper thread, which only sums.
    pipe: Option<&'p mut Pipe>,
    input: ThisInput,
    /// `None` if samples are taken as they were recorded.
    source: Option<Box<dyn Source>>,
    base: Base,
    /// Makes the labels that were asked for.
    labels: SampleLabels,
    sums: Sums,
    /// `None` if samples are summed.
    stream: Option<Stream>,
    /// `None` if samples are taken, not spans.
    spans: Option<SpanTable>,
    /// The header lines of the inputs.
    pub(crate) headers: InputHeaders,
    /// What is known of the input that is being read.
    pub(crate) facts: Facts,
    /// The inlined frames that this input names.
    pub(crate) inlined: Inlined,
    /// The weight lost by rounding with `--weight latency`.
    rounding: Rounding,
    /// Whether all inputs have a format that gives advice, so that the advice is right for all of
    /// them.
    is_advised: bool,
}

impl<'p> Samples<'p> {
    pub(crate) fn new(args: &SamplesArgs, pipe: &'p mut Pipe) -> Result<Samples<'p>> {
        let window = Window::new(&args.window)?;
        let wants = args.wants(window.is_bounded());
        let mut samples = Samples::of(wants, Events::new(&args.events), window);
        samples.pipe = Some(pipe);
        samples.stream = args.sink().map(Stream::new);
        samples.spans = args.spans.then(SpanTable::default);
        samples.source = args.source(&mut samples.sums)?;
        if let Some(source) = &samples.source {
            samples.events = source.events();
        }
        Ok(samples)
    }

    /// Samples that are taken as they were recorded, and summed.
    fn of(wants: Wants, events: Events, window: Window) -> Samples<'p> {
        Samples {
            labels: SampleLabels::new(wants.labels.clone()),
            sums: Sums::new(&wants),
            wants,
            events,
            skipped: Skipped::default(),
            pipe: None,
            input: ThisInput::none(),
            window,
            source: None,
            base: Base::default(),
            stream: None,
            spans: None,
            headers: InputHeaders::default(),
            facts: Facts::default(),
            inlined: Inlined::default(),
            rounding: Rounding::default(),
            is_advised: true,
        }
    }

    /// Starts an input: resets the clock, the first event, the root frames and the skipped lines.
    pub(crate) fn begin_input(&mut self, name: &str, format: InputFormat) {
        let auto = self.stream.as_ref().map_or(Rule::CountWhileEqual, |it| it.sink.auto_rule());
        let rule = Rule::new(self.wants.weight, format.weighs, auto);
        self.input = ThisInput { name: name.to_owned(), format, rule };
        self.wants.set_default_root(format.root);
        self.is_advised &= format.advice.is_some();
        self.events.begin_input();
        self.window.begin_input();
        self.base = Base::default();
        self.headers.begin_input(self.events.fates());
        self.facts = Facts::default();
        self.inlined = Inlined::default();
    }

    /// Reports on the input that was read, to its end or not (`is_complete`). `detected` names its
    /// format and how that was found.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the input lacks what the user asked for.
    pub(crate) fn end_input(&mut self, detected: impl Display, is_complete: bool) -> Result<()> {
        let makes_slices = self.source.as_ref().is_some_and(|source| source.makes_slices());
        let takes_samples = self.spans.is_none() && !makes_slices;
        if is_complete && takes_samples && !self.events.has_samples_of(|_| true) {
            self.note(format_args!("no sample found, {detected}"));
        }
        self.end_spans(is_complete)?;
        self.note_header();
        self.note_count(self.inlined.left_out, Inlined::LEFT_OUT);
        let Samples { source, events, input, .. } = self;
        let ended = source.as_mut().map_or(Ok(()), |source| source.end_input(events));
        let ended = ended.map_err(|lacks| Error::Usage(format!("{}: {lacks}", input.name)));
        self.add_made()?;
        if let Some(pipe) = &mut self.pipe {
            self.skipped.report(&self.input.name, self.wants.strict, pipe);
        }
        ended
    }

    /// Declares that this input has one thread: then the default is no root frame.
    pub(crate) fn set_one_thread(&mut self) {
        self.wants.set_default_root(&Root::None);
    }

    /// Sets how the callers of samples were recorded.
    pub(crate) fn set_chains(&mut self, chains: CallChains) {
        self.sums.chains = chains;
    }

    /// Notes for an event whose samples have no [`drawn`](Sample::drawn) of their own that `drawn`
    /// samples were drawn, which weigh `weight` together; `None` if that is unknown. All of them must
    /// have been added.
    pub(crate) fn draw(&mut self, event: &[u8], weight: f64, drawn: Option<u64>) {
        // It is the number of all samples, of which some may have been left out.
        self.events.draw(event, weight, drawn.filter(|_| !self.window.is_bounded()));
    }

    /// The id of the frame with this name.
    #[inline]
    pub(crate) fn frame(&mut self, name: &[u8]) -> FrameId {
        self.sums.frame(name)
    }

    /// The name of a frame.
    pub(crate) fn name(&self, frame: FrameId) -> &[u8] {
        self.sums.name(frame)
    }

    /// Appends the ids of the frames made from a frame, root first: nearly always one; none if the
    /// frame is dropped.
    pub(crate) fn frames(&mut self, frame: &Frame<'_>, ids: &mut Vec<FrameId>) {
        self.sums.frames_of(frame, &self.wants.frames, ids);
    }

    /// Whether the frames of a sample may be needed. If not, a format need not look for them.
    #[inline]
    pub(crate) fn needs_frames(&mut self, event: &[u8], ids: Ids, text: &[u8]) -> bool {
        self.source.as_mut().is_none_or(|source| source.needs_frames(event, ids, text))
    }

    /// Counts a sample; `None` if its frames are not needed, then they may be skipped.
    #[inline]
    pub(crate) fn open(&mut self, origin: &Sample<'_>) -> Option<OpenSample> {
        let (event, period) = self.events.of_sample(origin);
        let weight = origin.parallelism.map_or(period, |threads| latency(period, threads));
        let fate = self.window.fate(self.events.is_wanted(event), origin.time, origin.since);
        if self.wants.header {
            self.note_facts(origin, fate);
        }
        self.events.account((event, weight), origin, self.input.format.weighs, fate);
        if fate != Fate::Taken || self.wants.list {
            return None;
        }
        if let Some(threads) = origin.parallelism {
            self.rounding.note(origin.count, period, threads);
        }
        let Samples { events, wants, window, sums, .. } = self;
        self.base.set((event, events.get_mut(event)), origin, &wants.root, window, sums);
        if !self.source.as_ref().is_some_and(|source| source.makes_slices()) {
            self.start_line(event, origin);
        }
        if let Some(source) = &mut self.source
            && !source.open(origin, &self.wants.root, &mut self.sums)
        {
            return None;
        }
        Some(OpenSample { base: self.base.node, event, count: origin.count, weight })
    }

    /// Starts the line of a sample: its labels and, in a table, the columns before the stack.
    #[inline]
    fn start_line(&mut self, event: usize, origin: &Sample<'_>) {
        let Samples { wants, events, window, sums, labels, stream, .. } = self;
        let event = &events.get(event).name;
        let line = stream.as_mut().map(|stream| stream.open(origin, event, window));
        if wants.line_labels() {
            let when = window.labelled_when(origin);
            match (line, &mut sums.labelled) {
                (Some(line), _) => labels.append(origin, event, when, line),
                (None, Some(labelled)) => labelled.note(origin, event, when, labels),
                (None, None) => {}
            }
        }
    }

    /// Sums or writes what the source made.
    fn add_made(&mut self) -> Result<()> {
        while let Some(made) = self.source.as_mut().and_then(|source| source.take()) {
            match made {
                Made::Sample { leaf, labels, weight } => {
                    self.sums.add_weight(weight, leaf, labels);
                }
                Made::Slice(slice) => self.add_slice(&slice)?,
            }
        }
        Ok(())
    }

    /// Whether equal samples may be added by [`reopen`](Samples::reopen), which looks only at their
    /// time.
    pub(crate) fn can_reopen(&self) -> bool {
        self.can_repeat() && !self.wants.root.is_of_each_sample()
    }

    /// Whether what is done with a sample depends on that sample alone, and not on its time.
    fn can_repeat(&self) -> bool {
        self.source.is_none() && self.stream.is_none() && !self.wants.line_labels()
    }

    /// Counts another sample that differs from an open one only in its time; false if the user did
    /// not ask for it.
    #[inline]
    pub(crate) fn reopen(&mut self, sample: OpenSample, time: &[u8]) -> bool {
        let is_wanted = self.events.is_wanted(sample.event);
        let fate = self.window.fate(is_wanted, Some(Time::Text(time)), None);
        if self.wants.header {
            self.note_time(Time::Text(time));
        }
        let drawn = self.input.format.weighs.drawn(sample.count);
        self.events.account_one(sample.event, sample.count, sample.weight, drawn, fate);
        fate == Fate::Taken
    }

    /// Counts a sample whose object was not chosen.
    pub(crate) fn leave_out(&mut self, origin: &Sample<'_>) {
        let (event, weight) = self.events.of_sample(origin);
        let is_wanted = self.events.is_wanted(event);
        let fate = match self.window.fate(is_wanted, origin.time, origin.since) {
            Fate::Taken => Fate::OtherObject,
            other => other,
        };
        self.events.account((event, weight), origin, self.input.format.weighs, fate);
    }

    /// The node of `frame` below `parent`; meaningless where samples are not summed.
    #[inline]
    pub(crate) fn child(&mut self, parent: NodeId, frame: FrameId) -> NodeId {
        self.sums.child(parent, frame)
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
        if let Some(source) = &mut self.source {
            source.close(&sample, leaf, &mut self.sums);
            return self.add_made();
        }
        let event = self.events.get_mut(sample.event);
        let (node, tree) = (event.node.unwrap_or_default(), &mut self.sums.tree);
        let weight = event.weigher.weigh(self.input.rule, &sample, node, tree);
        if self.stream.is_none() {
            self.sums.add(&sample, leaf, weight);
            return Ok(());
        }
        self.write_streamed_header()?;
        let Samples { pipe: Some(pipe), stream: Some(stream), base, sums, .. } = self else {
            return Ok(());
        };
        let frames = base.frames.iter().copied().chain(frames);
        stream.close(&sample, weight, frames, &sums.frames, pipe)
    }

    /// Writes what is not yet written, and reports what was left out.
    pub(crate) fn finish(mut self) -> Result<()> {
        let Some(pipe) = self.pipe.take() else { return Ok(()) };
        if self.wants.spans {
            return Ok(());
        }
        if self.wants.list {
            self.rounding.report(self.wants.latency(), pipe);
            return events::write_list(&self.events, self.wants.tsv, pipe);
        }
        report::first_events(&self.headers.first_events, &self.events, pipe);
        report::left_out(&self.events, self.input.rule, pipe);
        self.rounding.report(self.wants.latency(), pipe);
        self.labels.report_missing(pipe);
        if let Some(stream) = &mut self.stream {
            stream.sink.finish(pipe)?;
        }
        let rates_differ = self.headers.rates.len() > 1;
        match &self.source {
            Some(source) => source.report(pipe),
            None => report::weights(&self.events, rates_differ, self.is_advised, pipe),
        }
        if let Some(stream) = &self.stream {
            return if stream.sink.has_header() { self.write_rest_of_header(pipe) } else { Ok(()) };
        }
        let advice = self.input.format.advice;
        if let Some(advise) = advice.filter(|_| self.is_advised && self.source.is_none()) {
            // The event and the thread are frames outside the call chain.
            let root_frames = 1 + u32::from(self.wants.root != Root::None);
            advise(&self.sums.recorded(&self.events, root_frames), pipe);
        }
        self.write_header(pipe)?;
        self.sums.write(&self.events, &self.labels, pipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::Measure;

    /// Makes of each recorded sample one of its weight and one of 1, and one of 100 where the input
    /// ends, all with the stack of the last sample.
    #[derive(Debug, Default)]
    struct Several {
        leaf: NodeId,
        made: Vec<(NodeId, u64)>,
    }

    impl Source for Several {
        fn events(&self) -> Events {
            Events::only(&["switch"], "")
        }

        fn measure(&self) -> Measure<'static> {
            Measure { name: b"several", unit: b"ns" }
        }

        fn needs_frames(&mut self, _: &[u8], _: Ids, _: &[u8]) -> bool {
            true
        }

        fn open(&mut self, origin: &Sample<'_>, _: &Root, _: &mut Sums) -> bool {
            if self.leaf != NodeId::default() {
                self.made.extend([origin.weights[0], 1].map(|weight| (self.leaf, weight)));
            }
            true
        }

        fn close(&mut self, _: &OpenSample, leaf: NodeId, _: &mut Sums) {
            self.leaf = leaf;
        }

        fn end_input(&mut self, _: &Events) -> Result<(), &'static str> {
            self.made.push((self.leaf, 100));
            Err("lacks something")
        }

        fn take(&mut self) -> Option<Made> {
            let (leaf, weight) = self.made.pop()?;
            Some(Made::Sample { leaf, labels: Default::default(), weight })
        }

        fn report(&self, _: &mut Pipe) {}
    }

    fn samples() -> Samples<'static> {
        let args = <SamplesArgs as clap::Args>::augment_args(clap::Command::new("test"));
        let args = args.get_matches_from(["test"]);
        let args = <SamplesArgs as clap::FromArgMatches>::from_arg_matches(&args).expect("options");
        let events = Events::new(&args.events);
        let window = Window::new(&args.window).expect("all time");
        Samples::of(args.wants(false), events, window)
    }

    #[test]
    fn a_source_may_make_several_samples_of_one_and_some_at_the_end() {
        let mut samples = samples();
        let source = Several::default();
        samples.events = source.events();
        samples.source = Some(Box::new(source));
        let (main, read) = (samples.frame(b"main"), samples.frame(b"read"));
        for (event, weight, stack) in [
            ("switch", 7, [main, main]),
            ("cycles", 9, [main, main]),
            ("switch", 5, [main, read]),
            ("switch", 2, [main, read]),
        ] {
            let origin =
                Sample { event: event.as_bytes(), weights: &[weight], ..Sample::default() };
            samples.add(&origin, &stack).expect("no output");
        }
        let error = samples.end_input("", true).expect_err("what it lacks");
        assert!(error.to_string().contains("lacks something"), "{error}");
        let tree = &mut samples.sums.tree;
        let event = tree.child(0, samples.sums.frames.intern(b"switch"));
        let caller = tree.child(event, main);
        let weights = [main, read].map(|frame| {
            let leaf = tree.child(caller, frame);
            tree.self_weight(leaf)
        });
        assert_eq!(weights, [5 + 1, 2 + 1 + 100]);
    }
}
