//! Lines of a trace of format 1: fields, with TABs between.

use common::numbers::decimal;

use super::{Call, Row, TraceLine, time_and_memory};

/// Parses a line; `Some(None)` if it has no time, `None` if it does not belong to a trace.
pub(super) fn row(line: &[u8]) -> Option<Option<Row<'_>>> {
    // The arguments, after the tenth field, may contain anything.
    let mut fields = line.splitn(11, |byte| *byte == b'\t');
    let mut next = || fields.next();
    let (level, number, kind) = (next()?, next()?, next()?);
    // A returned or an assigned value.
    if matches!(kind, b"R" | b"A") {
        return Some(None);
    }
    let (time, memory) = time_and_memory(next()?, next()?)?;
    let event = match kind {
        b"" => TraceLine::End,
        b"1" => TraceLine::Return { level: decimal(level)?, number: decimal(number) },
        b"0" => {
            let (name, _is_users, included, file) = (next()?, next()?, next()?, next()?);
            let line = next().and_then(decimal);
            let level = decimal(level)?;
            TraceLine::Call(Call { level, number: decimal(number), name, included, file, line })
        }
        _ => return None,
    };
    Some(Some((time, memory, event)))
}
