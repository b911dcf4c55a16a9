//! The table of strings.

use std::collections::HashMap;

use common::names::utf8;

use super::messages::Message as Part;

/// Gives strings their indices in the table.
#[derive(Default)]
pub(super) struct Strings {
    next: i64,
    /// The indices of the strings that may be repeated.
    known: HashMap<Vec<u8>, i64>,
}

impl Strings {
    /// Adds a string to the table of the message, and returns its index.
    pub(super) fn add(&mut self, text: String, part: &mut Part) -> i64 {
        part.string_table.push(text);
        self.next += 1;
        self.next - 1
    }

    /// The index of a string, which is added if it is new.
    pub(super) fn intern(&mut self, bytes: &[u8], part: &mut Part) -> i64 {
        if let Some(&place) = self.known.get(bytes) {
            return place;
        }
        let place = self.add(utf8(bytes).into_owned(), part);
        self.known.insert(bytes.to_vec(), place);
        place
    }
}
