//! The messages of a profile, and their fields that are read. Names and numbers are those of
//! profile.proto of github.com/google/pprof.

use crate::read::protobuf::{Fields, messages};

messages! {
    profile {
        SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6,
        DROP_FRAMES = 7, KEEP_FRAMES = 8, DURATION_NANOS = 10, PERIOD_TYPE = 11, PERIOD = 12,
        COMMENT = 13, DEFAULT_SAMPLE_TYPE = 14,
    }
    value_type { TYPE = 1, UNIT = 2 }
    sample { LOCATION_ID = 1, VALUE = 2, LABEL = 3 }
    label { KEY = 1, STR = 2, NUM = 3, NUM_UNIT = 4 }
    mapping {
        ID = 1, MEMORY_START = 2, MEMORY_LIMIT = 3, FILE_OFFSET = 4, FILENAME = 5, BUILD_ID = 6,
    }
    location { ID = 1, MAPPING_ID = 2, ADDRESS = 3, LINE = 4 }
    line { FUNCTION_ID = 1, LINE = 2 }
    function { ID = 1, NAME = 2, SYSTEM_NAME = 3, FILENAME = 4 }
}

/// The largest number of a field of any message but a profile.
pub(super) const MOST_FIELDS: u64 = 11;

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
                location::MAPPING_ID => place.mapping = value.number(),
                location::ADDRESS => place.address = value.number(),
                location::LINE => {
                    let wanted = [line::FUNCTION_ID, line::LINE];
                    let said = line::read(value.bytes()).map(|said| said.numbers(wanted));
                    let [function, line] = said.unwrap_or_default();
                    place.lines.push((function, line));
                }
                _ => {}
            }
        }
        place
    }
}
