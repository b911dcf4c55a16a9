//! Profiles of pprof: profile.proto, as Go, gperftools' pprof, py-spy, Parca, Pyroscope and others
//! write it, mostly compressed with gzip.
//!
//! Grammar from profile.proto of github.com/google/pprof. Writers may put fields in any order: Go's
//! has its strings last. So the whole file is kept in memory, and its samples are read after
//! everything else.

mod messages;
mod prune;
mod tables;

use std::io::Read;

use common::{Error, Result, io::Input};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::read::protobuf::{FieldNumber, Fields, Value, begun};
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Inlined, Samples};
use messages::{MOST_FIELDS, profile, sample, value_type};
use tables::{LEAF, Tables};

pub(super) const FORMAT: Format = Format::new(
    "pprof",
    "A profile of pprof (profile.proto), as of Go, gperftools' pprof and Parca",
    detect,
    parse,
);

/// Whether all or most of the first bytes are fields of a profile. Other data has other types:
/// fields 1 to 6 and 13 must be messages, strings or packed numbers. Text may match by chance, but
/// has no control bytes, which every sample has.
fn detect(head: &Head<'_>) -> bool {
    if head.is_text() {
        return false;
    }
    let mut fields = Fields::of(head.bytes);
    let (mut seen, mut messages, mut has_type) = (0, 0, false);
    let is_well_formed = (&mut fields).map_while(Result::ok).all(|field| {
        seen += 1;
        match field {
            (profile::SAMPLE_TYPE | profile::PERIOD_TYPE, Value::Bytes(message)) => {
                has_type = true;
                is_value_type(message)
            }
            (number, Value::Bytes(message)) if is_table(number) => {
                messages += 1;
                is_message(message)
            }
            (profile::STRING_TABLE | profile::COMMENT, Value::Bytes(_)) => true,
            (field, Value::Number(_)) => NUMBERS.contains(&field.number()),
            _ => false,
        }
    });
    let rest = fields.rest();
    let is_all = is_well_formed && (rest.is_empty() || begun(rest).is_some());
    let is_most = rest.len() <= head.bytes.len() / 2 || is_begun_message(rest);
    // A sample type may come after any number of samples, followed by a message longer than the
    // bytes seen here. If many fields are right, the next may be damaged.
    let is_more = seen > 1 || is_begun_message(rest);
    is_most && (is_all && (has_type && is_more || messages > 20) || has_type && seen > 5)
}

/// The fields of a profile that are numbers, most of which are not read.
const NUMBERS: [u64; 8] = [7, 8, 9, 10, 12, 13, 14, 15];

/// Whether a field of a profile holds samples, or what they refer to by numbers.
fn is_table(field: FieldNumber) -> bool {
    matches!(field, profile::SAMPLE | profile::MAPPING | profile::LOCATION | profile::FUNCTION)
}

/// Whether a message has only the two string indexes of a value type.
fn is_value_type(message: &[u8]) -> bool {
    Fields::of(message)
        .all(|field| matches!(field, Ok((value_type::TYPE | value_type::UNIT, Value::Number(_)))))
}

fn is_message(message: &[u8]) -> bool {
    Fields::of(message).all(|field| matches!(field, Ok((it, _)) if it.number() <= MOST_FIELDS))
}

/// Whether bytes that end too early are the start of a long sample, most of which may be a deep
/// stack, or of another message.
fn is_begun_message(rest: &[u8]) -> bool {
    let Some((field, Some(content))) = begun(rest) else { return false };
    let mut fields = Fields::of(content);
    let is_message = (&mut fields).map_while(Result::ok).all(|(it, _)| it.number() <= MOST_FIELDS);
    let rest = fields.rest();
    let is_most = rest.len() <= content.len() / 2 || begun(rest).is_some();
    is_table(field) && is_message && is_most
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where something cannot be read, after all the rest was
/// read; or an error of writing.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut bytes = Vec::new();
    let broken = input.read_to_end(&mut bytes).err();
    let mut tables = Tables::default();
    let read = tables.read(&bytes);
    if tables.is_several {
        let what = "several profiles one after the other, with equal ids for different things: \
                    merge them with 'go tool pprof -proto'";
        return Err(Error::Unknown { name, what: what.to_owned() });
    }
    tables.tell_comments(samples);
    tables.note_facts(samples);
    tables.name_locations(options, samples);
    let counted = count(&bytes, &tables, samples)?;
    counted.report(samples);
    let damaged = |at| {
        let what =
            format!("expected a field of a profile at byte {at}; what could be read is kept");
        Error::Unknown { name: name.clone(), what }
    };
    match (broken, read, counted.damaged) {
        (Some(source), ..) => Err(Error::Input { name, source }),
        (None, Err(at), _) | (None, Ok(()), Some(at)) => Err(damaged(at)),
        (None, Ok(()), None) => Ok(()),
    }
}

/// Problems found in the samples.
#[derive(Default)]
struct Counted {
    /// How many samples have a negative value, and the sum of these values.
    negative: u64,
    negative_total: i128,
    unknown_locations: u64,
    /// How many samples lack the value that is counted.
    valueless: u64,
    inlined: Inlined,
    /// The offset of the first sample that cannot be read.
    damaged: Option<usize>,
}

/// A sample as it is in the profile.
#[derive(Debug, Default)]
struct Stored {
    /// The ids of the locations, leaf first.
    locations: Vec<u64>,
    /// A value for each measure.
    weights: Vec<u64>,
    labels: OwnLabels,
}

/// Counts all samples.
fn count(bytes: &[u8], tables: &Tables<'_>, samples: &mut Samples<'_>) -> Result<Counted> {
    let types = tables.sample_types();
    let measures: Vec<_> = types.iter().map(|(name, unit)| Measure { name, unit }).collect();
    let mut place = None;
    if !measures.is_empty() {
        place = samples.events.set_measures_with(&measures, tables.default_type());
    }
    let wants_labels = samples.wants.origin();
    let is_leaf_wanted = LEAF.iter().any(|key| samples.wants.label(key));
    let (mut counted, mut stored) = (Counted::new(bytes.len()), Stored::default());
    let mut frames = Vec::new();
    let mut fields = Fields::of(bytes);
    loop {
        let at = bytes.len() - fields.rest().len();
        let Some(Ok((field, value))) = fields.next() else { return Ok(counted) };
        if field != profile::SAMPLE {
            continue;
        }
        if !stored.read(value.bytes(), wants_labels, tables) {
            counted.damaged.get_or_insert(at);
        }
        let Stored { locations, weights, labels } = &mut stored;
        counted.valueless += u64::from(weights.len() <= place.unwrap_or(0));
        counted.admit(weights, place);
        frames.clear();
        for &location in locations.iter().rev() {
            if !tables.append_frames(location, &mut counted.inlined, &mut frames) {
                counted.unknown_locations += 1;
                frames.push(samples.frame(b"[unknown]"));
            }
        }
        if let Some(kept) = tables.prune(locations) {
            frames.clear();
            kept.iter().rev().for_each(|&location| {
                tables.append_frames(location, &mut counted.inlined, &mut frames);
            });
        }
        if is_leaf_wanted && let Some(&leaf) = tables.prune(locations).unwrap_or(locations).first()
        {
            tables.add_leaf_labels(leaf, labels);
        }
        let labels = labels.list();
        let sample = Sample { weights, ..Sample::default() };
        samples.add(&with_labels(sample, &labels), &frames)?;
    }
}

impl Stored {
    /// Reads a sample into this one; reads its labels only if they are wanted. False if a part of
    /// it cannot be read.
    fn read(&mut self, sample: &[u8], wants_labels: bool, tables: &Tables<'_>) -> bool {
        let Stored { locations, weights, labels } = self;
        locations.clear();
        weights.clear();
        labels.clear();
        let mut is_whole = true;
        for field in Fields::of(sample) {
            let read = field.and_then(|(number, value)| match (number, wants_labels) {
                (sample::LOCATION_ID, _) => value.append_numbers(locations),
                (sample::VALUE, _) => value.append_numbers(weights),
                (sample::LABEL, true) => tables.add_label(value.bytes(), labels),
                _ => Ok(()),
            });
            is_whole &= read.is_ok();
        }
        is_whole
    }
}

impl Counted {
    /// The state for a profile of this many bytes.
    fn new(length: usize) -> Counted {
        Counted { inlined: Inlined::of(length), ..Counted::default() }
    }

    /// Reports the problems, with numbers.
    fn report(&self, samples: &mut Samples<'_>) {
        if self.negative > 0 {
            samples.note(format_args!(
                "{} samples have values below zero, {} in all, which count 0: this is the \
                 difference of two profiles",
                self.negative, self.negative_total
            ));
        }
        let unknown = "frames have no location in this profile: they are called [unknown]";
        samples.note_counts(&[
            (self.unknown_locations, unknown),
            (self.valueless, "samples do not have the value that is counted: they weigh nothing"),
            (self.inlined.left_out, Inlined::LEFT_OUT),
        ]);
    }

    /// Makes negative values 0, so that the other values of their samples count. Notes those at
    /// `place`, which the user asked for.
    fn admit(&mut self, weights: &mut [u64], place: Option<usize>) {
        for (index, weight) in weights.iter_mut().enumerate() {
            let value = weight.cast_signed();
            if value < 0 {
                if place.unwrap_or(0) == index {
                    self.negative += 1;
                    self.negative_total += i128::from(value);
                }
                *weight = 0;
            }
        }
    }
}
