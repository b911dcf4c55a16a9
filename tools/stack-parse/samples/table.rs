//! A table with one row per sample, for pandas, DuckDB and R: `--table`.

use std::borrow::Cow;

use bstr::ByteSlice;
use common::{Pipe, Result, Total};

use super::sample::{Sample, Time, append_seconds};

/// The first line.
const HEADER: &[u8] = b"time\tsince\tcomm\tpid\ttid\tcpu\tevent\tweight\tstack\n";

/// The row that is being made.
#[derive(Debug, Default)]
pub(crate) struct Table {
    is_started: bool,
    row: Vec<u8>,
}

impl Table {
    /// Begins the row of a sample, which came so many nanoseconds after the
    /// first one of its input.
    pub(crate) fn open(&mut self, origin: &Sample<'_>, event: &[u8], since: Option<i128>) {
        self.row.clear();
        match origin.time {
            Some(Time::Text(text)) => push_field(text, &mut self.row),
            Some(time @ Time::Nanoseconds(now)) => {
                append_seconds(i128::from(now), time.digits(), &mut self.row);
            }
            None => {}
        }
        self.row.push(b'\t');
        if let (Some(since), Some(time)) = (since, origin.time) {
            append_seconds(since, time.digits(), &mut self.row);
        }
        self.row.push(b'\t');
        for field in [
            origin.comm,
            origin.pid.unwrap_or_default(),
            origin.tid.unwrap_or_default(),
            origin.cpu.unwrap_or_default(),
            event,
        ] {
            push_field(field, &mut self.row);
            self.row.push(b'\t');
        }
    }

    /// Writes the row.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    pub(crate) fn close(&mut self, stack: &[u8], weight: u64, pipe: &mut Pipe) -> Result<()> {
        if !std::mem::replace(&mut self.is_started, true) {
            pipe.write_lines(HEADER, Total::default())?;
        }
        self.row.extend_from_slice(weight.to_string().as_bytes());
        self.row.push(b'\t');
        // Always in quotes: DuckDB takes the `;` of stacks of one depth for
        // the end of columns.
        push_quoted(stack, &mut self.row);
        self.row.push(b'\n');
        pipe.write_lines(&self.row, Total { lines: 1, weight: weight.into() })
    }
}

/// What pandas and R take for a missing value, even in quotes.
const MISSING: [&[u8]; 18] = [
    b"#N/A",
    b"#N/A N/A",
    b"#NA",
    b"-1.#IND",
    b"-1.#QNAN",
    b"-NaN",
    b"-nan",
    b"1.#IND",
    b"1.#QNAN",
    b"<NA>",
    b"N/A",
    b"NA",
    b"NULL",
    b"NaN",
    b"None",
    b"n/a",
    b"nan",
    b"null",
];

/// A field as readers of tables expect it.
fn push_field(field: &[u8], out: &mut Vec<u8>) {
    if field.contains(&b'"') {
        return push_quoted(field, out);
    }
    let start = out.len();
    out.extend_from_slice(readable(field).as_bytes());
    replace_controls(&mut out[start..]);
}

/// A field in quotation marks, and those within doubled.
fn push_quoted(field: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.push(b'"');
    for part in readable(field).as_bytes().split_inclusive(|&byte| byte == b'"') {
        out.extend_from_slice(part);
        if part.ends_with(b"\"") {
            out.push(b'"');
        }
    }
    out.push(b'"');
    replace_controls(&mut out[start..]);
}

/// Text in UTF-8, since readers refuse a file with anything else; a name such
/// as `NA` in brackets, since it would count as no name.
fn readable(field: &[u8]) -> Cow<'_, str> {
    let text = field.to_str_lossy();
    if MISSING.contains(&field) { format!("[{text}]").into() } else { text }
}

fn replace_controls(text: &mut [u8]) {
    text.iter_mut().filter(|byte| byte.is_ascii_control()).for_each(|byte| *byte = b' ');
}
