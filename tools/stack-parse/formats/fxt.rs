//! Traces in Fuchsia's trace format, which other programs write, too: magic-trace, `olly trace`
//! of OCaml 5, eio-trace. Grammar from the page "Fuchsia trace format" of fuchsia.dev.
//!
//! A trace is a sequence of records. Numbers are little-endian, and sizes are multiples of eight
//! bytes. A record begins with a word that has its type, its size and other small fields.
//!
//! ```text
//! string 5 = "minor"                a name, which others refer to
//! thread 1 = process 100, thread 101
//! event    begin, thread 1, at 3000 ticks, string 5
//! event    end, thread 1, at 4500 ticks, string 5
//! ```
//!
//! Each provider, a process that traces, has its own numbers. olly refers to names that it never
//! wrote: these are shown as their number.

mod names;
mod records;
mod trace;

use common::{Error, Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::samples::{Root, Samples, Weighs};
use records::Records;
use trace::Trace;

pub(super) const FORMAT: Format = Format::new(
    "fxt",
    "Fuchsia's traces, as magic-trace, 'olly trace' and eio-trace write them",
    detect,
    parse,
)
.root(&Root::Comm)
.weighs(Weighs::Exact)
.extras(&[Extra::Spans]);

/// The first record.
const MAGIC: &[u8] = b"\x10\x00\x04FxT\x16\x00";

fn detect(head: &Head<'_>) -> bool {
    head.bytes.starts_with(MAGIC)
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Unknown`] if a record is damaged, after all that could be read was
/// added; or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut records = Records::new(input);
    let mut trace = Trace::default();
    let end = loop {
        match records.next() {
            Ok(Some(record)) => trace.add(record, samples)?,
            Ok(None) => break Ok(()),
            Err(end) => break Err(end),
        }
    };
    let damaged = trace.finish(samples)?;
    match end {
        Err(end) => Err(end.error(name)),
        Ok(()) if damaged > 0 => {
            let what = format!("{damaged} records are too short for their contents");
            Err(Error::Unknown { name, what })
        }
        Ok(()) => Ok(()),
    }
}
