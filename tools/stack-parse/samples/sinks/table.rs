//! A table with one row per sample, for pandas, DuckDB and R: `--table`.

use bstr::ByteSlice;
use common::io::{Total, push_field, push_quoted};
use common::{Result, pipe::Pipe};

use super::Sink;
use crate::samples::labels::DIGITS;
use crate::samples::sample::{Sample, Time, append_seconds};
use crate::samples::weight::Rule;
use crate::samples::window::Window;

/// The first line.
const HEADER: &[u8] = b"time\tsince\tcomm\tpid\ttid\tcpu\tevent\tweight\tstack\n";

/// The row that is being made.
#[derive(Debug, Default)]
pub(crate) struct Table {
    is_started: bool,
    row: Vec<u8>,
}

impl Sink for Table {
    fn auto_rule(&self) -> Rule {
        Rule::Sum
    }

    fn has_header(&self) -> bool {
        false
    }

    fn open(&mut self, origin: &Sample<'_>, event: &[u8], window: &mut Window) {
        self.row.clear();
        match origin.time {
            Some(Time::Text(text)) => push_field(&text.to_str_lossy(), &mut self.row),
            Some(time @ Time::Nanoseconds(now)) => {
                append_seconds(i128::from(now), time.digits(), &mut self.row);
            }
            None => {}
        }
        self.row.push(b'\t');
        if let Some(when) = window.when(origin) {
            let digits = origin.time.map_or(DIGITS, Time::digits);
            append_seconds(when.since.into(), digits, &mut self.row);
        }
        self.row.push(b'\t');
        for field in [
            origin.comm,
            origin.pid.unwrap_or_default(),
            origin.tid.unwrap_or_default(),
            origin.cpu.unwrap_or_default(),
            event,
        ] {
            push_field(&field.to_str_lossy(), &mut self.row);
            self.row.push(b'\t');
        }
    }

    fn add(&mut self, stack: &[u8], weight: u64, pipe: &mut Pipe) -> Result<()> {
        if !std::mem::replace(&mut self.is_started, true) {
            pipe.write_lines(HEADER, Total::default())?;
        }
        self.row.extend_from_slice(weight.to_string().as_bytes());
        self.row.push(b'\t');
        // Always in quotes: DuckDB takes the `;` of stacks of one depth for
        // the end of columns.
        push_quoted(&stack.to_str_lossy(), &mut self.row);
        self.row.push(b'\n');
        pipe.write_lines(&self.row, Total { lines: 1, weight: weight.into() })
    }
}
