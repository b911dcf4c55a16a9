//! Numbers of processes and threads: viewers need one for each of them.

use std::collections::HashSet;

/// The numbers that are not in use.
pub(crate) struct Numbers {
    used: HashSet<u64>,
    last: u64,
}

impl Numbers {
    /// The numbers that are not among `texts`.
    pub(crate) fn beside<'t>(texts: impl Iterator<Item = &'t str>) -> Numbers {
        Numbers { used: texts.filter_map(number_of).collect(), last: 0 }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.last += 1;
        while self.used.contains(&self.last) {
            self.last += 1;
        }
        self.last
    }
}

/// Parses a number; `None` if the number would not be written like `text`.
pub(crate) fn number_of(text: &str) -> Option<u64> {
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number.into())
}
