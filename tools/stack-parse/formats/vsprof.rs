//! The call tree of Visual Studio's profiler as a table, `CallTreeSummary.csv` of
//! `vsperfreport /summary:calltree`. If the profiler sampled, the columns are numbers of samples;
//! if it instrumented, they are rounded shares of time, and numbers of calls; if it recorded memory
//! of .NET, they are bytes and allocations (names of columns from Microsoft's pages). Samples may have
//! fractions, `4,718.25`: then all numbers are rounded so that their sum stays right.
//!
//! ```text
//! Level,Function Name,Number of Calls,Elapsed Inclusive Time %,Elapsed Exclusive Time %,...
//! 0,"demo.exe",0,100.00,0.00,...
//! 1,"Tracer.<TraceImage>b__5_0(int32)","2,893,824",91.25,18.39,...
//! ```

use std::borrow::Cow;

use common::{Result, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::csv::fields;
use crate::read::decimal::Carry;
use crate::read::numbers::scaled;
use crate::read::table_of_calls::{TableOfCalls, read_table};
use crate::samples::Samples;
use crate::samples::events::Measure;

pub(super) const FORMAT: Format =
    Format::new("vsprof", "The call tree of Visual Studio's profiler, as CSV", detect, parse);

/// A column that can be a weight: its name, its measure, and how many units of the measure a 1 in
/// the column is.
const WEIGHTS: [(&[u8], Measure<'_>, u64); 5] = [
    (b"Exclusive Samples", Measure { name: b"samples", unit: b"samples" }, 1),
    // The table has no more digits than hundredths of a percent.
    (b"Elapsed Exclusive Time %", Measure { name: b"time", unit: b"0.01 %" }, 100),
    // Of memory in .NET.
    (b"Exclusive Bytes", Measure { name: b"bytes", unit: b"bytes" }, 1),
    (b"Exclusive Allocations", Measure { name: b"allocations", unit: b"allocations" }, 1),
    (b"Number of Calls", Measure { name: b"calls", unit: b"calls" }, 1),
];

fn detect(head: &Head<'_>) -> bool {
    Columns::of(head.first_line()).is_some()
}

/// The precision of counted numbers, in parts of one; further digits are rounded away.
const PARTS: u64 = 1_000_000;

/// The columns that are read.
struct Columns {
    weights: Vec<WeightColumn>,
    module: Option<usize>,
    /// How many numbers were rounded.
    rounded: u64,
}

/// A column that is a weight.
struct WeightColumn {
    column: usize,
    measure: Measure<'static>,
    /// How many units of the measure a 1 in the column is.
    scale: u64,
    /// The remainder that rounding left so far.
    rest: Carry,
}

impl Columns {
    fn of(line: &[u8]) -> Option<Columns> {
        line.strip_prefix(b"Level,Function Name,")?;
        let names = fields(line, b',');
        let place = |wanted: &[u8]| names.iter().position(|name| &name[..] == wanted);
        let weight = |&(name, measure, scale): &(&[u8], _, _)| {
            Some(WeightColumn { column: place(name)?, measure, scale, rest: Carry::default() })
        };
        let weights: Vec<_> = WEIGHTS.iter().filter_map(weight).collect();
        Some(Columns { weights, module: place(b"Module Name"), rounded: 0 })
            .filter(|it| !it.weights.is_empty())
    }

    /// The weights of a row; `None` if one is not a number.
    fn weights(&mut self, fields: &[Cow<'_, [u8]>]) -> Option<Vec<u64>> {
        let mut rounded = 0;
        let weights = self.weights.iter_mut().map(|weight| {
            let text = fields.get(weight.column)?.trim_ascii();
            // A number that overflows with its fraction is read without it.
            let Some(parts) = scaled(text, weight.scale * PARTS) else {
                return scaled(text, weight.scale);
            };
            rounded += u64::from(parts % PARTS != 0);
            weight.rest.round(parts.into(), PARTS.into())
        });
        let weights = weights.collect();
        self.rounded += rounded;
        weights
    }
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let columns = |line: &[u8], samples: &mut Samples<'_>| {
        let columns = Columns::of(line)?;
        let measures: Vec<_> = columns.weights.iter().map(|weight| weight.measure).collect();
        samples.events.set_measures(&measures);
        Some(columns)
    };
    let expected = "a level, a function and numbers of Visual Studio";
    let columns = read_table(input, samples, columns, add_row, expected)?;
    if let Some(Columns { rounded: rounded @ 1.., .. }) = columns {
        samples.note(format_args!(
            "{rounded} numbers have a fraction, they are rounded so that their sum is right"
        ));
    }
    Ok(())
}

/// Adds a row, if the line is one.
fn add_row(
    line: &[u8],
    columns: &mut Columns,
    calls: &mut TableOfCalls,
    samples: &mut Samples<'_>,
) -> Result<Option<()>> {
    let fields = fields(line, b',');
    let field = |column: usize| fields.get(column).map(|field: &Cow<'_, [u8]>| &field[..]);
    let level = field(0).filter(|level| !level.is_empty()).and_then(decimal);
    let (Some(level), Some(name)) = (level, field(1)) else { return Ok(None) };
    let Some(weights) = columns.weights(&fields) else { return Ok(None) };
    let object = columns.module.and_then(field).unwrap_or_default();
    let frame = Frame { name, object, ..Frame::default() };
    calls.add(level, &frame, &weights, samples).map(Some)
}
