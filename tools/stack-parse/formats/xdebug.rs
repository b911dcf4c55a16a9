//! Traces of PHP's Xdebug, with every call: for computers (`xdebug.trace_format=1`) and for people
//! (0). Grammar from its src/tracing/trace_computerized.c and trace_textual.c.
//!
//! ```text
//! Version: 3.2.0
//! File format: 4
//! TRACE START [2026-11-20 19:33:53.429812]
//! 1<TAB>0<TAB>0<TAB>0.000278<TAB>394712<TAB>{main}<TAB>1<TAB><TAB>/srv/demo.php<TAB>0<TAB>0
//! 2<TAB>1<TAB>0<TAB>0.000297<TAB>394712<TAB>fib<TAB>1<TAB><TAB>/srv/demo.php<TAB>4<TAB>1<TAB>9
//! 2<TAB>1<TAB>1<TAB>0.000320<TAB>394712
//! 2<TAB>1<TAB>R<TAB><TAB><TAB>34
//! <TAB><TAB><TAB>0.000800<TAB>391048
//! TRACE END   [2026-11-20 19:33:53.430369]
//!
//! TRACE START [2026-11-20 19:33:53.479599]
//!     0.0002     394712   -> {main}() /srv/demo.php:0
//!     0.0002     394712     -> fib($n = 9) /srv/demo.php:4
//!     0.0003     394712      >=> 34
//!                           => $all[] = 34 /srv/demo.php:4
//!     0.0006     391048
//! TRACE END   [2026-11-20 19:33:53.480009]
//! ```

mod calls;
mod computerized;
mod textual;

use common::{Result, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::costs::CALLS;
use crate::read::decimal::scaled;
use crate::read::lines::for_each_line;
use crate::samples::Samples;
use crate::samples::events::Measure;
use calls::Calls;
use textual::Textual;

pub(super) const FORMAT: Format =
    Format::new("xdebug", "Traces of PHP's Xdebug, of format 0 and 1", detect, parse);

/// The first words of a trace.
const START: &[u8] = b"TRACE START [";

/// The first words of its last line.
const END: &[u8] = b"TRACE END   [";

fn detect(head: &Head<'_>) -> bool {
    head.lines().take(10).any(|line| line.starts_with(START))
}

/// The event in a line of a trace.
enum TraceLine<'a> {
    /// A function was called.
    Call(Call<'a>),
    /// A call of this level returned, with this number if it is known.
    Return { level: u64, number: Option<u64> },
    /// The trace ends.
    End,
}

/// A function that was called.
struct Call<'a> {
    level: u64,
    /// Its number among all calls.
    number: Option<u64>,
    name: &'a [u8],
    /// The file that an `include` includes; otherwise empty.
    included: &'a [u8],
    /// The file of the caller.
    file: &'a [u8],
    line: Option<u64>,
}

/// A line: the time in nanoseconds, the memory in bytes, and the event.
type Row<'a> = (u64, u64, TraceLine<'a>);

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[
        Measure { name: b"time", unit: b"ns" },
        Measure { name: b"memory", unit: b"bytes" },
        CALLS,
    ]);
    let mut calls = Calls::default();
    let mut textual = Textual::default();
    let mut is_open = false;
    for_each_line(input, |number, line| {
        if line.starts_with(START) || line.starts_with(END) {
            is_open = line.starts_with(START);
            calls.clear();
            return Ok(());
        }
        if !is_open || line.is_empty() {
            return Ok(());
        }
        let row = if line.contains(&b'\t') && !line.starts_with(b" ") {
            computerized::row(line)
        } else {
            textual.row(line)
        };
        match row {
            Some(Some((time, memory, event))) => calls.enter(time, memory, &event, samples),
            Some(None) => Ok(()),
            None => {
                samples.skipped.add(number, "expected a call or a return of Xdebug");
                Ok(())
            }
        }
    })?;
    calls.report(samples)
}

/// `0.000278` in nanoseconds, and `394712` bytes.
fn time_and_memory(time: &[u8], memory: &[u8]) -> Option<(u64, u64)> {
    let time = scaled(time, 9)?;
    Some((u64::try_from(time).ok()?, decimal(memory)?))
}
