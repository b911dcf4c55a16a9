//! The events that the stacks were counted for, and what their weights measure.

use std::borrow::Cow;
use std::collections::BTreeSet;

use common::stacks::{FrameId, SortedStacks};
use common::{folded::clean_frame, names::unit_of_event, numbers::Unit, pipe::Pipe};

use crate::labelled::labels_of;

/// What a profiler counted: one profile of its own.
pub(crate) struct ExportedEvent {
    /// Its name in the header lines or in the label.
    pub(crate) name: Option<String>,
    /// The name of its unit, from the user or from the header lines.
    unit_name: Option<String>,
    pub(crate) of: EventOf,
    /// What all its stacks weigh.
    pub(crate) total: u64,
}

/// Which stacks are of an event.
pub(crate) enum EventOf {
    All,
    /// Those whose root is this frame. The root is the event, so it is left out of them.
    Root(FrameId),
    /// Those whose label `event` has this value; with `None`, those without this label.
    Label(Option<Vec<u8>>),
}

impl ExportedEvent {
    /// The events of stacks, in the order of their names.
    pub(crate) fn all_of(
        stacks: &SortedStacks,
        pipe: &Pipe,
        unit: Option<&str>,
    ) -> Vec<ExportedEvent> {
        of_labels(stacks, pipe, unit)
            .or_else(|| of_roots(stacks, pipe, unit))
            .unwrap_or_else(|| vec![ExportedEvent::only(pipe, unit)])
    }

    /// The only event.
    fn only(pipe: &Pipe, unit: Option<&str>) -> ExportedEvent {
        let unit_name = unit.map(str::to_owned).or_else(|| pipe.header_unit());
        let name = pipe.header_value("event").map(text);
        ExportedEvent { name, unit_name, of: EventOf::All, total: 0 }
    }

    /// What its weights measure.
    pub(crate) fn unit(&self) -> Unit {
        Unit::named(self.unit_name.as_deref().unwrap_or_default())
    }

    /// The word of viewers for its unit, if that is a time or bytes.
    pub(crate) fn unit_word(&self) -> Option<&'static str> {
        match self.unit() {
            Unit::Time(1) => Some("nanoseconds"),
            Unit::Time(1_000) => Some("microseconds"),
            Unit::Time(1_000_000) => Some("milliseconds"),
            Unit::Time(_) => Some("seconds"),
            Unit::Bytes => Some("bytes"),
            Unit::Things(_) | Unit::Unknown => None,
        }
    }

    /// Whether the weights count samples of an event that is a time: then a sample stands for
    /// the time to the next one.
    pub(crate) fn counts_samples_of_time(&self) -> bool {
        let counts_samples = match self.unit() {
            Unit::Things(unit) => unit == "samples",
            Unit::Unknown => true,
            Unit::Time(_) | Unit::Bytes => false,
        };
        let name = self.name.as_deref().unwrap_or_default();
        counts_samples && unit_of_event(name.as_bytes()) == b"ns"
    }

    /// The name of the event, or else of its unit.
    pub(crate) fn label(&self) -> &str {
        let names = [&self.name, &self.unit_name].into_iter().flatten();
        names.map(String::as_str).find(|name| !name.is_empty()).unwrap_or("samples")
    }

    /// The label with the unit after it, for formats that have units only for times and bytes:
    /// `page-faults (samples)`.
    pub(crate) fn label_with_unit(&self) -> String {
        match self.unit() {
            Unit::Things(unit) if unit != self.label() => format!("{} ({unit})", self.label()),
            _ => self.label().to_owned(),
        }
    }
}

/// The values of the label `event`, if any stack has one.
fn of_labels(stacks: &SortedStacks, pipe: &Pipe, unit: Option<&str>) -> Option<Vec<ExportedEvent>> {
    let mut values: BTreeSet<Option<Vec<u8>>> = BTreeSet::new();
    let mut last = None;
    for stack in stacks.iter().filter(|stack| stack.weight > 0) {
        let first = stack.frames.first().copied();
        if std::mem::replace(&mut last, first) == first && first.is_some() {
            continue;
        }
        let labels = first.and_then(|first| labels_of(stacks.frames().name(first)));
        values.insert(labels.and_then(|labels| labels.get("event").map(<[u8]>::to_vec)));
    }
    if values.iter().all(Option::is_none) {
        return None;
    }
    let headers = pipe.header_events();
    let event = |value: Option<Vec<u8>>| {
        let name = Some(text(&name_of_value(value.as_deref())));
        let of_header = headers.iter().find(|(name, _)| Some(*name) == value.as_deref());
        let unit_name = unit.map(str::to_owned);
        let unit_name = unit_name.or_else(|| of_header.map(|(_, unit)| text(unit)));
        let unit_name = unit_name.or_else(|| pipe.header_unit());
        ExportedEvent { name, unit_name, of: EventOf::Label(value), total: 0 }
    };
    let mut events: Vec<ExportedEvent> = values.into_iter().map(event).collect();
    let mut taken = BTreeSet::new();
    for name in events.iter_mut().filter_map(|event| event.name.as_mut()) {
        // Names may become equal: one may hold the escapes of bytes that are not UTF-8 in another.
        while !taken.insert(name.clone()) {
            name.push('_');
        }
    }
    Some(events)
}

/// The name of the event of stacks with this value of the label `event`, or without the label.
pub(crate) fn name_of_value(value: Option<&[u8]>) -> Cow<'_, [u8]> {
    match value {
        None => b"[no event]".into(),
        Some(b"") => b"[empty event]".into(),
        Some(name) => name.into(),
    }
}

/// The events of the header lines, if every stack has one of them as its root.
fn of_roots(stacks: &SortedStacks, pipe: &Pipe, unit: Option<&str>) -> Option<Vec<ExportedEvent>> {
    let known: Vec<(Vec<u8>, &[u8], &[u8])> = pipe
        .header_events()
        .into_iter()
        .map(|(name, of_header)| (as_frame(name), name, unit.map_or(of_header, str::as_bytes)))
        .collect();
    let mut events: Vec<ExportedEvent> = Vec::new();
    let mut roots = BTreeSet::new();
    for stack in stacks.iter() {
        let name = |frame: FrameId| stacks.frames().name(frame);
        let root = match stack.frames {
            [first, root, ..] if labels_of(name(*first)).is_some() => *root,
            [first, ..] => *first,
            [] => return None,
        };
        if roots.insert(root) {
            let (_, name, unit) = known.iter().find(|(known, ..)| known == name(root))?;
            events.push(ExportedEvent {
                name: Some(text(name)),
                unit_name: Some(text(unit)),
                of: EventOf::Root(root),
                total: 0,
            });
        }
    }
    events.sort_by(|one, other| one.name.cmp(&other.name));
    (!events.is_empty()).then_some(events)
}

fn text(bytes: &[u8]) -> String {
    common::names::utf8(bytes).into_owned()
}

/// The name of an event as a frame.
pub(crate) fn as_frame(name: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    clean_frame(name, &mut frame);
    frame
}
