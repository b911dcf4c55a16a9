//! What the two encodings of profiles can do: protocol buffers and JSON.

use common::Result;

use super::attributes::Attribute;
use super::batch::Stored;
use crate::read::protobuf::{FieldNumber, Names};

/// A message that is being read. The value of the field that was read last comes next.
pub(super) trait Message: Sized {
    /// Reads the fields of the message that comes next, and calls `each` at the value of each that
    /// has a name; it may leave the value unread.
    fn fields(
        &mut self,
        names: Names,
        each: impl FnMut(&mut Self, FieldNumber) -> Result<()>,
    ) -> Result<()>;

    /// Calls `each` at every value of a repeated field that comes next: one where each value is a
    /// field of its own.
    fn each(&mut self, mut each: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        each(self)
    }
}

/// Where the value of a field goes.
pub(super) enum Place<'p> {
    /// A number, which may be below 0; anything else becomes 0.
    Number(&'p mut u64),
    /// A list of numbers, which are appended as far as they can be read.
    List(&'p mut Vec<u64>),
    /// Times, which are appended as far as they can be read.
    Times(&'p mut Vec<u64>),
    /// The id of a trace or a span, as hexadecimal digits.
    Id(&'p mut Vec<u8>),
    /// A string, which is appended.
    Text(&'p mut Vec<u8>),
    /// An attribute, which is appended.
    Attribute(&'p mut Vec<Attribute>),
}

/// A small message, which is held as a whole.
pub(super) trait Part: Message {
    /// Whether the message whose fields were read is damaged: its last fields are missing.
    fn is_damaged(&self) -> bool {
        false
    }

    /// Reads the value that comes next.
    fn read(&mut self, into: Place<'_>) -> Result<()>;

    /// The numbers in these fields of the message that comes next: 0 for missing ones, and for all
    /// of a damaged message.
    fn numbers<const N: usize>(
        &mut self,
        names: Names,
        wanted: [FieldNumber; N],
    ) -> Result<[u64; N]> {
        let mut numbers = [0; N];
        self.fields(names, |part, field| match wanted.iter().position(|it| *it == field) {
            Some(place) => part.read(Place::Number(&mut numbers[place])),
            None => Ok(()),
        })?;
        Ok(if self.is_damaged() { [0; N] } else { numbers })
    }
}

/// A message that may be too large to be held.
pub(super) trait Large: Message {
    type Part<'p>: Part;

    /// Whether the attributes of a resource count, too, if the input ends within its profiles.
    const KEEPS_CUT_RESOURCES: bool;

    /// Goes on to the next message; false at the end of the input.
    fn next(&mut self) -> Result<bool>;

    /// Reads the value that comes next as a whole.
    fn part<T>(&mut self, read: impl FnOnce(&mut Self::Part<'_>) -> Result<T>) -> Result<T>;

    /// Like [`fields`](Message::fields), but `each` gets the values that are numbers, too.
    fn fields_and_numbers(
        &mut self,
        names: Names,
        each: impl FnMut(&mut Self, FieldNumber, Option<u64>) -> Result<()>,
    ) -> Result<()>;

    /// Hands the samples in the field that comes next to `add`, except those whose form is not
    /// known yet.
    fn samples(&mut self, add: &mut impl FnMut(&Stored)) -> Result<()>;

    /// Hands the rest of a profile's samples to `add`.
    fn end_samples(&mut self, _: &mut impl FnMut(&Stored)) {}

    /// Whether the value that comes next is a list, where JSON has lists.
    fn is_list(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Whether the message has a form that is not read.
    fn is_old(&mut self) -> &mut bool;
}
