//! What bpftrace says of itself between its results.
//!
//! ```text
//! Lost 10 events
//! stdin:1:19-21: WARNING: Map full; can't update element. Try increasing max_map_keys config
//! Additional Info - helper: map_update_elem, retcode: -7
//! profile:hz:99 { @[kstack] = count(); }
//!                   ~~
//! ```
//!
//! Grammar from bpftrace's src/output/text.cpp (`runtime_error`) and src/ast/location.cpp
//! (`source_context`).

use bstr::ByteSlice;
use common::numbers::decimal;

use super::{json, text};
use crate::samples::{Loss, Samples};

/// The function of the kernel that counts in a map.
const UPDATE: &[u8] = b"map_update_elem";

/// The kernel's code for an update of a full map, `E2BIG`.
const FULL: &[u8] = b"-7";

/// The most lines of a script that a warning is expected to quote.
const LONGEST_QUOTE: usize = 100;

/// Takes the lines that are no results, and counts what they say was lost.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    lost_events: u64,
    failed_updates: u64,
    /// Whether an update failed as its map was full.
    is_full: bool,
    /// How many lines may follow that quote the script.
    quoted: usize,
}

impl Warnings {
    /// Whether a line that is not part of a map's entry belongs to a warning.
    pub(super) fn take(&mut self, line: &[u8]) -> bool {
        if json::is_message(line) {
            self.quoted = 0;
            return false;
        }
        if let Some(lines) = quoted_lines(line) {
            self.quoted = lines;
        } else if let Some((function, code)) = failure(line) {
            self.note_failure(function, code);
        } else if json::is_error(line) {
            if let Some((function, code)) = json::failure(line) {
                self.note_failure(&function, &code);
            }
        } else {
            let is_quoted = self.quoted > 0 && !ends_quote(line);
            self.quoted = if is_quoted { self.quoted - 1 } else { 0 };
            return is_quoted;
        }
        true
    }

    /// Counts the events that bpftrace had no room for, if a line says so: `Lost 10 events`,
    /// `{"type": "lost_events", "data": {"events": 10}}`.
    pub(super) fn take_lost_events(&mut self, line: &[u8]) -> bool {
        let text = || decimal(line.strip_prefix(b"Lost ")?.strip_suffix(b" events")?);
        let Some(events) = text().or_else(|| json::lost_events(line)) else { return false };
        self.lost_events = self.lost_events.saturating_add(events);
        true
    }

    fn note_failure(&mut self, function: &[u8], code: &[u8]) {
        if function == UPDATE {
            self.failed_updates += 1;
            self.is_full |= code == FULL;
        }
    }

    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        if self.lost_events > 0 {
            samples.note_loss(Loss {
                count: self.lost_events,
                of: "events",
                recorded: None,
                remedy: "set BPFTRACE_PERF_RB_PAGES to a larger number",
                is_exact: true,
            });
        }
        if self.failed_updates > 0 {
            let remedy = if self.is_full { "set max_map_keys to a larger number" } else { "" };
            samples.note_loss(Loss {
                count: self.failed_updates,
                of: "updates of maps",
                recorded: None,
                remedy,
                // bpftrace may print fewer failures than there were.
                is_exact: false,
            });
        }
    }
}

/// How many lines after a warning quote the script: a line with its marker after
/// `stdin:1:19-21: WARNING: `, all lines after `stdin:1-3: WARNING: `; `None` for other lines.
fn quoted_lines(line: &[u8]) -> Option<usize> {
    let kinds = [": WARNING: ", ": ERROR: ", ": INFO: "];
    let (place, _) = kinds.iter().find_map(|kind| line.split_once_str(kind))?;
    let (before, range) = place.rsplit_once_str(":").unwrap_or((b"", place));
    let (first, last) = range.split_once_str("-")?;
    let more = decimal(last)?.checked_sub(decimal(first)?)?;
    let is_one_line = before.rsplit_str(":").next().is_some_and(|word| decimal(word).is_some());
    let more = usize::try_from(more).unwrap_or(LONGEST_QUOTE);
    Some(if is_one_line { 2 } else { more.saturating_add(1).min(LONGEST_QUOTE) })
}

/// The function and the code in `Additional Info - helper: map_update_elem, retcode: -7`.
fn failure(line: &[u8]) -> Option<(&[u8], &[u8])> {
    line.strip_prefix(b"Additional Info - helper: ")?.split_once_str(", retcode: ")
}

/// Whether a line cannot be quoted. Old versions do not quote places of several lines, and none
/// quotes a script that it cannot read.
fn ends_quote(line: &[u8]) -> bool {
    line.is_empty() || text::is_entry(line) || text::is_start(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_quotes_its_place() {
        for (line, lines) in [
            ("stdin:1:19-21: WARNING: Map full; can't update element.", Some(2)),
            ("/my scripts/a:b.bt:24:5-31: WARNING: Can't delete map element", Some(2)),
            ("1:3-5: ERROR: x", Some(2)),
            ("a.bt:3-5: WARNING: x", Some(3)),
            ("a.bt:3-18446744073709551615: WARNING: x", Some(100)),
            ("a.bt:5-3: WARNING: x", None),
            ("WARNING: x", None),
            ("12:30:01: WARNING: x", None),
            ("demo-3: WARNING: x", None),
        ] {
            assert_eq!(quoted_lines(line.as_bytes()), lines, "{line}");
        }
    }
}
