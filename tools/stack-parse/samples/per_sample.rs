//! One line per sample: `--per-sample` and `--table`.

use std::borrow::Cow;

use bstr::ByteSlice;
use common::{Pipe, Result, Total, append_folded};

use crate::samples::sample::Origin;

/// The first line of a table.
const HEADER: &[u8] = b"time\tcomm\tpid\ttid\tcpu\tevent\tweight\tstack\n";

/// Lines that wait to be written, and the origin of the sample at hand.
#[derive(Debug, Default)]
pub(crate) struct PerSample {
    /// A table; else folded lines.
    table: bool,
    started: bool,
    text: Vec<u8>,
    flow: Total,
    /// The fields of the sample at hand, as far as the event.
    fields: Vec<u8>,
    stack: Vec<u8>,
}

impl PerSample {
    pub(crate) fn new(table: bool) -> PerSample {
        PerSample { table, ..PerSample::default() }
    }

    /// True if and only if the rows are a table's.
    pub(crate) fn is_table(&self) -> bool {
        self.table
    }

    /// Keeps what the table says of a sample beside its weight and stack.
    pub(crate) fn open(&mut self, origin: &Origin<'_>) {
        if !self.table {
            return;
        }
        self.fields.clear();
        for field in [
            origin.time.unwrap_or_default(),
            origin.comm,
            origin.pid.unwrap_or_default(),
            origin.tid.unwrap_or_default(),
            origin.cpu.unwrap_or_default(),
            origin.event,
        ] {
            push_field(field, &mut self.fields);
            self.fields.push(b'\t');
        }
    }

    /// Adds the line of a sample with these frames, root first.
    pub(crate) fn close<'a>(&mut self, weight: u64, frames: impl Iterator<Item = &'a [u8]>) {
        self.stack.clear();
        for (depth, frame) in frames.enumerate() {
            if depth > 0 {
                self.stack.push(b';');
            }
            self.stack.extend_from_slice(frame);
        }
        if self.stack.is_empty() {
            self.stack.extend_from_slice(b"[no stack]");
        }
        self.flow += weight;
        if !self.table {
            return append_folded(&self.stack, weight, &mut self.text);
        }
        if !std::mem::replace(&mut self.started, true) {
            self.text.extend_from_slice(HEADER);
        }
        self.text.extend_from_slice(&self.fields);
        self.text.extend_from_slice(weight.to_string().as_bytes());
        self.text.push(b'\t');
        // Always in quotes: DuckDB takes the `;` of stacks of one depth for
        // the end of columns.
        push_quoted(&self.stack, &mut self.text);
        self.text.push(b'\n');
    }

    /// Writes the lines that wait.
    pub(crate) fn drain(&mut self, pipe: &mut Pipe) -> Result<()> {
        pipe.write_lines(&self.text, std::mem::take(&mut self.flow))?;
        self.text.clear();
        Ok(())
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
