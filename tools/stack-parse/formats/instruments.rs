//! Instruments' call tree as text: "Deep Copy" of its Edit menu. Three generations:
//!
//! ```text
//! Running Time<TAB>Self (ms)<TAB><TAB>Symbol Name
//! 4273.0ms   99.9%<TAB>0<TAB> <TAB>start
//! 4273.0ms   99.9%<TAB>0<TAB> <TAB> main
//!
//! Weight<TAB>Self Weight<TAB><TAB>Symbol Name
//! 96.08 Gc  100.0%<TAB>-<TAB> <TAB>example_app (40414)
//!
//! Weight<TAB>Self Weight<TAB>Symbol Names
//! 2.45 s  49.7%<TAB>846.00 ms<TAB>     delta()
//!
//! Bytes Used<TAB>Count<TAB><TAB>Symbol Name
//! 1.50 MB  60.0%<TAB>10<TAB> <TAB>  grow()
//! ```

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::hexadecimal};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::numbers::scaled;
use crate::read::outline::Outline;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

pub(super) const FORMAT: Format = Format::new(
    "instruments",
    "A call tree of Instruments, copied by its Deep Copy",
    detect,
    parse,
);

fn detect(head: &Head<'_>) -> bool {
    Columns::of(head.first_line()).is_some()
}

/// The columns of a row.
struct Columns {
    own: Option<usize>,
    /// The unit of own weights, if only the column's title has it: `ms`.
    own_unit: Vec<u8>,
    /// How many there are of what the first column measures.
    count: Option<usize>,
    symbol: usize,
}

impl Columns {
    /// The columns in the line that names them; `None` if it is another line.
    fn of(line: &[u8]) -> Option<Columns> {
        let names: Vec<&[u8]> = line.split(|byte| *byte == b'\t').map(<[u8]>::trim_ascii).collect();
        let is_symbol = |name: &&[u8]| matches!(*name, b"Symbol Name" | b"Symbol Names");
        let symbol = names.iter().position(is_symbol).filter(|&place| place > 0)?;
        let own = names.iter().position(|name| name.starts_with(b"Self"));
        let name = own.map_or(&b""[..], |own| names[own]);
        let unit = name.strip_suffix(b")").and_then(|name| name.split_once_str("("));
        let own_unit = unit.map_or(Vec::new(), |(_, unit)| unit.to_vec());
        let count = names.iter().position(|name| *name == b"Count").filter(|&place| place > 0);
        Some(Columns { own, own_unit, count, symbol })
    }
}

/// The measures: each has a name, and the unit in which it is counted.
const TIME: Measure<'_> = Measure { name: b"time", unit: b"ns" };
const CYCLES: Measure<'_> = Measure { name: b"cycles", unit: b"cycles" };
const BYTES: Measure<'_> = Measure { name: b"bytes", unit: b"bytes" };
const COUNT: Measure<'_> = Measure { name: b"count", unit: b"count" };

/// The units: the name in the file, the measure, and how many of the measure's units it is.
const UNITS: [(&[u8], Measure<'_>, u64); 26] = [
    (b"ns", TIME, 1),
    ("µs".as_bytes(), TIME, 1_000),
    ("μs".as_bytes(), TIME, 1_000),
    (b"us", TIME, 1_000),
    (b"ms", TIME, 1_000_000),
    (b"s", TIME, 1_000_000_000),
    (b"min", TIME, 60_000_000_000),
    (b"h", TIME, 3_600_000_000_000),
    (b"hr", TIME, 3_600_000_000_000),
    // Small numbers of cycles are written in full: `532 cycles`, but `1.24 Kc`.
    (b"cycles", CYCLES, 1),
    (b"cycle", CYCLES, 1),
    (b"c", CYCLES, 1),
    (b"Kc", CYCLES, 1_000),
    (b"kc", CYCLES, 1_000),
    (b"Mc", CYCLES, 1_000_000),
    (b"Gc", CYCLES, 1_000_000_000),
    (b"Tc", CYCLES, 1_000_000_000_000),
    (b"Bytes", BYTES, 1),
    (b"bytes", BYTES, 1),
    (b"B", BYTES, 1),
    (b"KB", BYTES, 1 << 10),
    (b"KiB", BYTES, 1 << 10),
    (b"MB", BYTES, 1 << 20),
    (b"MiB", BYTES, 1 << 20),
    (b"GB", BYTES, 1 << 30),
    (b"GiB", BYTES, 1 << 30),
];

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = InstrumentsReader::default();
    for_each_line(input, |number, line| {
        if reader.columns.is_none() {
            reader.columns = Columns::of(line);
        } else if !line.trim_ascii().is_empty() && reader.row(line, samples)?.is_none() {
            samples.malformed(number, "expected a weight and a symbol of Instruments");
        }
        Ok(())
    })?;
    reader.finish(samples)
}

#[derive(Default)]
struct InstrumentsReader {
    columns: Option<Columns>,
    tree: Outline,
    /// The same tree, weighed by the second number of the rows, if they have one.
    counts: Outline,
    /// The name of the measure, which is that of the first row.
    measure: Option<&'static [u8]>,
}

impl InstrumentsReader {
    /// Reads a row, if it is one.
    fn row(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<Option<()>> {
        let Some(row) = self.columns.as_ref().and_then(|columns| Row::of(line, columns)) else {
            return Ok(None);
        };
        let has_counts = self.columns.as_ref().is_some_and(|columns| columns.count.is_some());
        let measure = *self.measure.get_or_insert_with(|| {
            declare(row.measure, has_counts, samples);
            row.measure.name
        });
        // A weight of 0 may have any unit: `0 s` may come beside cycles.
        if measure != row.measure.name && row.total > 0 {
            return Ok(None);
        }
        let frame = frame(row.symbol);
        let weights = (row.total, row.own);
        self.tree.enter(row.indent, &frame, weights, &of_event(measure), samples)?;
        if let Some(count) = row.count.filter(|_| measure != COUNT.name) {
            self.counts.enter(row.indent, &frame, (count, None), &of_event(COUNT.name), samples)?;
        }
        Ok(Some(()))
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.tree.finish(&of_event(self.measure.unwrap_or_default()), samples)?;
        self.counts.finish(&of_event(COUNT.name), samples)
    }
}

fn of_event(event: &[u8]) -> Sample<'_> {
    Sample { event, ..Sample::default() }
}

/// Declares the measures of the rows. Each is weighed on its own, since their trees differ: what a
/// function has itself comes from the rows below it.
fn declare(measure: Measure<'_>, has_counts: bool, samples: &mut Samples<'_>) {
    if !has_counts || measure.name == COUNT.name {
        samples.events.set_measures(&[measure]);
        return;
    }
    for Measure { name, unit } in [measure, COUNT] {
        samples.events.announce(name, unit);
        samples.events.set_measure(name);
    }
    samples.events.take_first(measure.name);
}

/// A row of the tree.
struct Row<'a> {
    measure: Measure<'static>,
    total: u64,
    own: Option<u64>,
    count: Option<u64>,
    indent: usize,
    symbol: &'a [u8],
}

impl<'a> Row<'a> {
    fn of(line: &'a [u8], columns: &Columns) -> Option<Row<'a>> {
        // A symbol may hold a TAB; the columns before it do not.
        let mut fields = line.splitn(columns.symbol + 1, |byte| *byte == b'\t');
        let first = fields.next()?;
        let field = |place: usize| line.split(|byte| *byte == b'\t').nth(place);
        let own = columns.own.and_then(field);
        let count = columns.count.map(|place| field(place).and_then(|text| weight(text, b"")));
        let name = fields.nth(columns.symbol.checked_sub(1)?)?;
        let (measure, total) = weight(first, b"")?;
        let own = match own.map(<[u8]>::trim_ascii) {
            None => None,
            // Nothing, as `0` and `0 s` elsewhere.
            Some(b"-" | b"") => Some(0),
            Some(own) => Some(weight(own, &columns.own_unit)?.1),
        };
        let count = count.map(|count| count.map_or(0, |(_, count)| count));
        let symbol = name.trim_ascii_start();
        Some(Row { measure, total, own, count, indent: name.len() - symbol.len(), symbol })
    }
}

/// `4273.0ms   99.9%`, `846.00 ms`, `429.93 MB 100.0%`, `1,024 Bytes`; a number alone has the unit
/// in its column's title.
fn weight(text: &[u8], unit: &[u8]) -> Option<(Measure<'static>, u64)> {
    let text = text.trim_ascii();
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    let end = text.iter().position(|byte| !is_digit(byte)).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let rest = rest.trim_ascii_start();
    // U+2007 is a space as wide as a digit, which keeps the shares in a column.
    let spaces = [" ", "\u{2007}"].iter().filter_map(|space| rest.find(space));
    let end = spaces.min().unwrap_or(rest.len());
    let written = if end == 0 { unit } else { &rest[..end] };
    let known = UNITS.iter().find(|(name, _, _)| *name == written);
    let is_bare = written.is_empty() || written.ends_with(b"%");
    let (_, measure, scale) = known.copied().or(is_bare.then_some((b"", COUNT, 1)))?;
    Some((measure, scaled(number, scale)?))
}

/// `<Unknown Address>` has no name, and the symbol may be an address.
fn frame(symbol: &[u8]) -> Frame<'_> {
    match symbol {
        b"<Unknown Address>" => Frame::default(),
        _ if symbol.starts_with(b"0x") && hexadecimal(symbol).is_some() => {
            Frame { address: hexadecimal(symbol), ..Frame::default() }
        }
        name => Frame { name, ..Frame::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_units() {
        for (text, unit, expected) in [
            ("4273.0ms   99.9%", "", Some((&b"time"[..], 4_273_000_000))),
            ("2.45 s  \u{2007}0.0%", "", Some((b"time", 2_450_000_000))),
            ("2.45 s\u{2007}\u{2007}0.0%", "", Some((b"time", 2_450_000_000))),
            ("2,45 s  0,0%", "", Some((b"time", 2_450_000_000))),
            ("1.20 min 100.0%", "", Some((b"time", 72_000_000_000))),
            ("693", "ms", Some((b"time", 693_000_000))),
            ("96.08 Gc  100.0%", "", Some((b"cycles", 96_080_000_000))),
            ("532 cycles   0.0%", "", Some((b"cycles", 532))),
            ("1 cycle", "", Some((b"cycles", 1))),
            ("429.93 MB 100.0%", "", Some((b"bytes", 450_814_280))),
            ("1024 Bytes   3.0%", "", Some((b"bytes", 1024))),
            ("12  100.0%", "", Some((b"count", 12))),
            ("12 parsecs", "", None),
            ("ms", "", None),
            ("", "", None),
        ] {
            let weight = weight(text.as_bytes(), unit.as_bytes());
            assert_eq!(weight.map(|(measure, weight)| (measure.name, weight)), expected, "{text}");
        }
    }

    #[test]
    fn columns_are_found_by_their_names() {
        for (head, own, count, symbol) in [
            ("Running Time\tSelf (ms)\t\tSymbol Name", Some(1), None, 3),
            ("Weight\tSelf Weight\tSymbol Names", Some(1), None, 2),
            ("Bytes Used\tCount\t\tSymbol Name", None, Some(1), 3),
        ] {
            let Columns { own: of_own, count: of_count, symbol: of_symbol, .. } =
                Columns::of(head.as_bytes()).expect(head);
            assert_eq!((of_own, of_count, of_symbol), (own, count, symbol), "{head}");
        }
        assert!(Columns::of(b"Symbol Name").is_none());
        assert!(Columns::of(b"main;f 12").is_none());
    }
}
