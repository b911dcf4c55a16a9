//! Reads folded lines whose labels say when their samples were taken.
//!
//! ```text
//! since=12.304122000<TAB>tid=4711<TAB>main;parse;read 14
//! ```

use common::folded::{FoldedLine, is_slice};
use common::{heat::label_value, numbers::nanoseconds_of_label, pipe::Pipe};

use crate::by::By;
use crate::rows::{Refused, Rows, Sample};

/// The event of a line, and the name of its thread.
const EVENT: &[u8] = b"event";
const COMM: &[u8] = b"comm";

/// Adds the samples of a line, or leaves them out where it has no time.
pub(crate) fn add(line: &FoldedLine<'_>, rows: &mut Rows, pipe: &mut Pipe) -> Result<(), Refused> {
    let since = line.labels.get(b"since").filter(|since| !since.is_empty());
    let Some(since) = since else {
        rows.leave_out(line.count, false, pipe);
        return Ok(());
    };
    let time =
        nanoseconds_of_label(since).ok_or(Refused::Line("expected seconds such as since=2.5"))?;
    let value = rows.by.as_ref().map(|by| label_value(line.labels.get(by.key().as_bytes())));
    let shows_comm = rows.by.as_ref().is_some_and(By::shows_comm);
    let sample = Sample {
        time,
        weight: line.count,
        value: value.unwrap_or_default(),
        comm: line.labels.get(COMM).filter(|_| shows_comm),
        event: line.labels.get(EVENT),
        is_slice: is_slice(line),
    };
    rows.add(&sample, pipe)
}

/// Whether the line says which event its samples are of.
pub(crate) fn has_event(line: &FoldedLine<'_>) -> bool {
    line.labels.get(EVENT).is_some()
}
