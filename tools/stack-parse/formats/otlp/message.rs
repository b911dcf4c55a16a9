//! Reads the messages of an input, in either encoding.

use common::{Error, Result};

use super::attributes::Attribute;
use super::batch::{Batch, Profile, Stored};
use super::dictionary::{Dictionary, Function, Location, RawMapping};
use super::encoding::{Large, Part, Place};
use super::fields as of;
use super::recorded::Recorded;
use crate::options::Options;
use crate::read::protobuf::{FieldNumber, Names};
use crate::samples::Samples;

/// The error for a message in a form that is not read.
const OLD: &str = "profiles of opentelemetry-proto 1.7 or older, which are not read: write them \
                   with a newer profiler or collector";

/// Reads all messages of an input with this name.
pub(super) fn read(
    name: String,
    messages: &mut impl Large,
    options: &Options,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let mut recorded = Recorded::default();
    loop {
        let mut into = Reading { batch: Batch::default(), recorded: &mut recorded, samples };
        let read = read_message(messages, &mut into);
        into.batch.finish(options, samples)?;
        recorded.note(&mut samples.facts);
        if *messages.is_old() {
            return Err(Error::Unknown { name, what: OLD.to_owned() });
        }
        if !read? {
            return Ok(());
        }
    }
}

/// A message that is being read.
struct Reading<'a, 's> {
    batch: Batch,
    recorded: &'a mut Recorded,
    samples: &'a Samples<'s>,
}

/// Reads a message; false at the end of the input.
fn read_message(message: &mut impl Large, into: &mut Reading<'_, '_>) -> Result<bool> {
    if !message.next()? {
        return Ok(false);
    }
    message.fields(of::profiles_data::NAMES, |message, field| match field {
        of::profiles_data::RESOURCE_PROFILES => {
            message.each(|message| read_resource(message, into))
        }
        of::profiles_data::DICTIONARY => read_dictionary(message, &mut into.batch.dictionary),
        _ => Ok(()),
    })?;
    Ok(true)
}

/// Reads the profiles of a resource: a service, a host.
fn read_resource<M: Large>(message: &mut M, into: &mut Reading<'_, '_>) -> Result<()> {
    let first = into.batch.scopes.len();
    let mut own = Vec::new();
    let read = message.fields(of::resource_profiles::NAMES, |message, field| match field {
        of::resource_profiles::RESOURCE => {
            own.clear();
            message.part(|part| {
                attributes(part, of::resource::NAMES, of::resource::ATTRIBUTES, &mut own)
            })
        }
        of::resource_profiles::SCOPE_PROFILES => message.each(|message| read_scope(message, into)),
        _ => Ok(()),
    });
    if read.is_ok() || M::KEEPS_CUT_RESOURCES {
        into.batch.describe_scopes(first, &own);
    }
    read
}

/// Reads the profiles of a scope: of a library that profiles.
fn read_scope(message: &mut impl Large, into: &mut Reading<'_, '_>) -> Result<()> {
    let scope = into.batch.scopes.len();
    into.batch.scopes.push(Vec::new());
    message.fields(of::scope_profiles::NAMES, |message, field| match field {
        of::scope_profiles::SCOPE => {
            use of::instrumentation_scope::{ATTRIBUTES, NAMES};
            let mut own = Vec::new();
            message.part(|part| attributes(part, NAMES, ATTRIBUTES, &mut own))?;
            into.batch.describe_scopes(scope, &own);
            Ok(())
        }
        of::scope_profiles::PROFILES => message.each(|message| read_profile(message, into)),
        _ => Ok(()),
    })
}

fn read_profile(message: &mut impl Large, into: &mut Reading<'_, '_>) -> Result<()> {
    let mut profile = Profile::default();
    let mut is_of_18 = false;
    let read = message.fields_and_numbers(of::profile::NAMES, |message, field, number| {
        if let Some(number) = number {
            profile.set_number(field, number);
            return Ok(());
        }
        match field {
            of::profile::SAMPLE_TYPE => {
                // There were several before version 1.8.
                *message.is_old() |= message.is_list()?;
                profile.kind = value_type(message)?;
            }
            of::profile::PERIOD_TYPE => profile.period_unit = value_type(message)?[1],
            of::profile::SAMPLES => {
                message.samples(&mut |sample| into.batch.add(sample, into.samples))?;
            }
            of::profile_before_18::LOCATION_INDICES => *message.is_old() = true,
            of::profile::ATTRIBUTE_INDICES | of::profile_of_18::ATTRIBUTE_INDICES => {
                // In version 1.8, the field with today's number is the original profile: its bytes
                // are not numbers.
                is_of_18 |= field == of::profile_of_18::ATTRIBUTE_INDICES;
                if !is_of_18 || field == of::profile_of_18::ATTRIBUTE_INDICES {
                    profile.attributes.clear();
                    message.part(|part| part.read(Place::List(&mut profile.attributes)))?;
                }
            }
            _ => {}
        }
        Ok(())
    });
    message.end_samples(&mut |sample| into.batch.add(sample, into.samples));
    into.recorded.add(profile.start, profile.duration);
    into.batch.end_profile(&profile, into.samples);
    read
}

/// The numbers of the strings with a name and its unit.
fn value_type(message: &mut impl Large) -> Result<[u64; 2]> {
    use of::value_type::{NAMES, TYPE_STRINDEX, UNIT_STRINDEX};
    message.part(|part| part.numbers(NAMES, [TYPE_STRINDEX, UNIT_STRINDEX]))
}

impl Profile {
    /// Sets a field whose value is a number.
    fn set_number(&mut self, field: FieldNumber, number: u64) {
        match field {
            of::profile::TIME_UNIX_NANO => self.start = number,
            of::profile::DURATION_NANO => self.duration = number,
            of::profile::PERIOD => self.period = number,
            _ => {}
        }
    }
}

/// Reads a sample. `today` has the number that each of its fields has today.
pub(super) fn read_sample(
    part: &mut impl Part,
    stored: &mut Stored,
    today: impl Fn(FieldNumber) -> FieldNumber,
) -> Result<()> {
    stored.clear();
    part.fields(of::sample::NAMES, |part, field| match today(field) {
        of::sample::STACK_INDEX => part.read(Place::Number(&mut stored.stack)),
        of::sample::ATTRIBUTE_INDICES => part.read(Place::List(&mut stored.attributes)),
        of::sample::LINK_INDEX => part.read(Place::Number(&mut stored.link)),
        of::sample::VALUES => part.read(Place::List(&mut stored.values)),
        of::sample::TIMESTAMPS_UNIX_NANO => part.read(Place::Times(&mut stored.times)),
        _ => Ok(()),
    })
}

fn read_dictionary(message: &mut impl Large, tables: &mut Dictionary) -> Result<()> {
    message.fields(of::dictionary::NAMES, |message, field| {
        message.each(|message| message.part(|part| read_entry(part, field, tables)))
    })
}

/// Reads an entry of a table of the dictionary.
fn read_entry(part: &mut impl Part, table: FieldNumber, tables: &mut Dictionary) -> Result<()> {
    match table {
        of::dictionary::MAPPING_TABLE => tables.mappings.push(mapping(part)?),
        of::dictionary::LOCATION_TABLE => tables.locations.push(location(part)?),
        of::dictionary::FUNCTION_TABLE => {
            use of::function::{FILENAME_STRINDEX, NAME_STRINDEX, NAMES, SYSTEM_NAME_STRINDEX};
            let wanted = [NAME_STRINDEX, SYSTEM_NAME_STRINDEX, FILENAME_STRINDEX];
            let [name, system_name, file] = part.numbers(NAMES, wanted)?;
            tables.functions.push(Function { name, system_name, file });
        }
        of::dictionary::LINK_TABLE => tables.links.push(link(part)?),
        of::dictionary::STRING_TABLE => {
            part.read(Place::Text(&mut tables.strings))?;
            tables.string_ends.push(tables.strings.len());
        }
        of::dictionary::ATTRIBUTE_TABLE => part.read(Place::Attribute(&mut tables.attributes))?,
        of::dictionary::STACK_TABLE => {
            part.fields(of::stack::NAMES, |part, field| match field {
                of::stack::LOCATION_INDICES => part.read(Place::List(&mut tables.places)),
                _ => Ok(()),
            })?;
            tables.stack_ends.push(tables.places.len());
        }
        _ => {}
    }
    Ok(())
}

fn mapping(part: &mut impl Part) -> Result<RawMapping> {
    let mut mapping = RawMapping::default();
    part.fields(of::mapping::NAMES, |part, field| match field {
        of::mapping::MEMORY_START => part.read(Place::Number(&mut mapping.start)),
        of::mapping::MEMORY_LIMIT => part.read(Place::Number(&mut mapping.end)),
        of::mapping::FILE_OFFSET => part.read(Place::Number(&mut mapping.offset)),
        of::mapping::FILENAME_STRINDEX => part.read(Place::Number(&mut mapping.file)),
        of::mapping::ATTRIBUTE_INDICES => part.read(Place::List(&mut mapping.attributes)),
        _ => Ok(()),
    })?;
    if part.is_damaged() {
        mapping = RawMapping { attributes: mapping.attributes, ..RawMapping::default() };
    }
    Ok(mapping)
}

fn location(part: &mut impl Part) -> Result<Location> {
    let mut location = Location::default();
    part.fields(of::location::NAMES, |part, field| match field {
        of::location::MAPPING_INDEX => part.read(Place::Number(&mut location.mapping)),
        of::location::ADDRESS => part.read(Place::Number(&mut location.address)),
        of::location::LINES => part.each(|part| {
            let wanted = [of::line::FUNCTION_INDEX, of::line::LINE];
            let [function, line] = part.numbers(of::line::NAMES, wanted)?;
            location.lines.push((function, line));
            Ok(())
        }),
        of::location::ATTRIBUTE_INDICES => part.read(Place::List(&mut location.attributes)),
        _ => Ok(()),
    })?;
    Ok(location)
}

/// The ids of a trace and of a span.
fn link(part: &mut impl Part) -> Result<[Vec<u8>; 2]> {
    let [mut trace, mut span] = [Vec::new(), Vec::new()];
    part.fields(of::link::NAMES, |part, field| match field {
        of::link::TRACE_ID => part.read(Place::Id(&mut trace)),
        of::link::SPAN_ID => part.read(Place::Id(&mut span)),
        _ => Ok(()),
    })?;
    Ok([trace, span])
}

/// Appends the attributes in a repeated field of a resource or a scope.
fn attributes(
    part: &mut impl Part,
    names: Names,
    wanted: FieldNumber,
    attributes: &mut Vec<Attribute>,
) -> Result<()> {
    part.fields(names, |part, field| match field == wanted {
        true => part.each(|part| part.read(Place::Attribute(attributes))),
        false => Ok(()),
    })
}
