//! What the inputs hold, in place of stacks: `--list-events`.

use common::io::{Total, append_row};
use common::{Result, names::printable, pipe::Pipe};

use super::{Events, printed};

/// Writes what the inputs hold, an event a line: name, unit, samples, total, and the peak of memory
/// where it is known; with `tsv` as a table, whose rows all have all columns.
pub(crate) fn write_list(events: &Events, tsv: bool, pipe: &mut Pipe) -> Result<()> {
    if tsv {
        pipe.out().line(b"event\tunit\tsamples\ttotal\tpeak\tpeak_time")?;
    }
    for event in events.iter() {
        let (all, peak) = (event.all(), event.peak.as_ref());
        let [name, unit] = [printed(&event.name), printable(&event.unit)];
        let [samples, total] = [all.samples, all.total].map(|number| number.to_string());
        let most = peak.map_or_else(String::new, |peak| peak.most.to_string());
        let when = peak.map_or_else(String::new, |peak| printable(&peak.when));
        let mut row = Vec::new();
        if tsv {
            append_row(&[&name, &unit, &samples, &total, &most, &when], &mut row);
        } else {
            let peak = peak.map_or_else(String::new, |_| format!("\tpeak {most} at {when}"));
            let line = format!("{name}\t{unit}\t{samples}\t{total}{peak}\n");
            row.extend_from_slice(line.as_bytes());
        }
        pipe.write_lines(&row, Total { lines: 1, weight: all.total })?;
    }
    Ok(())
}
