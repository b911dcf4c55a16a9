//! The text of a profile: the totals of the program, a table that is skipped, and the tree.
//!
//! ```text
//! <TAB>Sun Aug  6 14:52 2023 Time and Allocation Profiling Report  (Final)
//!
//! <TAB>total time  =        0.02 secs   (23 ticks @ 1000 us, 1 processor)
//! <TAB>total alloc =  59,542,424 bytes  (excludes profiling overheads)
//!                                         individual      inherited
//! COST CENTRE MODULE SRC  no. entries  %time %alloc   %time %alloc  ticks     bytes
//!
//! MAIN        MAIN   <built-in>      337     0    0.0    0.0   100.0  100.0      0       728
//!  CAF        Main   <entire-module> 593     0    0.0    0.0     4.3    0.3      0         0
//!   main.\    Main   A.hs:32:16-64   674     1    4.3    0.3     4.3    0.3      1    167696
//! ```
//!
//! The columns of ticks and bytes are there only with `-P` and `-pa`.

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::decimal};

use super::{Own, frame, start_of};
use crate::format::Head;
use crate::read::decimal::{Carry, scaled};
use crate::read::lines::for_each_line;
use crate::read::numbers::grouped;
use crate::read::table_of_calls::TableOfCalls;
use crate::samples::Samples;

/// Text in the first line of a profile.
const TITLE: &str = "Time and Allocation Profiling Report";

/// The heading of the column with the cost centre's number.
const NUMBER: &str = " no. ";

pub(super) fn detect(head: &Head<'_>) -> bool {
    head.lines().take(10).any(|line| line.contains_str(TITLE))
}

pub(super) fn parse(input: &mut Input, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = GhcProfReader::default();
    for_each_line(input, |number, line| reader.line(number, line, samples))?;
    reader.end_profile(samples);
    if reader.has_shares {
        samples.note("only shares of 0.1 % were saved: '+RTS -P' saves exact numbers");
    }
    samples.note_count(reader.lost_shares, "shares have a total that is not a number: left out");
    Ok(())
}

#[derive(Default)]
struct GhcProfReader {
    /// Ticks and bytes of the whole program.
    totals: [Option<u64>; 2],
    /// The sums of the ticks and the bytes of all rows that have exact ones.
    sums: [u64; 2],
    /// The nanoseconds of a tick; 0 if unknown.
    interval: u64,
    columns: Option<Columns>,
    calls: TableOfCalls,
    /// What rounding left of the shares of earlier rows.
    rests: [Carry; 2],
    /// Whether rows have shares only.
    has_shares: bool,
    /// Shares of totals that are no numbers.
    lost_shares: u64,
    name: Vec<u8>,
}

/// Where the columns begin, in characters.
struct Columns {
    module: usize,
    /// GHC before 8.0 wrote no places.
    source: Option<usize>,
    number: usize,
    /// Whether there are ticks and bytes.
    is_exact: bool,
}

impl Columns {
    /// The columns in the line that names them; `None` if it is another line.
    fn of(line: &[u8]) -> Option<Columns> {
        let number = line.find(NUMBER)? + 1;
        let module = line.find(" MODULE ")? + 1;
        let source = line.find(" SRC ").map(|at| at + 1);
        let is_exact = line.contains_str(" ticks ");
        line.starts_with(b"COST CENTRE").then_some(Columns { module, source, number, is_exact })
    }
}

impl GhcProfReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if line.contains_str(TITLE) {
            // Several profiles may follow each other.
            self.end_profile(samples);
        } else if let Some(rest) = line.trim_ascii_start().strip_prefix(b"total time ") {
            self.total_time(rest, samples);
        } else if let Some(rest) = line.trim_ascii_start().strip_prefix(b"total alloc =") {
            self.totals[1] = between(rest, "", " bytes");
        } else if let Some(columns) = Columns::of(line) {
            self.columns = Some(columns);
            self.calls = TableOfCalls::default();
        } else if self.columns.is_some() && !line.is_empty() && self.row(line, samples)?.is_none() {
            samples.malformed(number, "expected a cost centre of GHC");
        }
        Ok(())
    }

    /// Reads `=        0.02 secs   (23 ticks @ 1000 us, 1 processor)`. The seconds have two digits;
    /// they are the ticks of all processors, divided by their number.
    fn total_time(&mut self, text: &[u8], samples: &mut Samples<'_>) {
        let ticks = between(text, "(", " ticks");
        let interval = between(text, "@ ", " us").map(|interval| interval.saturating_mul(1000));
        self.totals[0] = ticks;
        self.interval = interval.unwrap_or(0);
        if let (Some(ticks), Some(interval)) = (ticks, interval) {
            samples.facts.note_interval(interval);
            let processors = between(text, ", ", " processor").unwrap_or(1).max(1);
            let length = ticks.saturating_mul(interval) / processors;
            let before = samples.facts.length.unwrap_or(0);
            samples.facts.length = Some(before.saturating_add(length));
        }
    }

    /// Notes if the rows of a profile are not all of it, as in a file that was cut.
    fn end_profile(&mut self, samples: &mut Samples<'_>) {
        let is_exact = self.columns.take().is_some_and(|columns| columns.is_exact);
        let sums = std::mem::take(&mut self.sums);
        let mut totals = ["ticks", "bytes"].iter().zip(self.totals).zip(sums);
        let differs = totals.find(|((_, total), sum)| total.is_some_and(|total| total != *sum));
        if let Some(((name, Some(total)), sum)) = differs.filter(|_| is_exact) {
            samples.note(format_args!(
                "the total of {name} is {total} in the file, but its cost centres add up to {sum}"
            ));
        }
    }

    /// Adds a row of the tree, if it is one.
    fn row(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<Option<()>> {
        let Some(row) = self.columns.as_ref().and_then(|columns| Row::of(line, columns)) else {
            return Ok(None);
        };
        let own = match row.own {
            OwnColumns::Exact(own) => {
                let sums = self.sums.iter_mut().zip(own);
                sums.for_each(|(sum, own)| *sum = sum.saturating_add(own));
                own
            }
            OwnColumns::Shares(shares) => {
                self.has_shares = true;
                [0, 1].map(|place| {
                    let total = self.totals[place].map(i128::from);
                    let parts = total.map(|total| i128::from(shares[place]) * total);
                    let own = parts.and_then(|parts| self.rests[place].round(parts, WHOLE.into()));
                    self.lost_shares += u64::from(own.is_none() && shares[place] > 0);
                    own.unwrap_or_default()
                })
            }
        };
        let [ticks, bytes] = own;
        let Row { indent, label, module, source, entries, .. } = row;
        let own = Own { ticks, bytes, entries }.measures(self.interval);
        let mut name = std::mem::take(&mut self.name);
        let place = start_of(source);
        let frame = frame(module, label, &place, &mut name);
        self.calls.add(indent as u64, &frame, &own, samples)?;
        self.name = name;
        Ok(Some(()))
    }
}

/// A row of the tree.
struct Row<'a> {
    indent: usize,
    label: &'a [u8],
    module: &'a [u8],
    source: &'a [u8],
    entries: u64,
    own: OwnColumns,
}

/// The own cost of a cost centre in a row.
enum OwnColumns {
    /// Ticks and bytes.
    Exact([u64; 2]),
    /// Their shares of the program's totals: [`WHOLE`] is all.
    Shares([u64; 2]),
}

/// 100.0 %: a share is a percentage with one digit after the point.
const WHOLE: u64 = 1000;

impl<'a> Row<'a> {
    fn of(line: &'a [u8], columns: &Columns) -> Option<Row<'a>> {
        let text = line.trim_ascii_start();
        let indent = line.len() - text.len();
        let (names, numbers) = line.split_at(at_character(line, columns.number)?);
        let (names, source) =
            names.split_at(at_character(names, columns.source.unwrap_or(columns.number))?);
        let (label, module) = names.split_at(at_character(names, columns.module)?);
        let mut numbers = numbers.fields();
        let mut next = || numbers.next();
        let _number = decimal(next()?)?;
        let entries = decimal(next()?)?;
        let share = |text: &[u8]| u64::try_from(scaled(text, 1)?).ok();
        let shares = [share(next()?)?, share(next()?)?];
        let _inherited = [next()?, next()?];
        let own = match columns.is_exact {
            true => OwnColumns::Exact([decimal(next()?)?, decimal(next()?)?]),
            false => OwnColumns::Shares(shares),
        };
        let [label, module, source] = [label, module, source].map(<[u8]>::trim_ascii);
        Some(Row { indent, label, module, source, entries, own })
    }
}

/// Where in a line the character with this number begins.
fn at_character(line: &[u8], number: usize) -> Option<usize> {
    let is_start = |byte: &u8| !matches!(byte, 0x80..0xc0);
    let mut starts = line.iter().enumerate().filter(|(_, byte)| is_start(byte));
    let start = starts.nth(number).map(|(at, _)| at);
    start.or((line.len() >= number && starts.next().is_none()).then_some(line.len()))
}

/// The number between two texts: `(23 ticks`, `59,542,424 bytes`.
fn between(text: &[u8], before: &str, after: &str) -> Option<u64> {
    let (_, rest) = text.split_once_str(before)?;
    let (number, _) = rest.split_once_str(after)?;
    grouped(number.trim_ascii())
}
