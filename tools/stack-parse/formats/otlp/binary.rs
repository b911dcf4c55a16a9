//! The message as protocol buffers: alone, or each after its length, as the collector's file
//! exporter writes them.

use std::io::Read;

use common::{Error, Result};

use super::batch::Stored;
use super::encoding::{Large, Message};
use super::entry::Entry;
use super::fields::{dictionary, profile, profiles_data, resource_profiles, scope_profiles};
use super::form::Form;
use crate::read::protobuf::{Broken, FieldNumber, Fields, Names, Next, Stream, Value, begun};

/// The size of the length before each message of the file exporter, in bytes; it is big-endian.
const LENGTH: usize = 4;

/// Whether the input begins like a message: with a profile of a scope of a resource, or with a
/// dictionary, whose last table comes first if Go wrote it.
pub(super) fn detect(bytes: &[u8]) -> bool {
    let is_message = |start: &[u8]| {
        let scope = first(start, profiles_data::RESOURCE_PROFILES)
            .and_then(|resource| first(resource, resource_profiles::SCOPE_PROFILES));
        let is_profile = scope
            .and_then(|scope| first(scope, scope_profiles::PROFILES))
            .is_some_and(is_begun_profile);
        let is_dictionary = matches!(begun(start), Some((profiles_data::DICTIONARY, Some(_))))
            && first(start, profiles_data::DICTIONARY).is_some_and(begins_with_table);
        is_profile || is_dictionary
    };
    match bytes {
        // No field begins with 0: this is a length.
        [0, ..] => bytes.get(LENGTH..).is_some_and(is_message),
        _ => is_message(bytes),
    }
}

/// Whether the first field of a dictionary is one of its last tables. In pprof, a message with the
/// number of the dictionary is a sample, which has no fields with the numbers of these tables.
fn begins_with_table(bytes: &[u8]) -> bool {
    use dictionary::{ATTRIBUTE_TABLE, LINK_TABLE, STACK_TABLE, STRING_TABLE};
    let first = begun(bytes);
    matches!(first, Some((LINK_TABLE | STRING_TABLE | ATTRIBUTE_TABLE | STACK_TABLE, Some(_))))
}

/// The first message with this number; only its beginning if the bytes end within it.
fn first(message: &[u8], wanted: FieldNumber) -> Option<&[u8]> {
    let mut fields = Fields::of(message);
    let found = (&mut fields).map_while(std::result::Result::ok).find_map(|field| match field {
        (found, Value::Bytes(bytes)) if found == wanted => Some(bytes),
        _ => None,
    });
    found.or_else(|| begun(fields.rest()).filter(|(number, _)| *number == wanted)?.1)
}

/// Whether bytes, which may end too early, are fields of a profile.
fn is_begun_profile(bytes: &[u8]) -> bool {
    let is_field = |(field, value): (FieldNumber, Value<'_>)| match value {
        Value::Bytes(kind) if field == profile::SAMPLE_TYPE => Fields::of(kind)
            .all(|it| matches!(it, Ok((it, Value::Number(_))) if it.number() <= MOST_OF_TYPE)),
        Value::Bytes(_) => field.number() <= MOST_OF_PROFILE,
        Value::Number(_) => (FIRST_NUMBER..=MOST_OF_PROFILE).contains(&field.number()),
    };
    let mut fields = Fields::of(bytes).map_while(std::result::Result::ok);
    fields.next().is_some_and(is_field) && fields.all(is_field)
}

/// The largest numbers of fields of a value type and of a profile, in all versions, and the
/// smallest number of a profile's field that is a number.
const MOST_OF_TYPE: u64 = 3;
const MOST_OF_PROFILE: u64 = 22;
const FIRST_NUMBER: u64 = 3;

/// Messages that are read piece by piece.
pub(super) struct Binary<R> {
    /// The name of the input.
    name: String,
    stream: Stream<R>,
    /// Where the value that comes next ends; the end of the input has no number.
    end: u64,
    form: Form,
}

impl<R: Read> Binary<R> {
    pub(super) fn new(name: String, input: R) -> Binary<R> {
        Binary { name, stream: Stream::new(input), end: u64::MAX, form: Form::default() }
    }
}

impl<R: Read> Message for Binary<R> {
    fn fields(
        &mut self,
        names: Names,
        mut each: impl FnMut(&mut Self, FieldNumber) -> Result<()>,
    ) -> Result<()> {
        self.fields_and_numbers(names, |message, field, number| match number {
            None => each(message, field),
            Some(_) => Ok(()),
        })
    }
}

impl<R: Read> Large for Binary<R> {
    type Part<'p> = Entry<'p>;

    const KEEPS_CUT_RESOURCES: bool = false;

    fn next(&mut self) -> Result<bool> {
        self.form = Form::default();
        self.end = match self.stream.peek().map_err(in_input(&self.name))? {
            None => return Ok(false),
            // No field begins with 0: this is a length.
            Some(0) => {
                let length = self.stream.take(self.stream.position() + LENGTH as u64);
                let length = length.map_err(in_input(&self.name))?;
                let length = length.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
                self.stream.position() + length
            }
            Some(_) => u64::MAX,
        };
        Ok(true)
    }

    fn part<T>(&mut self, read: impl FnOnce(&mut Entry<'_>) -> Result<T>) -> Result<T> {
        let bytes = self.stream.take(self.end).map_err(in_input(&self.name))?;
        read(&mut Entry::new(Value::Bytes(bytes)))
    }

    fn fields_and_numbers(
        &mut self,
        _: Names,
        mut each: impl FnMut(&mut Self, FieldNumber, Option<u64>) -> Result<()>,
    ) -> Result<()> {
        let message_end = self.end;
        while let Some((field, value)) =
            self.stream.any_field(message_end).map_err(in_input(&self.name))?
        {
            match value {
                Next::Number(number) => each(self, field, Some(number))?,
                Next::Bytes(end) => {
                    self.end = end;
                    each(self, field, None)?;
                    self.stream.skip(end).map_err(in_input(&self.name))?;
                }
            }
        }
        Ok(())
    }

    fn samples(&mut self, add: &mut impl FnMut(&Stored)) -> Result<()> {
        let sample = self.stream.take(self.end).map_err(in_input(&self.name))?;
        self.form.read(sample, add);
        Ok(())
    }

    fn end_samples(&mut self, add: &mut impl FnMut(&Stored)) {
        self.form.finish(add);
    }

    fn is_old(&mut self) -> &mut bool {
        &mut self.form.is_old
    }
}

/// Makes an error of what is wrong in the input with this name.
fn in_input(name: &str) -> impl FnOnce(Broken) -> Error {
    |broken| broken.error(name.to_owned(), "a field")
}
