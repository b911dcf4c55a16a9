//! What came in: stacks, by event, and the labels of those that have any.

use std::borrow::Cow;
use std::collections::BTreeSet;

use common::names::{FrameParts, NAMELESS, utf8};
use common::stacks::{FrameId, SortedStack, SortedStacks};
use common::trust::Trust;
use common::{Error, Result, pipe::Pipe};

use crate::clock::Clock;
use crate::event::{EventOf, ExportedEvent};
use crate::labelled::{LabelSet, labels_of, values_in};
use crate::marks::words;

/// Stacks that weigh something, and the events they were counted for.
pub(crate) struct Profile {
    stacks: SortedStacks,
    /// What says when samples were taken.
    pub(crate) clock: Clock,
    pub(crate) events: Vec<ExportedEvent>,
    /// How far it can be trusted, if header lines say so.
    pub(crate) trust: Option<String>,
    /// The frames of all stacks, each once, in the order of their names.
    pub(crate) frames: Vec<FrameId>,
    /// For each frame, its index in `frames`.
    places: Vec<u32>,
}

/// A stack of an event.
#[derive(Clone, Copy)]
pub(crate) struct ExportedStack<'a> {
    /// The frame that holds the labels, if there are any.
    pub(crate) labels: Option<FrameId>,
    /// Root first; never empty.
    pub(crate) frames: &'a [FrameId],
    /// At least this many of the first frames are the same as in the stack before.
    pub(crate) shared: usize,
    /// Never 0.
    pub(crate) weight: u64,
}

impl Profile {
    /// The stacks that `pipe` has read. Events are the values of the label `event`. Or header lines
    /// name several events, and every stack has one of them as its root, as `stack-parse --by-event
    /// --header` writes them: then these are the events, and the roots are not frames.
    pub(crate) fn new(
        stacks: SortedStacks,
        clock: Clock,
        pipe: &Pipe,
        unit: Option<&str>,
    ) -> Profile {
        let events = ExportedEvent::all_of(&stacks, pipe, unit);
        let (frames, places, trust) = (Vec::new(), Vec::new(), None);
        let mut profile = Profile { stacks, clock, events, trust, frames, places };
        profile.weigh();
        let total = profile.events.iter().map(|event| event.total).sum();
        let trust = Trust::of(pipe, total);
        profile.trust = trust.is_known().then(|| format!("trust: {}", trust.sentence()));
        profile
    }

    /// Keeps only the event of this name.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`], which lists the events, if none has this name.
    pub(crate) fn keep_event(&mut self, name: &str) -> Result<()> {
        let is_named = |event: &ExportedEvent| event.name.as_deref() == Some(name);
        if !self.events.iter().any(is_named) {
            let names = self.events.iter().filter_map(|event| event.name.as_deref());
            return Err(no_event(name, names.collect()));
        }
        self.events.retain(is_named);
        self.weigh();
        Ok(())
    }

    /// Sums the weights of the events, leaves out those without any, and finds the frames.
    fn weigh(&mut self) {
        let mut is_used = vec![false; self.stacks.frames().len()];
        let totals: Vec<u64> = self
            .events
            .iter()
            .map(|event| {
                let each = |stack: ExportedStack<'_>| {
                    stack.frames.iter().for_each(|&frame| is_used[frame as usize] = true);
                    stack.weight
                };
                self.stacks_of(event).map(each).sum()
            })
            .collect();
        self.events.iter_mut().zip(totals).for_each(|(event, total)| event.total = total);
        if self.events.len() > 1 {
            self.events.retain(|event| event.total > 0);
        }
        let used = (0..).zip(&is_used).filter_map(|(frame, &is_used)| is_used.then_some(frame));
        self.frames = used.collect();
        self.places = vec![0; is_used.len()];
        for (&frame, place) in self.frames.iter().zip(0..) {
            self.places[frame as usize] = place;
        }
    }

    /// The stacks of an event, sorted by their labels, then by the names of their frames.
    pub(crate) fn stacks_of<'a>(
        &'a self,
        event: &'a ExportedEvent,
    ) -> impl Iterator<Item = ExportedStack<'a>> {
        // A stack shares no more frames with the last one that was kept than with those between
        // them.
        let mut shared_with_skipped = 0;
        self.stacks.iter().filter_map(move |stack| {
            let shared = stack.shared.min(shared_with_skipped);
            let exported = self.exported(stack, event).filter(|stack| stack.weight > 0);
            shared_with_skipped = if exported.is_some() { usize::MAX } else { shared };
            let mut exported = exported?;
            let above = stack.frames.len() - exported.frames.len();
            exported.shared = shared.saturating_sub(above);
            Some(exported)
        })
    }

    /// A stack without the frames for its labels and its event, if it is of this event.
    fn exported<'a>(
        &self,
        stack: SortedStack<'a>,
        event: &ExportedEvent,
    ) -> Option<ExportedStack<'a>> {
        let (labels, frames) = match stack.frames {
            [first, rest @ ..] if labels_of(self.name(*first)).is_some() => (Some(*first), rest),
            frames => (None, frames),
        };
        let is_of_event = match &event.of {
            EventOf::All => true,
            EventOf::Root(root) => frames.first() == Some(root),
            EventOf::Label(value) => self.labels(labels).get("event") == value.as_deref(),
        };
        let frames = match (&event.of, frames) {
            // A weight without a stack has no frame but its event.
            (EventOf::Root(_), [_, rest @ ..]) if !rest.is_empty() => rest,
            (_, frames) => frames,
        };
        let weight = stack.weight;
        is_of_event.then_some(ExportedStack { labels, frames, shared: 0, weight })
    }

    /// The event, for formats that hold only one.
    pub(crate) fn only_event(&self) -> &ExportedEvent {
        &self.events[0]
    }

    /// How many stacks there are in all events.
    pub(crate) fn distinct_stacks(&self) -> usize {
        self.events.iter().map(|event| self.stacks_of(event).count()).sum()
    }

    /// The index of a frame in [`Profile::frames`].
    pub(crate) fn place(&self, frame: FrameId) -> u32 {
        self.places[frame as usize]
    }

    pub(crate) fn name(&self, frame: FrameId) -> &[u8] {
        self.stacks.frames().name(frame)
    }

    /// The name without marks, for formats that are text and have no places: what is not UTF-8 is
    /// escaped.
    pub(crate) fn text(&self, frame: FrameId) -> Cow<'_, str> {
        match FrameParts::of(self.name(frame)).name {
            b"" => NAMELESS.into(),
            name => utf8(name),
        }
    }

    /// The words for the marks of a frame.
    pub(crate) fn marks(&self, frame: FrameId) -> Vec<Cow<'static, str>> {
        words(FrameParts::of(self.name(frame)).marks)
    }

    /// The names and the values of labels that are not UTF-8, each once.
    pub(crate) fn not_utf8(&self) -> BTreeSet<&[u8]> {
        let is_odd = |text: &&[u8]| str::from_utf8(text).is_err();
        let names = self.frames.iter().map(|&frame| self.name(frame));
        let mut odd: BTreeSet<&[u8]> = names.filter(is_odd).collect();
        for event in &self.events {
            let labels: BTreeSet<FrameId> =
                self.stacks_of(event).filter_map(|stack| stack.labels).collect();
            let labels = labels.into_iter().filter(|&frame| is_odd(&self.name(frame)));
            odd.extend(labels.flat_map(|frame| values_in(self.name(frame))).filter(is_odd));
        }
        odd
    }

    /// The labels that a stack has.
    pub(crate) fn labels(&self, labels: Option<FrameId>) -> LabelSet<'_> {
        labels.and_then(|frame| labels_of(self.name(frame))).unwrap_or_default()
    }
}

/// The error where the user asks for an event that is not among `known`.
pub(crate) fn no_event(name: &str, known: BTreeSet<&str>) -> Error {
    let name = if name.is_empty() { "''" } else { name };
    if known.is_empty() {
        return Error::Usage(format!(
            "--event {name}: the stacks have none, see 'stack-parse --by-event --header' and \
             'stack-parse --labels event'"
        ));
    }
    let known = Vec::from_iter(known).join(", ");
    Error::Usage(format!("--event {name}: expected one of these: {known}"))
}
