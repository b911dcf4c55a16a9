//! The columns of a table, which come before its rows:
//!
//! ```text
//! <schema name="syscall"><col><mnemonic>duration</mnemonic><name>Duration</name>
//!   <engineering-type>duration</engineering-type></col>...</schema>
//! ```
//!
//! An element of a row has the name of its column's type.

use bstr::ByteSlice;

/// Types with stacks.
pub(super) const STACKS: [&[u8]; 3] = [b"backtrace", b"tagged-backtrace", b"kperf-bt"];

/// Types with times. Tables of states and calls have the times of their beginnings.
pub(super) const TIMES: [&[u8]; 3] = [b"sample-time", b"start-time", b"event-time"];

/// Types with the weights of samples.
const WEIGHTS: [&[u8]; 2] = [b"weight", b"cycle-weight"];

/// How long what the row is about took, in nanoseconds.
pub(super) const DURATION: &[u8] = b"duration";

/// The columns of a table, as far as they decide what its rows mean.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// The table's name, which is that of the event.
    pub(super) name: Vec<u8>,
    has_stack: bool,
    has_weight: bool,
    has_duration: bool,
    /// The type of a column that seems to hold stacks, in a way that is not known.
    unknown_stack: Option<Vec<u8>>,
    /// The short name of the current column.
    column: Vec<u8>,
}

impl Schema {
    pub(super) fn new(name: &[u8]) -> Schema {
        Schema { name: name.to_vec(), ..Schema::default() }
    }

    /// `<mnemonic>stack</mnemonic>`
    pub(super) fn close_mnemonic(&mut self, text: &[u8]) {
        self.column = text.to_vec();
    }

    /// `<engineering-type>kperf-bt</engineering-type>`
    pub(super) fn close_type(&mut self, text: &[u8]) {
        let is_stack = STACKS.contains(&text);
        self.has_stack |= is_stack;
        self.has_weight |= WEIGHTS.contains(&text);
        self.has_duration |= text == DURATION;
        let seems_stack =
            |name: &[u8]| name.contains_str("backtrace") || name.contains_str("stack");
        if !is_stack && (seems_stack(text) || seems_stack(&self.column)) {
            self.unknown_stack = Some(text.to_vec());
        }
    }

    /// Whether its rows weigh what they took: each call of the system took a time, and has no other
    /// weight.
    pub(super) fn weighs_durations(&self) -> bool {
        self.has_stack && self.has_duration && !self.has_weight
    }

    /// Why its rows cannot be read: their stacks are of an unknown type.
    pub(super) fn refusal(&self) -> Option<String> {
        let unknown = self.unknown_stack.as_ref().filter(|_| !self.has_stack)?;
        Some(format!(
            "the stacks of table {} are of the type {}, which is not known here: {EXPORT}",
            self.name.as_bstr(),
            unknown.as_bstr(),
        ))
    }
}

/// How to get a table with names.
pub(super) const EXPORT: &str = "export another table, as with xctrace export --xpath \
                                 '/trace-toc/run/data/table[@schema=\"time-profile\"]'";
