//! Profiles of programs that GHC compiled with `-prof`: the tree of cost centres, as text
//! (`+RTS -p`, `-P`, `-pa`) and as JSON (`-pj`). Grammar from GHC's rts/ProfilerReport.c
//! and rts/ProfilerReportJson.c.

mod json;
mod text;

use bstr::ByteSlice;
use common::{Error, Result, io::Input, numbers::is_digits};

use crate::format::{Extra, Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::samples::Samples;
use crate::samples::events::Measure;

pub(super) const FORMAT: Format =
    Format::new("ghc-prof", "Profiles of GHC's programs: .prof, as text and JSON", detect, parse)
        .extras(&[Extra::Indented(has_lost_blanks)]);

/// The title of the columns of the tree is far to the right.
fn has_lost_blanks(_: &[u8], line: &[u8]) -> bool {
    line.starts_with(b"individual ") && line.ends_with(b"inherited")
}

/// The measures of an [`Own`] cost.
const MEASURES: [Measure<'_>; 4] = [
    Measure { name: b"ticks", unit: b"ticks" },
    Measure { name: b"bytes", unit: b"bytes" },
    Measure { name: b"time", unit: b"ns" },
    Measure { name: b"entries", unit: b"entries" },
];

/// The own cost of a cost centre with one chain of callers.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    ticks: u64,
    bytes: u64,
    entries: u64,
}

impl Own {
    /// Its [`MEASURES`], where a tick has so many nanoseconds.
    fn measures(self, interval: u64) -> [u64; 4] {
        [self.ticks, self.bytes, self.ticks.saturating_mul(interval), self.entries]
    }
}

fn detect(head: &Head<'_>) -> bool {
    head.outline().map_or_else(|| text::detect(head), |keys| keys.has("rts_arguments"))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where JSON is damaged, after all that came before;
/// or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&MEASURES);
    let name = input.name().to_owned();
    let start = input.peek(1).map_err(|source| Error::Input { name, source })?;
    if start.trim_ascii_start().starts_with(b"{") {
        json::parse(input, samples)
    } else {
        text::parse(input, samples)
    }
}

/// The frame of a cost centre. Its name begins with its module, `Main.main`, `GHC.Types.CAF`,
/// except in the run-time system, where both are the same: `GC`.
fn frame<'a>(module: &[u8], label: &'a [u8], source: &'a [u8], name: &'a mut Vec<u8>) -> Frame<'a> {
    name.clear();
    if module != label && !module.is_empty() {
        name.extend_from_slice(module);
        name.push(b'.');
    }
    name.extend_from_slice(label);
    // `<built-in>`, `<entire-module>`, `<no location info>`
    let source = if source.starts_with(b"<") { b"" } else { source };
    Frame { name, source, ..Frame::default() }
}

/// Where a span of GHC's begins, as a place: `A.hs:3:1` of `A.hs:3:1-5`, and `A.hs:1:5` of
/// `A.hs:(1,5)-(4,3)`.
fn start_of(span: &[u8]) -> Vec<u8> {
    let is_end = |end: &[u8]| is_digits(end) || end.starts_with(b"(");
    let start = match span.rsplit_once_str("-") {
        Some((start, end)) if is_end(end) => start,
        _ => span,
    };
    match start.strip_suffix(b")").and_then(|it| it.rsplit_once_str(":(")) {
        Some((file, position)) => [file, b":", &position.replace(",", ":")].concat(),
        None => start.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_place_by_its_start() {
        for (span, place) in [
            ("A.hs:3:1-5", "A.hs:3:1"),
            ("my-app/A.hs:(1,5)-(4,3)", "my-app/A.hs:1:5"),
            ("my-app/A.hs:3:1", "my-app/A.hs:3:1"),
            ("", ""),
        ] {
            assert_eq!(start_of(span.as_bytes()).as_bstr(), place, "{span}");
        }
    }
}
