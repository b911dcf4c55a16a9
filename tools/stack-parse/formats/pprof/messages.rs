//! Messages of a profile that hold numbers.

use crate::read::protobuf::{Fields, numbers};

/// What the message of a location says.
#[derive(Debug, Default)]
pub(super) struct LocationMessage {
    pub(super) mapping: u64,
    pub(super) address: u64,
    /// Function and line of what was running there: first the innermost of inlined
    /// ones.
    pub(super) lines: Vec<(u64, u64)>,
}

impl LocationMessage {
    /// Reads a location as far as it can be read.
    pub(super) fn read(message: &[u8]) -> LocationMessage {
        let mut place = LocationMessage::default();
        for (field, value) in Fields::of(message).map_while(Result::ok) {
            match field {
                2 => place.mapping = value.number(),
                3 => place.address = value.number(),
                4 => {
                    let [_, function, line] = numbers(value.bytes()).unwrap_or_default();
                    place.lines.push((function, line));
                }
                _ => {}
            }
        }
        place
    }
}
