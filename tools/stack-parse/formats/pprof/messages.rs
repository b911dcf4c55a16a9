//! Messages of a profile with number fields.

use crate::read::protobuf::{Fields, numbers};

/// The fields of a location's message.
#[derive(Debug, Default)]
pub(super) struct LocationMessage {
    pub(super) mapping: u64,
    pub(super) address: u64,
    /// The functions and lines at this location, the innermost inlined one first.
    pub(super) lines: Vec<(u64, u64)>,
}

impl LocationMessage {
    /// Reads a location as far as possible.
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
