//! A small message as protocol buffers. Nothing here fails: what is damaged is left out.

use common::Result;

use super::attributes::{Attribute, Text};
use super::encoding::{Message, Part, Place};
use super::fields::{any_value, key_value};
use crate::read::bytes::Bytes;
use crate::read::numbers::hex;
use crate::read::protobuf::{FieldNumber, Fields, Malformed, Names, Value};

/// A message, or the value of one of its fields.
pub(super) struct Entry<'e> {
    value: Value<'e>,
    is_damaged: bool,
}

impl<'e> Entry<'e> {
    pub(super) fn new(value: Value<'e>) -> Entry<'e> {
        Entry { value, is_damaged: false }
    }
}

impl Message for Entry<'_> {
    #[inline]
    fn fields(
        &mut self,
        _: Names,
        mut each: impl FnMut(&mut Self, FieldNumber) -> Result<()>,
    ) -> Result<()> {
        for field in Fields::of(self.value.bytes()) {
            match field {
                Ok((field, value)) => each(&mut Entry::new(value), field)?,
                Err(Malformed) => self.is_damaged = true,
            }
        }
        Ok(())
    }
}

impl Part for Entry<'_> {
    fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    #[inline]
    fn read(&mut self, into: Place<'_>) -> Result<()> {
        match (into, self.value) {
            (Place::Number(number), value) => *number = value.number(),
            // A damaged list keeps the numbers before the damage.
            (Place::List(numbers), value) => _ = value.append_numbers(numbers),
            // Times have eight bytes: there is one, or several in a list.
            (Place::Times(times), Value::Number(time)) => times.push(time),
            (Place::Times(times), Value::Bytes(list)) => {
                let mut list = Bytes(list);
                times.extend(std::iter::from_fn(|| list.u64().ok()));
            }
            (Place::Id(digits), id) => *digits = hex(id.bytes()).into_bytes(),
            (Place::Text(text), string) => text.extend_from_slice(string.bytes()),
            (Place::Attribute(attributes), it) => attributes.push(attribute(it.bytes())),
        }
        Ok(())
    }
}

/// Reads a key and a value. The key is a string, with its number in the third field if it is in the
/// dictionary; or it is a number, with the unit in the third field.
fn attribute(message: &[u8]) -> Attribute {
    let mut attribute = Attribute::default();
    let mut third = 0;
    for (number, value) in Fields::of(message).map_while(std::result::Result::ok) {
        match (number, value) {
            (key_value::KEY, Value::Bytes(key)) => attribute.key = Text::Known(key.to_vec()),
            (key_value::KEY, Value::Number(key)) => attribute.key = Text::Number(key),
            (key_value::VALUE, Value::Bytes(value)) => attribute.value = any_value(value, DEEPEST),
            (key_value::STRINDEX, Value::Number(number)) => third = number,
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
    use any_value::{
        ARRAY_VALUE, BOOL_VALUE, BYTES_VALUE, DOUBLE_VALUE, INT_VALUE, KVLIST_VALUE, STRING_VALUE,
        STRING_VALUE_STRINDEX,
    };
    let Some(Ok((number, value))) = Fields::of(message).next() else { return Text::default() };
    Text::Known(match (number, value) {
        (STRING_VALUE, Value::Bytes(text)) => text.to_vec(),
        (BOOL_VALUE, Value::Number(is_true)) => if is_true == 0 { "false" } else { "true" }.into(),
        (INT_VALUE, Value::Number(number)) => number.cast_signed().to_string().into_bytes(),
        (DOUBLE_VALUE, Value::Number(bits)) => f64::from_bits(bits).to_string().into_bytes(),
        (ARRAY_VALUE | KVLIST_VALUE, Value::Bytes(list)) if depth > 0 => {
            let values = Fields::of(list).map_while(std::result::Result::ok);
            let text = |value: &[u8]| match any_value(value, depth - 1) {
                Text::Known(text) => text,
                Text::Number(_) => Vec::new(),
            };
            let values = values.map(|(_, value)| match number {
                ARRAY_VALUE => text(value.bytes()),
                _ => key_value(value.bytes(), text),
            });
            values.collect::<Vec<_>>().join(&b","[..])
        }
        (BYTES_VALUE, Value::Bytes(bytes)) => hex(bytes).into_bytes(),
        (STRING_VALUE_STRINDEX, Value::Number(string)) => return Text::Number(string),
        _ => Vec::new(),
    })
}

/// `key=value` of an entry of a list with keys.
fn key_value(message: &[u8], text: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (mut key, mut shown) = (Vec::new(), Vec::new());
    for (number, value) in Fields::of(message).map_while(std::result::Result::ok) {
        match number {
            key_value::KEY => key = value.bytes().to_vec(),
            key_value::VALUE => shown = text(value.bytes()),
            _ => {}
        }
    }
    [&key[..], b"=", &shown].concat()
}
