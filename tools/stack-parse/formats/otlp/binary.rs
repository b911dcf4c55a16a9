//! The message as protocol buffers: alone, or each after its length, as the collector's file
//! exporter writes them.

use std::io::Read;

use common::io::Input;
use common::{Error, Result};

use super::attributes::{Attribute, Text};
use super::batch::{Batch, Profile, Stored};
use super::dictionary::{Dictionary, Function, Location, RawMapping};
use super::form::Form;
use crate::options::Options;
use crate::read::protobuf::{Broken, Fields, Stream, Value, numbers};
use crate::samples::Samples;

/// The size of the length before each message of the file exporter, in bytes; it is big-endian.
const LENGTH: usize = 4;

/// Whether the input begins like a message: with a profile of a scope of a resource, or with a
/// dictionary, whose last table comes first if Go wrote it.
pub(super) fn detect(bytes: &[u8]) -> bool {
    let is_message = |start: &[u8]| {
        let scope = begun(start, 1).and_then(|resource| begun(resource, 2));
        let is_profile = scope.and_then(|scope| begun(scope, 2)).is_some_and(is_begun_profile);
        // In pprof this number is a sample, which has no fields with the numbers of these tables.
        let is_table = |table: u64| begun(start, 2).is_some_and(|it| starts_with(it, table));
        is_profile || starts_with(start, 2) && (4..=7).any(is_table)
    };
    match bytes {
        // No field begins with 0: this is a length.
        [0, ..] => bytes.get(LENGTH..).is_some_and(is_message),
        _ => is_message(bytes),
    }
}

/// Whether the first field has this number and holds bytes, as a message does.
fn starts_with(message: &[u8], number: u64) -> bool {
    message.first().is_some_and(|tag| u64::from(*tag) == number << 3 | 2)
}

/// The first message with this number; only its beginning if the bytes end within it.
fn begun(message: &[u8], number: u64) -> Option<&[u8]> {
    let mut fields = Fields::of(message);
    let found = (&mut fields).map_while(std::result::Result::ok).find_map(|field| match field {
        (found, Value::Bytes(bytes)) if found == number => Some(bytes),
        _ => None,
    });
    found.or_else(|| {
        let (tag, rest) = fields.rest().split_first()?;
        let length = rest.iter().position(|byte| *byte < 0x80)?;
        (u64::from(*tag) == number << 3 | 2).then(|| &rest[length + 1..])
    })
}

/// Whether bytes, which may end too early, are fields of a profile.
fn is_begun_profile(bytes: &[u8]) -> bool {
    let is_field = |field: &(u64, Value<'_>)| match field {
        (1, Value::Bytes(kind)) => {
            Fields::of(kind).all(|it| matches!(it, Ok((1..=3, Value::Number(_)))))
        }
        (2..=22, Value::Bytes(_)) | (3..=22, Value::Number(_)) => true,
        _ => false,
    };
    let mut fields = Fields::of(bytes).map_while(std::result::Result::ok);
    fields.next().is_some_and(|field| is_field(&field)) && fields.all(|field| is_field(&field))
}

/// Reads all messages.
pub(super) fn read(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut stream = Stream::new(input);
    loop {
        let mut batch = Batch::default();
        let mut form = Form::default();
        let read = read_message(&mut stream, &mut batch, &mut form, samples);
        let is_old = form.is_old();
        batch.finish(options, samples)?;
        match read {
            Ok(false) => return Ok(()),
            Ok(true) if is_old => {
                return Err(Error::Unknown { name, what: super::OLD.to_owned() });
            }
            Ok(true) => {}
            Err(broken) => return Err(broken.error(name, "a field")),
        }
    }
}

/// Reads a message; false at the end of the input.
fn read_message<R: Read>(
    stream: &mut Stream<R>,
    batch: &mut Batch,
    form: &mut Form,
    samples: &Samples<'_>,
) -> std::result::Result<bool, Broken> {
    let end = match stream.peek()? {
        None => return Ok(false),
        // No field begins with 0: this is a length.
        Some(0) => {
            let length = stream.take(stream.position() + LENGTH as u64)?;
            let length = length.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            stream.position() + length
        }
        Some(_) => u64::MAX,
    };
    while let Some((number, end)) = stream.field(end)? {
        match number {
            1 => read_resource(stream, end, batch, form, samples)?,
            2 => read_dictionary(stream, end, &mut batch.dictionary)?,
            _ => stream.skip(end)?,
        }
    }
    Ok(true)
}

/// Reads the profiles of a resource: a service, a host.
fn read_resource<R: Read>(
    stream: &mut Stream<R>,
    end: u64,
    batch: &mut Batch,
    form: &mut Form,
    samples: &Samples<'_>,
) -> std::result::Result<(), Broken> {
    let first = batch.scopes();
    let mut resource = Vec::new();
    while let Some((number, end)) = stream.field(end)? {
        match number {
            1 => resource = attributes_of(stream.take(end)?, 1),
            2 => read_scope(stream, end, batch, form, samples)?,
            _ => stream.skip(end)?,
        }
    }
    batch.describe_scopes(first, &resource);
    Ok(())
}

/// Reads the profiles of a scope: of a library that profiles.
fn read_scope<R: Read>(
    stream: &mut Stream<R>,
    end: u64,
    batch: &mut Batch,
    form: &mut Form,
    samples: &Samples<'_>,
) -> std::result::Result<(), Broken> {
    let scope = batch.begin_scope();
    while let Some((number, end)) = stream.field(end)? {
        match number {
            1 => {
                let own = attributes_of(stream.take(end)?, 3);
                batch.describe_scopes(scope, &own);
            }
            2 => read_profile(stream, end, batch, form, samples)?,
            _ => stream.skip(end)?,
        }
    }
    Ok(())
}

fn read_profile<R: Read>(
    stream: &mut Stream<R>,
    end: u64,
    batch: &mut Batch,
    form: &mut Form,
    samples: &Samples<'_>,
) -> std::result::Result<(), Broken> {
    let mut profile = Profile::default();
    let read = read_samples(stream, end, &mut profile, form, |it| batch.add(it, samples));
    form.finish(|stored| batch.add(stored, samples));
    batch.end_profile(&profile, samples);
    read
}

fn read_samples<R: Read>(
    stream: &mut Stream<R>,
    end: u64,
    profile: &mut Profile,
    form: &mut Form,
    mut add: impl FnMut(&Stored),
) -> std::result::Result<(), Broken> {
    let mut has_12 = false;
    while let Some((number, end)) = stream.field(end)? {
        match number {
            1 => {
                let [_, name, unit] = numbers(stream.take(end)?).unwrap_or_default();
                profile.kind = [name, unit];
            }
            2 => form.read(stream.take(end)?, &mut add),
            // Before version 1.8 these were the locations of stacks.
            3 => {
                form.set_old();
                stream.skip(end)?;
            }
            // In version 1.8, 11 is the original profile: its bytes are not numbers.
            11 | 12 => {
                let list = stream.take(end)?;
                if number == 12 || !has_12 {
                    profile.attributes.clear();
                    let _ = Value::Bytes(list).append_numbers(&mut profile.attributes);
                }
                has_12 |= number == 12;
            }
            _ => stream.skip(end)?,
        }
    }
    Ok(())
}

fn read_dictionary<R: Read>(
    stream: &mut Stream<R>,
    end: u64,
    dictionary: &mut Dictionary,
) -> std::result::Result<(), Broken> {
    while let Some((number, end)) = stream.field(end)? {
        let entry = stream.take(end)?;
        match number {
            1 => dictionary.mappings.push(mapping(entry)),
            2 => dictionary.locations.push(location(entry)),
            3 => {
                let [_, name, system_name, file] = numbers(entry).unwrap_or_default();
                dictionary.functions.push(Function { name, system_name, file });
            }
            4 => dictionary.links.push(link(entry)),
            5 => dictionary.add_string(entry),
            6 => dictionary.attributes.push(attribute(entry)),
            7 => dictionary.add_stack(&repeated(entry, 1)),
            _ => {}
        }
    }
    Ok(())
}

/// The numbers of a repeated field, up to the first that cannot be read.
fn repeated(message: &[u8], number: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    for (found, value) in Fields::of(message).map_while(std::result::Result::ok) {
        if found == number && value.append_numbers(&mut numbers).is_err() {
            break;
        }
    }
    numbers
}

fn mapping(message: &[u8]) -> RawMapping {
    let [_, start, end, offset, file] = numbers(message).unwrap_or_default();
    RawMapping { start, end, offset, file, attributes: repeated(message, 5) }
}

fn location(message: &[u8]) -> Location {
    let mut location = Location { attributes: repeated(message, 4), ..Location::default() };
    for (number, value) in Fields::of(message).map_while(std::result::Result::ok) {
        match number {
            1 => location.mapping = value.number(),
            2 => location.address = value.number(),
            3 => {
                let [_, function, line] = numbers(value.bytes()).unwrap_or_default();
                location.lines.push((function, line));
            }
            _ => {}
        }
    }
    location
}

fn link(message: &[u8]) -> [Vec<u8>; 2] {
    let mut link = [Vec::new(), Vec::new()];
    for (number, value) in Fields::of(message).map_while(std::result::Result::ok) {
        if let 1 | 2 = number {
            link[number as usize - 1] = hexadecimal(value.bytes());
        }
    }
    link
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

/// The attributes in a repeated field of a message.
fn attributes_of(message: &[u8], number: u64) -> Vec<Attribute> {
    let fields = Fields::of(message).map_while(std::result::Result::ok);
    fields.filter(|field| field.0 == number).map(|(_, value)| attribute(value.bytes())).collect()
}

/// Reads a key and a value. The key is a string, with its number in the third field if it is in the
/// dictionary; or it is a number, with the unit in the third field.
fn attribute(message: &[u8]) -> Attribute {
    let mut attribute = Attribute::default();
    let mut third = 0;
    for (number, value) in Fields::of(message).map_while(std::result::Result::ok) {
        match (number, value) {
            (1, Value::Bytes(key)) => attribute.key = Text::Known(key.to_vec()),
            (1, Value::Number(key)) => attribute.key = Text::Number(key),
            (2, Value::Bytes(value)) => attribute.value = any_value(value, DEEPEST),
            (3, Value::Number(number)) => third = number,
            _ => {}
        }
    }
    match attribute.key {
        Text::Number(_) => attribute.unit = third,
        Text::Known(_) if third > 0 => attribute.key = Text::Number(third),
        Text::Known(_) => {}
    }
    attribute
}

/// The deepest nesting of values that is read.
const DEEPEST: u32 = 8;

/// The text of a value of any type; lists have commas between their values.
fn any_value(message: &[u8], depth: u32) -> Text {
    let Some(Ok((number, value))) = Fields::of(message).next() else { return Text::default() };
    Text::Known(match (number, value) {
        (1, Value::Bytes(text)) => text.to_vec(),
        (2, Value::Number(is_true)) => if is_true == 0 { "false" } else { "true" }.into(),
        (3, Value::Number(number)) => number.cast_signed().to_string().into_bytes(),
        (4, Value::Number(bits)) => f64::from_bits(bits).to_string().into_bytes(),
        (5 | 6, Value::Bytes(list)) if depth > 0 => {
            let values = Fields::of(list).map_while(std::result::Result::ok);
            let text = |value: &[u8]| match any_value(value, depth - 1) {
                Text::Known(text) => text,
                Text::Number(_) => Vec::new(),
            };
            let values = values.map(|(_, value)| match number {
                5 => text(value.bytes()),
                _ => key_value(value.bytes(), text),
            });
            values.collect::<Vec<_>>().join(&b","[..])
        }
        (7, Value::Bytes(bytes)) => hexadecimal(bytes),
        (8, Value::Number(string)) => return Text::Number(string),
        _ => Vec::new(),
    })
}

/// `key=value` of an entry of a list with keys.
fn key_value(message: &[u8], text: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (mut key, mut shown) = (Vec::new(), Vec::new());
    for (number, value) in Fields::of(message).map_while(std::result::Result::ok) {
        match number {
            1 => key = value.bytes().to_vec(),
            2 => shown = text(value.bytes()),
            _ => {}
        }
    }
    [&key[..], b"=", &shown].concat()
}
