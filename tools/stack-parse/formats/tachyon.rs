//! Binary profiles of CPython 3.15's sampling profiler (Tachyon): `python -m profiling.sampling
//! run --binary`. Grammar from CPython's InternalDocs/profiling_binary_format.md, and from
//! Modules/_remote_debugging/binary_io.h for version 1.
//!
//! A header, samples that may be compressed with zstd, and the tables that they refer to, whose
//! sizes are at the end of the file. Numbers of a fixed size are in the byte order of the machine
//! that wrote them. A sample has the difference from the last stack of its thread:
//!
//! ```text
//! thread 7, full,     100 µs later, has the GIL, frames 2 1 0 (the innermost first)
//! thread 7, pop 1, push 1, ...,                  frame 3
//! thread 7, repeat 2: 100 µs later, has the GIL; 99 µs later, has the GIL
//! ```

mod header;
mod records;
mod tables;

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use common::io::{Input, Zstd};
use common::{Error, Result};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::samples::{Loss, Samples, Weighs};
use header::Header;
use records::Records;
use tables::Tables;

pub(super) const FORMAT: Format = Format::new(
    "tachyon",
    "Binary profiles of CPython 3.15: profiling.sampling run --binary",
    detect,
    parse,
)
.weighs(Weighs::Exact);

fn detect(head: &Head<'_>) -> bool {
    Header::is_magic(head.bytes)
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where something cannot be read, after all the rest was
/// read; or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let failed = |source| Error::Input { name: name.clone(), source };
    let unknown = |what: String| Error::Unknown { name: name.clone(), what };
    let mut file = input.take_seekable().map_err(failed)?;
    let mut start = Vec::new();
    file.by_ref().take(Header::SIZE).read_to_end(&mut start).map_err(failed)?;
    let header = Header::read(&start).map_err(&unknown)?;
    let tables = read_tables(&mut file, &header).map_err(failed)?;
    note_statistics(&header, &tables, samples);
    file.seek(SeekFrom::Start(Header::SIZE)).map_err(failed)?;
    let body = file.take(header.strings.saturating_sub(Header::SIZE));
    let reader: Box<dyn Read> =
        if header.is_compressed { Box::new(Zstd::new(body)) } else { Box::new(body) };
    let mut records = Records::new(BufReader::new(reader), &header);
    let read = records.read(samples);
    let taken = records.finish(&tables, samples)?;
    match read {
        Err(records::End::Input(source)) => Err(failed(source)),
        Err(records::End::Damaged(at)) => Err(unknown(format!(
            "expected a sample at byte {at} of its samples; what could be read is kept"
        ))),
        Ok(()) if taken != header.samples => {
            Err(unknown(format!("{taken} of its {} samples are there", header.samples)))
        }
        Ok(()) if tables.is_damaged => Err(unknown("its tables of names are cut short".to_owned())),
        Ok(()) => Ok(()),
    }
}

/// Notes the rate, the length, and what the recorder lost.
fn note_statistics(header: &Header, tables: &Tables, samples: &mut Samples<'_>) {
    samples.facts.note_interval(header.interval.saturating_mul(1000));
    let Some(statistics) = tables.statistics else { return };
    samples.facts.length = Some((statistics.seconds * 1e9) as u64);
    if let Some([failed, missed]) = statistics.lost {
        // A look takes a sample of each thread, and nobody knows of how many.
        let (count, of) = (failed + missed, "samples");
        let recorded = Some(statistics.looks.saturating_sub(failed));
        let remedy = "use a lower --sampling-rate";
        samples.note_loss(Loss { count, of, recorded, remedy, is_exact: count == 0 });
    }
}

/// Reads the tables, as far as they are complete.
fn read_tables(file: &mut (impl Read + Seek), header: &Header) -> io::Result<Tables> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut bytes = Vec::new();
    if header.strings < size {
        file.seek(SeekFrom::Start(header.strings))?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(Tables::read(&bytes, size, header))
}
