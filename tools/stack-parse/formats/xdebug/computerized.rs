//! Lines of a trace of format 1: fields, with TABs between.

use common::decimal;

use super::{Call, Row, TraceLine, time_and_memory};

/// What a line says; `Some(None)` if it has no time, `None` if it is no line of a trace.
pub(super) fn row(line: &[u8]) -> Option<Option<Row<'_>>> {
    // The arguments, behind the tenth, may hold anything.
    let mut fields = line.splitn(11, |byte| *byte == b'\t');
    let mut next = || fields.next();
    let (level, number, kind) = (next()?, next()?, next()?);
    // A value that was returned, or assigned.
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
