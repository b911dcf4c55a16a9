//! The call tree of Intel's VTune as a table: `vtune -report top-down -call-stack-mode all
//! -column="CPU Time:Self","Module" -report-output out.csv -format csv -csv-delimiter comma`.
//!
//! ```text
//! Function Stack,CPU Time:Self,Module
//! Total,0.0,[Unknown]
//!  RtlUserThreadStart,0.0,ntdll.dll
//!   "std::rt::lang_start<(), Error>",0.030580,demo.exe
//! ```

use std::borrow::Cow;

use bstr::ByteSlice;
use common::{Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::csv::{fields, next_field};
use crate::read::numbers::scaled;
use crate::read::table_of_calls::{TableOfCalls, read_table};
use crate::samples::Samples;
use crate::samples::events::Measure;

pub(super) const FORMAT: Format =
    Format::new("vtune", "The call tree of VTune, as CSV", detect, parse)
        .extras(&[Extra::Indented(has_lost_blanks)]);

/// The first row is the total, and all others stand below it, each a blank further in.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    let is_total =
        above.strip_prefix(b"Total").and_then(<[u8]>::first).is_some_and(u8::is_ascii_punctuation);
    is_total && line.first().is_some_and(|byte| !byte.is_ascii_whitespace())
}

/// VTune writes seconds.
const NANOSECONDS: u64 = 1_000_000_000;

fn detect(head: &Head<'_>) -> bool {
    Columns::of(head.first_line()).is_some()
}

/// The columns that are read.
struct Columns {
    separator: u8,
    /// Those of the own time, which is their sum.
    own: Vec<usize>,
    module: Option<usize>,
}

impl Columns {
    fn of(line: &[u8]) -> Option<Columns> {
        let separator = *line.strip_prefix(b"Function Stack")?.first()?;
        let names = fields(line, separator);
        let own = own_columns(&names)?;
        let module = names.iter().position(|name| &name[..] == b"Module");
        Some(Columns { separator, own, module })
    }
}

/// The columns that add up to the own CPU time: that time itself, or its parts, such as
/// `CPU Time:Spin Time:Self`. A part has parts of its own, with one more name.
fn own_columns(names: &[Cow<'_, [u8]>]) -> Option<Vec<usize>> {
    let rest = |column: usize| names[column].strip_prefix(b"CPU Time:");
    let is_part =
        |rest: &[u8]| rest.strip_suffix(b":Self").is_some_and(|part| !part.contains(&b':'));
    let all = || 0..names.len();
    let whole = all().find(|&column| is_whole(&names[column]));
    let parts: Vec<usize> = all().filter(|&column| rest(column).is_some_and(is_part)).collect();
    let other = || all().find(|&column| rest(column).is_some_and(|it| it.contains_str("Self")));
    match whole {
        None if !parts.is_empty() => Some(parts),
        _ => whole.or_else(other).map(|column| vec![column]),
    }
}

/// Whether a column has the own CPU time, and not a part of it.
fn is_whole(name: &[u8]) -> bool {
    let rest = name.strip_prefix(b"CPU Time:");
    rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"Self"))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[Measure { name: b"cpu-time", unit: b"ns" }]);
    let columns = |line: &[u8], samples: &mut Samples<'_>| {
        let columns = Columns::of(line)?;
        let names = fields(line, columns.separator);
        let own: Vec<&[u8]> = columns.own.iter().map(|&column| &names[column][..]).collect();
        if !own.iter().any(|name| is_whole(name)) {
            let sum = own.join(&b" + "[..]);
            samples.note(format_args!(
                "it lacks the column CPU Time:Self: taken is {}",
                sum.as_bstr()
            ));
        }
        Some(columns)
    };
    read_table(input, samples, columns, add_row, "a function, seconds and a module of VTune")?;
    Ok(())
}

/// Adds a row, if the line is one.
fn add_row(
    line: &[u8],
    columns: &mut Columns,
    calls: &mut TableOfCalls,
    samples: &mut Samples<'_>,
) -> Result<Option<()>> {
    let text = line.trim_ascii_start();
    let mut rest = Some(text);
    let Some(quoted) = next_field(&mut rest, columns.separator) else { return Ok(None) };
    let name = quoted.trim_ascii_start();
    let indent = line.len() - text.len() + quoted.len() - name.len();
    let others = fields(rest.unwrap_or_default(), columns.separator);
    let field = |column: usize| others.get(column.checked_sub(1)?);
    let number = |&column: &usize| scaled(field(column)?.trim_ascii(), NANOSECONDS);
    let parts: Option<Vec<u64>> = columns.own.iter().map(number).collect();
    let Some(parts) = parts else { return Ok(None) };
    let own = parts.into_iter().fold(0, u64::saturating_add);
    let object = columns.module.and_then(field).map_or(&b""[..], |module| module);
    let object = if object == b"[Unknown]" { b"" } else { object };
    let name = if name == b"[Unknown]" { b"" } else { name };
    let frame = Frame { name, object, ..Frame::default() };
    calls.add(indent as u64, &frame, &[own], samples).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_time_is_the_whole_or_the_sum_of_its_parts() {
        for (header, own) in [
            ("CPU Time:Self,CPU Time:Spin Time:Self", Some(&[1][..])),
            ("CPU Time:Spin Time:Self,CPU Time: Self,Module", Some(&[2])),
            ("CPU Time:Effective Time:Self,Wait Time:Self,CPU Time:Spin Time:Self", Some(&[1, 3])),
            ("CPU Time:Spin Time:Self,CPU Time:Spin Time:Other:Self", Some(&[1])),
            ("CPU Time:Spin Time:Other:Self", Some(&[1])),
            ("CPU Time:Spin Time:Self,CPU Time:Self (s)", Some(&[2])),
            ("CPU Time:Total,Wait Time:Self", None),
        ] {
            let line = format!("Function Stack,{header}");
            let columns = Columns::of(line.as_bytes());
            assert_eq!(columns.as_ref().map(|it| &it.own[..]), own, "{header}");
        }
    }
}
