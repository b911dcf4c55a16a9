//! Reads the table that `stack-parse --table` prints, or what a filter left of it.
//!
//! ```text
//! time  since  comm  pid  tid  cpu  event  weight  stack
//! 525.936394  0.000000  demo  71  71  002  cycles  250000  "demo;main;parse"
//! ```

use bstr::ByteSlice;
use common::{io::unquoted, numbers::nanoseconds_of_label, pipe::Pipe};

use crate::by::By;
use crate::rows::{Refused, Rows, Sample};

/// The columns that each table has.
const NEEDED: [&str; 2] = ["since", "weight"];

/// The indices of the columns that are read.
pub(crate) struct Columns {
    header: Vec<u8>,
    since: usize,
    weight: usize,
    value: Option<usize>,
    comm: Option<usize>,
    event: Option<usize>,
    /// How many columns must be there.
    needed: usize,
}

impl Columns {
    /// Whether the line has the names of the columns that each table has.
    pub(crate) fn are_named_by(line: &[u8]) -> bool {
        let has = |name: &str| line.split_str("\t").any(|it| *unquoted(it) == *name.as_bytes());
        NEEDED.into_iter().all(has)
    }

    /// Reads the header line; an error names the columns that are missing.
    pub(crate) fn of(header: &[u8], by: Option<&By>) -> Result<Columns, String> {
        let names: Vec<_> = header.split_str("\t").map(unquoted).collect();
        let place = |name: &str| names.iter().position(|it| it.as_ref() == name.as_bytes());
        let wanted = NEEDED.into_iter().chain(by.map(By::key));
        let missing: Vec<_> = wanted.filter(|name| place(name).is_none()).collect();
        let (Some(since), Some(weight), []) = (place("since"), place("weight"), &missing[..])
        else {
            let columns = if missing.len() == 1 { "a column" } else { "columns" };
            let names = missing.join("' and '");
            return Err(format!(
                "expected {columns} '{names}' in the first line, as 'stack-parse --table' prints it"
            ));
        };
        let value = by.and_then(|by| place(by.key()));
        let comm = by.filter(|by| by.shows_comm()).and_then(|_| place("comm"));
        let event = place("event");
        let last = [Some(since), Some(weight), value, comm, event].into_iter().flatten().max();
        let needed = last.map_or(0, |last| last + 1);
        Ok(Columns { header: header.to_vec(), since, weight, value, comm, event, needed })
    }

    /// Adds the sample of a row, or leaves it out where it has no time.
    pub(crate) fn add(&self, line: &[u8], rows: &mut Rows, pipe: &mut Pipe) -> Result<(), Refused> {
        // `cat` puts several tables into one, each with its header.
        if line == self.header {
            return Ok(());
        }
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b'\t').take(self.needed).collect();
        if fields.len() < self.needed {
            return Err(Refused::Line("fewer columns than the first line has"));
        }
        let weight = fields[self.weight].to_str().ok().and_then(|text| text.parse().ok());
        let weight: u64 = weight.ok_or(Refused::Line("expected a weight such as 12"))?;
        let since = unquoted(fields[self.since]);
        if since.is_empty() {
            rows.leave_out(weight, true, pipe);
            return Ok(());
        }
        const NO_TIME: Refused =
            Refused::Line("expected seconds such as 2.5 in the column 'since'");
        let time = nanoseconds_of_label(&since).ok_or(NO_TIME)?;
        let field = |column: Option<usize>| column.map(|column| unquoted(fields[column]));
        let [value, comm, event] = [self.value, self.comm, self.event].map(field);
        let value = value.as_deref().unwrap_or_default();
        rows.add(
            &Sample {
                time,
                weight,
                value,
                comm: comm.as_deref(),
                event: event.as_deref(),
                is_slice: false,
            },
            pipe,
        )
    }
}
