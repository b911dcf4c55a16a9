//! The call tree of Intel's VTune as a table: `vtune -report top-down -call-stack-mode all
//! -column="CPU Time:Self","Module" -report-output out.csv -format csv -csv-delimiter comma`.
//!
//! ```text
//! Function Stack,CPU Time:Self,Module
//! Total,0.0,[Unknown]
//!  RtlUserThreadStart,0.0,ntdll.dll
//!   "std::rt::lang_start<(), Error>",0.030580,demo.exe
//! ```

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
    own: usize,
    module: Option<usize>,
}

impl Columns {
    fn of(line: &[u8]) -> Option<Columns> {
        let separator = *line.strip_prefix(b"Function Stack")?.first()?;
        let names = fields(line, separator);
        let own = names.iter().position(|name| {
            name.starts_with(b"CPU Time:")
                && (name.ends_with(b":Self") || name.contains_str("Self"))
        })?;
        let module = names.iter().position(|name| &name[..] == b"Module");
        Some(Columns { separator, own, module })
    }
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[Measure { name: b"cpu-time", unit: b"ns" }]);
    let columns = |line: &[u8], _: &mut Samples<'_>| Columns::of(line);
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
    let Some(own) = field(columns.own).and_then(|own| scaled(own.trim_ascii(), NANOSECONDS)) else {
        return Ok(None);
    };
    let object = columns.module.and_then(field).map_or(&b""[..], |module| module);
    let object = if object == b"[Unknown]" { b"" } else { object };
    let name = if name == b"[Unknown]" { b"" } else { name };
    let frame = Frame { name, object, ..Frame::default() };
    calls.add(indent as u64, &frame, &[own], samples).map(Some)
}
