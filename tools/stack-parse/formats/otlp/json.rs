//! The message as JSON: one, or one per line. Numbers of 64 bits are strings there, and versions
//! differ in the names of fields.

use common::{Result, io::Input, numbers::decimal};

use super::attributes::{Attribute, Text};
use super::batch::Stored;
use super::encoding::{Large, Message, Part, Place};
use super::message::read_sample;
use crate::read::decimal::scaled;
use crate::read::json::{Json, Kind};
use crate::read::protobuf::{FieldNumber, Names};

/// Messages that are read piece by piece.
pub(super) struct AsJson<'i> {
    json: Json<&'i mut Input>,
    /// Whether the message has a form that is not read.
    is_old: bool,
}

impl<'i> AsJson<'i> {
    pub(super) fn new(input: &'i mut Input) -> AsJson<'i> {
        AsJson { json: Json::new(input), is_old: false }
    }
}

impl Message for AsJson<'_> {
    /// Another value than an object is skipped.
    fn fields(
        &mut self,
        names: Names,
        mut each: impl FnMut(&mut Self, FieldNumber) -> Result<()>,
    ) -> Result<()> {
        if !self.json.begin_object()? {
            return Ok(());
        }
        while let Some(key) = self.json.next_key()? {
            match names.iter().find(|(name, _)| is_named(key, name)) {
                Some((_, field)) => each(self, *field)?,
                // Samples had it before version 1.8.
                None => self.is_old |= is_named(key, "LOCATIONS_LENGTH"),
            }
        }
        Ok(())
    }

    /// Another value than a list is skipped.
    fn each(&mut self, mut each: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.json.begin_array()? {
            while self.json.next_element()? {
                each(self)?;
            }
        }
        Ok(())
    }
}

impl Part for AsJson<'_> {
    fn read(&mut self, into: Place<'_>) -> Result<()> {
        let json = &mut self.json;
        match into {
            Place::Number(set) => *set = number(json)?,
            Place::List(numbers) | Place::Times(numbers) => json.for_each(|json| {
                numbers.push(number(json)?);
                Ok(())
            })?,
            Place::Id(digits) => *digits = text(json)?,
            Place::Text(text) => text.extend_from_slice(json.text()?.unwrap_or_default()),
            Place::Attribute(attributes) => attributes.push(attribute(json)?),
        }
        Ok(())
    }
}

impl<'i> Large for AsJson<'i> {
    type Part<'p> = AsJson<'i>;

    const KEEPS_CUT_RESOURCES: bool = true;

    fn next(&mut self) -> Result<bool> {
        if !self.json.next_document()? {
            return Ok(false);
        }
        match self.json.kind()? {
            Kind::Object => Ok(true),
            _ => Err(self.json.unexpected("profiles of OpenTelemetry")),
        }
    }

    fn part<T>(&mut self, read: impl FnOnce(&mut AsJson<'i>) -> Result<T>) -> Result<T> {
        read(self)
    }

    fn fields_and_numbers(
        &mut self,
        names: Names,
        mut each: impl FnMut(&mut Self, FieldNumber, Option<u64>) -> Result<()>,
    ) -> Result<()> {
        self.fields(names, |message, field| {
            let json = &mut message.json;
            let number = match json.kind()? {
                Kind::Number | Kind::Text => Some(number(json)?),
                Kind::Object | Kind::Array | Kind::Other => None,
            };
            each(message, field, number)
        })
    }

    fn samples(&mut self, add: &mut impl FnMut(&Stored)) -> Result<()> {
        let mut stored = Stored::default();
        self.each(|message| {
            read_sample(message, &mut stored, |field| field)?;
            if !message.is_old {
                add(&stored);
            }
            Ok(())
        })
    }

    fn is_list(&mut self) -> Result<bool> {
        Ok(self.json.kind()? == Kind::Array)
    }

    fn is_old(&mut self) -> &mut bool {
        &mut self.is_old
    }
}

/// Whether a key is `stackIndex` or `stack_index`, for `STACK_INDEX`.
fn is_named(key: &[u8], name: &str) -> bool {
    let (mut at, mut begins_word) = (0, false);
    for letter in name.bytes() {
        match key.get(at) {
            Some(byte) if !begins_word && *byte == letter.to_ascii_lowercase() => at += 1,
            Some(byte) if begins_word && *byte == letter => (at, begins_word) = (at + 1, false),
            _ if letter == b'_' => begins_word = true,
            _ => return false,
        }
    }
    at == key.len()
}

/// Reads a number, which may be below 0; 0 if it is not a number.
fn number(json: &mut Reader<'_>) -> Result<u64> {
    let Some(text) = json.number()? else { return Ok(0) };
    let other = || {
        let number = scaled(text, 0)?;
        let unsigned = u64::try_from(number).ok();
        unsigned.or_else(|| i64::try_from(number).ok().map(i64::cast_unsigned))
    };
    Ok(decimal(text).or_else(other).unwrap_or_default())
}

type Reader<'a> = Json<&'a mut Input>;

/// A string; empty if the value is not one.
fn text(json: &mut Reader<'_>) -> Result<Vec<u8>> {
    Ok(json.text()?.unwrap_or_default().to_vec())
}

fn attribute(json: &mut Reader<'_>) -> Result<Attribute> {
    let mut attribute = Attribute::default();
    if !json.begin_object()? {
        return Ok(attribute);
    }
    while let Some(key) = json.next_key()? {
        match key {
            b"key" => attribute.key = Text::Known(text(json)?),
            b"keyStrindex" | b"key_strindex" => attribute.key = Text::Number(number(json)?),
            b"value" => attribute.value = any_value(json)?,
            b"unitStrindex" | b"unit_strindex" => attribute.unit = number(json)?,
            _ => {}
        }
    }
    Ok(attribute)
}

/// The text of a value of any type; lists have commas between their values.
fn any_value(json: &mut Reader<'_>) -> Result<Text> {
    let mut found = Text::default();
    if !json.begin_object()? {
        return Ok(found);
    }
    while let Some(key) = json.next_key()? {
        found = match key {
            b"stringValueStrindex" | b"string_value_strindex" => Text::Number(number(json)?),
            b"boolValue" | b"bool_value" => {
                let is_true = json.boolean()? == Some(true);
                Text::Known(if is_true { "true" } else { "false" }.into())
            }
            b"arrayValue" | b"array_value" => Text::Known(list(json)?),
            _ => Text::Known(json.number()?.unwrap_or_default().to_vec()),
        };
    }
    Ok(found)
}

/// A list of simple values.
fn list(json: &mut Reader<'_>) -> Result<Vec<u8>> {
    let mut values: Vec<Vec<u8>> = Vec::new();
    if json.begin_object()? {
        while json.next_key()?.is_some() {
            json.for_each(|json| {
                if json.begin_object()? {
                    while json.next_key()?.is_some() {
                        values.push(json.number()?.unwrap_or_default().to_vec());
                    }
                }
                Ok(())
            })?;
        }
    }
    Ok(values.join(&b","[..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_two_names() {
        for key in ["stackIndex", "stack_index"] {
            assert!(is_named(key.as_bytes(), "STACK_INDEX"), "{key}");
        }
        for key in ["", "stack", "stackindex", "StackIndex", "STACK_INDEX", "stack_", "stackIndexe"]
        {
            assert!(!is_named(key.as_bytes(), "STACK_INDEX"), "{key}");
        }
    }
}
