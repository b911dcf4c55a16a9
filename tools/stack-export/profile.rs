//! What came in: stacks, by event.

use std::borrow::Cow;

use common::{Error, FrameId, Pipe, Result, SortedStacks, escaped};

use crate::event::{ExportedEvent, as_frame};

/// Stacks that weigh something, and the events they were counted for.
pub(crate) struct Profile {
    stacks: SortedStacks,
    pub(crate) events: Vec<ExportedEvent>,
    /// The frames of the stacks, in the order of their names.
    frames: Vec<FrameId>,
    /// For each frame its place in `frames`.
    places: Vec<u32>,
}

/// A stack of an event.
#[derive(Clone, Copy)]
pub(crate) struct ExportedStack<'a> {
    /// Root first; never empty.
    pub(crate) frames: &'a [FrameId],
    /// How many of the first frames it has in common with the stack before.
    pub(crate) shared: usize,
    /// Never 0.
    pub(crate) weight: u64,
}

impl Profile {
    /// The stacks that `pipe` has read. Where header lines name several events and every stack
    /// has one of them as its root, as `stack-parse --by-event --header` writes them, the roots
    /// are no frames.
    pub(crate) fn new(stacks: SortedStacks, pipe: &Pipe, unit: Option<&str>) -> Profile {
        let events = events_of(&stacks, pipe, unit);
        let events = events.unwrap_or_else(|| vec![ExportedEvent::only(pipe, unit)]);
        let mut profile = Profile { stacks, events, frames: Vec::new(), places: Vec::new() };
        profile.weigh();
        profile
    }

    /// Leaves all events out but one.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`], which names the events, if there is none of this name.
    pub(crate) fn keep_event(&mut self, name: &str) -> Result<()> {
        let is_named = |event: &ExportedEvent| event.name.as_deref() == Some(name);
        if !self.events.iter().any(is_named) {
            let names: Vec<&str> =
                self.events.iter().filter_map(|event| event.name.as_deref()).collect();
            let known = match names[..] {
                [] => "the stacks have none, see 'stack-parse --by-event --header'".to_owned(),
                _ => names.join(", "),
            };
            return Err(Error::Usage(format!("--event {name}: expected one of these: {known}")));
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

    /// The stacks of an event, sorted by the names of their frames.
    pub(crate) fn stacks_of(
        &self,
        event: &ExportedEvent,
    ) -> impl Iterator<Item = ExportedStack<'_>> {
        let root = event.root;
        let of_event = self
            .stacks
            .iter()
            .filter(move |stack| root.is_none_or(|root| stack.frames.first() == Some(&root)));
        // What is shared with a stack that is left out is shared with the one before at most.
        let mut shared_with_skipped = usize::MAX;
        let mut is_first = true;
        of_event.filter_map(move |stack| {
            let shared = stack.shared.min(shared_with_skipped);
            if stack.weight == 0 {
                shared_with_skipped = shared;
                return None;
            }
            shared_with_skipped = usize::MAX;
            let shared = if std::mem::take(&mut is_first) { 0 } else { shared };
            Some(match (root, stack.frames) {
                // What was counted without any stack has no frame but its event.
                (None, frames) | (Some(_), frames @ [_]) => {
                    ExportedStack { frames, shared, weight: stack.weight }
                }
                (Some(_), frames) => ExportedStack {
                    frames: &frames[1..],
                    shared: shared.saturating_sub(1),
                    weight: stack.weight,
                },
            })
        })
    }

    /// How many stacks there are in all events.
    pub(crate) fn distinct_stacks(&self) -> usize {
        self.events.iter().map(|event| self.stacks_of(event).count()).sum()
    }

    /// The frames of all stacks, each once, in the order of their names.
    pub(crate) fn frames(&self) -> &[FrameId] {
        &self.frames
    }

    /// The place of a frame in [`frames`](Profile::frames).
    pub(crate) fn place(&self, frame: FrameId) -> u32 {
        self.places[frame as usize]
    }

    pub(crate) fn name(&self, frame: FrameId) -> &[u8] {
        self.stacks.frames().name(frame)
    }

    /// The name for formats that are text: what is not UTF-8 is escaped.
    pub(crate) fn text(&self, frame: FrameId) -> Cow<'_, str> {
        let name = self.name(frame);
        match str::from_utf8(name) {
            Ok(text) => text.into(),
            Err(_) => escaped(name, |_| false).into(),
        }
    }
}

/// The events of the header lines, if every stack has one of them as its root.
fn events_of(stacks: &SortedStacks, pipe: &Pipe, unit: Option<&str>) -> Option<Vec<ExportedEvent>> {
    let known: Vec<(Vec<u8>, &[u8], &[u8])> = pipe
        .header_events()
        .into_iter()
        .map(|(name, of_header)| (as_frame(name), name, unit.map_or(of_header, str::as_bytes)))
        .collect();
    let mut events: Vec<ExportedEvent> = Vec::new();
    for stack in stacks.iter() {
        let &root = stack.frames.first()?;
        if events.last().is_none_or(|event| event.root != Some(root)) {
            let frame = stacks.frames().name(root);
            let (_, name, unit) = known.iter().find(|(known, ..)| known == frame)?;
            events.push(ExportedEvent::of_root(name, unit, root));
        }
    }
    (!events.is_empty()).then_some(events)
}
