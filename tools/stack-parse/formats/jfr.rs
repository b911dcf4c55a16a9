//! Java flight recordings, of the JVM since Java 9 and of async-profiler: a sequence of chunks,
//! each with the types, the constants and the events of some time.
//!
//! Grammar from OpenJDK's jdk.jfr (`ChunkHeader`, `MetadataReader`, `ChunkParser`) and
//! src/hotspot/share/jfr/recorder/checkpoint. A chunk is read twice, since types and constants come
//! after the events that need them.

mod chunk;
mod kinds;
mod pools;
mod spans;
mod stackless;
mod types;
mod values;

use std::collections::{HashMap, HashSet};

use common::{Error, Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::read::java_events::{JavaLosses, PREFERRED, unit};
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::samples::{Samples, Weighs};
use chunk::{File, Header, JfrEvent};
use kinds::{EventKind, kind};
use pools::{Pools, String as Constant, Thread};
use spans::{LastingEvents, lasting};
use stackless::{Stackless, StacklessEvent, sample};
use types::{Role, Types};
use values::Values;

pub(super) const FORMAT: Format =
    Format::new("jfr", "A Java flight recording, of the JVM or of async-profiler", detect, parse)
        .weighs(Weighs::Value)
        .extras(&[Extra::Spans]);

/// The types of records that are not events.
const METADATA: u64 = 0;
const CHECKPOINT: u64 = 1;

fn detect(head: &Head<'_>) -> bool {
    head.bytes.starts_with(b"FLR\0")
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where something cannot be read, after
/// everything else was; or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let file = input.take_seekable();
    let file = file.map_err(|source| Error::Input { name: name.clone(), source })?;
    let mut recording = Recording::of(File::new(name.clone(), file));
    let read = recording.chunks(samples);
    for class in &recording.seen {
        samples.events.set_unit(&class.name, unit(&class.name, class.has_duration));
    }
    recording.report(samples);
    read?;
    match recording.damaged {
        Some((at, what)) => {
            let what = format!("expected {what} at byte {at}; what could be read is kept");
            Err(Error::Unknown { name, what })
        }
        None => Ok(()),
    }
}

/// A recording that is being read.
struct Recording {
    file: File,
    /// Where the first damage is, and what was expected there.
    damaged: Option<(u64, &'static str)>,
    /// Whether the default event was chosen.
    is_chosen: bool,
    /// The event that is being read.
    body: Vec<u8>,
    seen: HashSet<Seen>,
    stackless: Stackless,
    lasting: LastingEvents,
    /// Events whose weight is below zero or over 64 bits.
    bad_weights: u64,
    /// Events without a weight, though their type has one.
    weightless: u64,
    losses: JavaLosses,
}

/// A type of which there is an event.
#[derive(PartialEq, Eq, Hash)]
struct Seen {
    name: Vec<u8>,
    has_duration: bool,
}

/// The types and constants of a chunk.
#[derive(Default)]
struct Contents {
    types: Types,
    pools: Pools,
}

/// The types of the events so far; `None` for those that never have stacks.
type EventKinds<'t> = HashMap<u64, Option<EventKind<'t>>>;

impl Recording {
    fn of(file: File) -> Recording {
        Recording {
            file,
            damaged: None,
            is_chosen: false,
            body: Vec::new(),
            seen: HashSet::new(),
            stackless: Stackless::default(),
            lasting: LastingEvents::default(),
            bad_weights: 0,
            weightless: 0,
            losses: JavaLosses::default(),
        }
    }

    fn chunks(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let mut at = 0;
        loop {
            self.file.seek(at)?;
            let header = match self.file.header()? {
                (_, Some(header)) => header,
                (0, None) if at > 0 => return Ok(()),
                (_, None) => {
                    let first = "a chunk of version 2, as of Java 9 and later";
                    self.damage(at, if at == 0 { first } else { "a chunk" });
                    return Ok(());
                }
            };
            let (contents, classes) = self.contents(&header)?;
            if let Some(mut contents) = contents {
                self.choose(&contents.types, &classes, samples);
                self.events(&header, &mut contents, samples)?;
            }
            if header.end == u64::MAX {
                return Ok(());
            }
            at = header.end;
        }
    }

    fn damage(&mut self, at: u64, expected: &'static str) {
        self.damaged.get_or_insert((at, expected));
    }

    /// Reads the types and constants of a chunk; returns them, and the numbers of the types of its
    /// events.
    fn contents(&mut self, chunk: &Header) -> Result<(Option<Contents>, HashSet<u64>)> {
        let (mut metadata, mut checkpoints, mut classes) = (None, Vec::new(), HashSet::new());
        while let Some(event) = self.file.event(chunk)? {
            let Some(event) = event else {
                self.damage(chunk.start, "a chunk that is whole");
                break;
            };
            match event.class {
                METADATA => metadata = Some(event.at),
                CHECKPOINT => checkpoints.push(event.at),
                class => drop(classes.insert(class)),
            }
            self.file.skip(&event)?;
        }
        let Some(metadata) = metadata else {
            self.damage(chunk.start, "a chunk with metadata");
            return Ok((None, classes));
        };
        let mut contents = Contents::default();
        let Some(values) = self.read_at(metadata, chunk)? else { return Ok((None, classes)) };
        match Types::read(values) {
            Ok(types) => contents.types = types,
            Err(values::Malformed) => {
                self.damage(metadata, "metadata");
                return Ok((None, classes));
            }
        }
        // Strings first: threads refer to those of earlier checkpoints.
        for at in checkpoints {
            let Some(values) = self.read_at(at, chunk)? else { break };
            if contents.pools.read(values, &contents.types).is_err() {
                self.damage(at, "constants");
            }
        }
        Ok((Some(contents), classes))
    }

    /// The body of the event at this byte; `None` if the file ends within it.
    fn read_at(&mut self, at: u64, chunk: &Header) -> Result<Option<Values<'_>>> {
        self.file.seek(at)?;
        let is_whole = match self.file.event(chunk)?.flatten() {
            Some(event) => self.file.read(&event, &mut self.body)?,
            None => false,
        };
        if !is_whole {
            self.damage(at, "an event that is whole");
            return Ok(None);
        }
        Ok(Some(Values::new(&self.body, chunk.is_compressed)))
    }

    /// Chooses the event that is taken if the user names none.
    fn choose(&mut self, types: &Types, classes: &HashSet<u64>, samples: &mut Samples<'_>) {
        let has = |name: &&&str| {
            let is_it =
                |class: &&u64| types.get(**class).is_some_and(|it| it.name == name.as_bytes());
            classes.iter().any(|class| is_it(&class))
        };
        if self.is_chosen {
            return;
        }
        if let Some(name) = PREFERRED.iter().find(has) {
            self.is_chosen = true;
            samples.events.take_first(name.as_bytes());
        }
    }

    /// Notes what is wrong with weights.
    fn report(&self, samples: &mut Samples<'_>) {
        samples.note_counts(&[
            (
                self.bad_weights,
                "events have a weight below zero or over 64 bits: they are left out",
            ),
            (self.weightless, "events have no weight: each counts one"),
        ]);
        self.losses.report(samples);
        self.lasting.report(samples);
    }

    /// Adds the events of a chunk that have a stack, or are of a type that has stacks.
    fn events(
        &mut self,
        chunk: &Header,
        contents: &mut Contents,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let Contents { types, pools } = contents;
        let (mut kinds, wants_labels) = (EventKinds::new(), samples.wants.labels());
        self.file.seek(chunk.start + chunk::HEADER_SIZE)?;
        while let Some(Some(event)) = self.file.event(chunk)? {
            let known = kinds.entry(event.class).or_insert_with(|| {
                let kind = if samples.wants.spans { lasting } else { kind };
                let mut found = types.get(event.class).and_then(kind)?;
                let has_duration = found.weight == Role::Duration;
                self.seen.insert(Seen { name: found.class.name.clone(), has_duration });
                found.is_sampled |= self.stackless.is_stacked(&found.class.name);
                Some(found)
            });
            let Some(kind) = known else {
                self.note_loss(&event, chunk, types)?;
                continue;
            };
            if !self.file.read(&event, &mut self.body)? {
                break;
            }
            let mut values = Values::new(&self.body, chunk.is_compressed);
            let Ok(fields) =
                Fields::read(event.class, kind.weight, &mut values, types, wants_labels)
            else {
                self.damage(event.at, "an event");
                continue;
            };
            if samples.wants.spans {
                self.lasting.add(kind.class, &fields, chunk, pools, samples);
                continue;
            }
            if fields.stack != 0 && !kind.is_sampled {
                kind.is_sampled = true;
                let unit = unit(&kind.class.name, kind.weight == Role::Duration);
                self.stackless.add(&kind.class.name, unit, samples)?;
            }
            let kind = *kind;
            self.add(kind, &fields, chunk, pools, samples)?;
        }
        Ok(())
    }

    /// Notes how much was lost if an event says so, and skips any other one.
    fn note_loss(&mut self, event: &JfrEvent, chunk: &Header, types: &Types) -> Result<()> {
        let name = types.get(event.class).map_or(&b""[..], |class| &class.name);
        let Some(field) = JavaLosses::field(name) else { return self.file.skip(event) };
        if !self.file.read(event, &mut self.body)? {
            return Ok(());
        }
        let mut values = Values::new(&self.body, chunk.is_compressed);
        let is_read = types.value(event.class, &mut values, &mut |role, value| {
            if role == Role::of_field(field) {
                self.losses.add(field, value.number());
            }
        });
        if is_read.is_err() {
            self.damage(event.at, "an event");
        }
        Ok(())
    }

    /// Adds an event, or keeps it until one of its type has a stack.
    fn add(
        &mut self,
        EventKind { class, weight, is_sampled }: EventKind<'_>,
        fields: &Fields,
        chunk: &Header,
        pools: &mut Pools,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let weight = match (weight, fields.weight) {
            (_, Some(number)) if number.cast_signed() < 0 => None,
            (Role::Duration | Role::SamplingPeriod, Some(ticks)) => chunk.nanoseconds_of(ticks),
            (_, Some(weight)) => Some(weight),
            (Role::Other, None) => Some(1),
            (_, None) => {
                self.weightless += u64::from(is_sampled);
                Some(1)
            }
        };
        let Some(weight) = weight else {
            self.bad_weights += u64::from(is_sampled);
            return Ok(());
        };
        let mut labels = OwnLabels::default();
        for (key, number) in &fields.labels {
            labels.add_known(FORMAT.name, key, &pools.label(key, *number));
        }
        let nobody = Thread::default();
        let time = chunk.time(fields.time);
        if !is_sampled {
            let thread = pools.thread(fields.thread).unwrap_or(&nobody).clone();
            self.stackless.wait(&class.name, StacklessEvent { time, weight, thread, labels });
            return Ok(());
        }
        pools.name_stack(fields.stack, samples);
        let thread = pools.thread(fields.thread).unwrap_or(&nobody);
        let (weights, labels) = (&[weight], labels.list());
        let sample = sample(&class.name, thread, time, weights);
        samples.add(&with_labels(sample, &labels), pools.stack(fields.stack))
    }
}

/// The fields of an event that are read.
#[derive(Debug, Default)]
struct Fields {
    time: u64,
    stack: u64,
    thread: u64,
    weight: Option<u64>,
    /// Keys, and the numbers of the constants with their values.
    labels: Vec<(&'static str, u64)>,
    /// What async-profiler calls a span.
    tag: Constant,
}

impl Fields {
    fn read(
        class: u64,
        weight: Role,
        values: &mut Values<'_>,
        types: &Types,
        wants_labels: bool,
    ) -> Result<Fields, values::Malformed> {
        let (mut fields, is_compressed) = (Fields::default(), values.is_compressed);
        types.value(class, values, &mut |role, value| {
            let number = value.number();
            match role {
                Role::StartTime => fields.time = number,
                Role::StackTrace => fields.stack = number,
                Role::EventThread | Role::SampledThread => fields.thread = number,
                Role::Tag => fields.tag = Constant::of(value, is_compressed),
                Role::Label(key) if wants_labels => fields.labels.push((key, number)),
                _ if role == weight && role != Role::Other => fields.weight = Some(number),
                _ => {}
            }
        })?;
        Ok(fields)
    }
}
