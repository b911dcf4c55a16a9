//! The call tree of Visual Studio's profiler as a table, `CallTreeSummary.csv` of
//! `vsperfreport /summary:calltree`. When it samples, the columns count samples. When it
//! instruments, they are rounded shares of time, and numbers of calls.
//!
//! ```text
//! Level,Function Name,Number of Calls,Elapsed Inclusive Time %,Elapsed Exclusive Time %,...
//! 0,"demo.exe",0,100.00,0.00,...
//! 1,"Tracer.<TraceImage>b__5_0(int32)","2,893,824",91.25,18.39,...
//! ```

use std::borrow::Cow;

use common::{Input, Result, decimal};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::csv::fields;
use crate::read::numbers::scaled;
use crate::read::table_of_calls::{TableOfCalls, read_table};
use crate::samples::events::Measure;
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format = Format {
    name: "vsprof",
    about: "The call tree of Visual Studio's profiler, as CSV",
    detect,
    parse,
    root: Root::None,
    weighs: Weighs::Sum,
    extras: &[],
};

/// A column that may be weighed: its name, what it measures, and how many of that one in the
/// column is.
const WEIGHTS: [(&[u8], Measure<'_>, u64); 3] = [
    (b"Exclusive Samples", Measure { name: b"samples", unit: b"samples" }, 1),
    // Hundredths of percent are all that there is.
    (b"Elapsed Exclusive Time %", Measure { name: b"time", unit: b"0.01 %" }, 100),
    (b"Number of Calls", Measure { name: b"calls", unit: b"calls" }, 1),
];

fn detect(head: &Head<'_>) -> bool {
    Columns::of(head.first_line()).is_some()
}

/// In which columns the parts of a row stand.
struct Columns {
    /// Columns, what they measure, and how many of that one in the column is.
    weights: Vec<(usize, Measure<'static>, u64)>,
    module: Option<usize>,
}

impl Columns {
    fn of(line: &[u8]) -> Option<Columns> {
        line.strip_prefix(b"Level,Function Name,")?;
        let names = fields(line, b',');
        let place = |wanted: &[u8]| names.iter().position(|name| &name[..] == wanted);
        let weights: Vec<_> = WEIGHTS
            .iter()
            .filter_map(|(name, measure, scale)| Some((place(name)?, *measure, *scale)))
            .collect();
        Some(Columns { weights, module: place(b"Module Name") }).filter(|it| !it.weights.is_empty())
    }
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let columns = |line: &[u8], samples: &mut Samples<'_>| {
        let columns = Columns::of(line)?;
        let measures: Vec<_> = columns.weights.iter().map(|(_, measure, _)| *measure).collect();
        samples.set_measures(&measures);
        Some(columns)
    };
    let expected = "a level, a function and numbers of Visual Studio";
    read_table(input, samples, columns, add_row, expected)
}

/// Adds a row, if it is one.
fn add_row(
    line: &[u8],
    columns: &Columns,
    calls: &mut TableOfCalls,
    samples: &mut Samples<'_>,
) -> Result<Option<()>> {
    let fields = fields(line, b',');
    let field = |column: usize| fields.get(column).map(|field: &Cow<'_, [u8]>| &field[..]);
    let level = field(0).filter(|level| !level.is_empty()).and_then(decimal);
    let weights: Option<Vec<u64>> = columns
        .weights
        .iter()
        .map(|(column, _, scale)| scaled(field(*column)?.trim_ascii(), *scale))
        .collect();
    let (Some(level), Some(name), Some(weights)) = (level, field(1), weights) else {
        return Ok(None);
    };
    let object = columns.module.and_then(field).unwrap_or_default();
    let frame = Frame { name, object, ..Frame::default() };
    calls.add(level, &frame, &weights, samples).map(Some)
}
