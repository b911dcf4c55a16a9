//! Real recordings that are cut or damaged: nothing panics, nothing hangs, a damaged file does not
//! make us take much memory, and the records before a cut come out.

// Some of the recordings are compressed, which is read on Linux only, and with zstd.
#![cfg(all(feature = "zstd", target_os = "linux"))]

use std::convert::Infallible;
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use stack_perf_data::{Error, Record, Recording, Summary};

/// The recordings of the golden tests, by their names.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("../../tests/golden/formats/perf-data");
    let mut recordings = Vec::new();
    for entry in fs::read_dir(folder).expect("the golden recordings") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".gz") {
            let mut bytes = Vec::new();
            let compressed = fs::read(path).expect("a file");
            GzDecoder::new(&compressed[..]).read_to_end(&mut bytes).expect("a whole gzip file");
            recordings.push((name, bytes));
        }
    }
    recordings.sort();
    assert!(recordings.len() >= 16, "{}", recordings.len());
    recordings
}

fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    let bytes = bytes.get(at..at + length).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Where the records of a recording begin and end.
fn records(bytes: &[u8]) -> (usize, usize) {
    match number(bytes, 8, 8) {
        16 => (16, bytes.len()),
        _ => (number(bytes, 40, 8), number(bytes, 40, 8) + number(bytes, 48, 8)),
    }
}

/// Where records end, and how many samples there are up to there, found without our reader.
fn samples_by_end(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut at, end) = records(bytes);
    let (mut samples, mut decompressed) = (0, Decompressed::new());
    let mut ends = vec![(0, 0)];
    while at + 8 <= end {
        let (kind, size) = (number(bytes, at, 4), number(bytes, at + 6, 2));
        samples += usize::from(kind == 9);
        if kind == 81 {
            samples += decompressed.samples(&bytes[at + 8..at + size]);
        }
        ends.push((at + size, samples));
        // A record of TRACING_DATA is followed by as many bytes as it says.
        let more = if kind == 66 { number(bytes, at + 8, 4).next_multiple_of(8) } else { 0 };
        at += size + more;
    }
    ends
}

/// Records that were compressed.
struct Decompressed {
    context: zstd_safe::DCtx<'static>,
    /// Bytes that are not a whole record yet.
    rest: Vec<u8>,
}

impl Decompressed {
    fn new() -> Decompressed {
        Decompressed { context: zstd_safe::DCtx::create(), rest: Vec::new() }
    }

    /// How many more samples are whole after these bytes.
    fn samples(&mut self, compressed: &[u8]) -> usize {
        let mut input = zstd_safe::InBuffer::around(compressed);
        let mut room = [0; 4096];
        loop {
            let mut output = zstd_safe::OutBuffer::around(&mut room[..]);
            self.context.decompress_stream(&mut output, &mut input).expect("zstd");
            let count = output.pos();
            self.rest.extend_from_slice(&room[..count]);
            if count < room.len() && input.pos == compressed.len() {
                break;
            }
        }
        let (mut at, mut samples) = (0, 0);
        let rest = &self.rest;
        while rest.len() - at >= 8 && rest.len() - at >= number(rest, at + 6, 2) {
            samples += usize::from(number(rest, at, 4) == 9);
            at += number(rest, at + 6, 2);
        }
        self.rest.drain(..at);
        samples
    }
}

/// How many samples come out, and the summary of the recording. The text of tracepoints is made,
/// too.
fn count(bytes: &[u8]) -> (usize, Result<Summary, Error>) {
    let mut samples = 0;
    let each = |record: Record<'_>| -> Result<(), Infallible> {
        if let Record::Sample(sample) = record {
            sample.append_text(&mut Vec::new());
            samples += 1;
        }
        Ok(())
    };
    let recording = Recording::from_file(Cursor::new(bytes));
    let summary = recording.map(|it| it.read(each).unwrap_or_else(|never| match never {}));
    (samples, summary)
}

#[test]
fn what_is_before_a_cut_comes_out() {
    for (name, bytes) in recordings() {
        let (_, end) = records(&bytes);
        let ends = samples_by_end(&bytes);
        let before = |cut| ends[ends.partition_point(|(end, _)| *end <= cut) - 1].1 as u64;
        for cut in (0..=bytes.len()).step_by(97) {
            let (samples, damaged, error) = match count(&bytes[..cut]).1 {
                Ok(summary) => (summary.samples, summary.damaged, summary.error),
                Err(error) => (0, 0, Some(error)),
            };
            assert_eq!(samples, before(cut), "{name} cut at {cut}: {error:?}");
            assert_eq!(damaged, 0, "{name} cut at {cut}: {error:?}");
            // A stream may end after any of its records.
            let may_be_whole = cut >= end || number(&bytes, 8, 8) == 16;
            assert!(may_be_whole || error.is_some(), "{name} cut at {cut}");
            let says_where = |why: String| why.contains("byte") || why.contains("header");
            assert!(error.is_none_or(|why| says_where(why.to_string())), "{name} cut at {cut}");
        }
        let summary = count(&bytes).1.expect("it is whole");
        assert_eq!(summary.samples, before(end), "{name}");
        assert!(summary.error.is_none() && summary.damaged == 0, "{name}: {summary:?}");
    }
}

#[test]
fn a_recording_that_was_not_finished_is_read_to_its_end() {
    for (name, bytes) in recordings() {
        if number(&bytes, 8, 8) == 16 {
            continue;
        }
        // perf writes the size of the data last; until then there is nothing after the data.
        let (whole, _) = count(&bytes);
        let (_, end) = records(&bytes);
        let mut killed = bytes[..end].to_vec();
        killed[48..56].fill(0);
        let (samples, summary) = count(&killed);
        assert_eq!(samples, whole, "{name}");
        let error = summary.expect("a header").error.expect("its end is not known");
        let what = format!("perf did not finish the recording, which ends at byte {end}");
        assert_eq!(error.to_string(), what, "{name}");
    }
}

/// Numbers in random order, but always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// The most memory that this process ever had, in kB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn damaged_recordings_neither_panic_nor_take_memory() {
    const TRIES: usize = 10_000;
    let (recordings, mut random) = (recordings(), Random(0x9e37_79b9_7f4a_7c15));
    let before = peak_memory();
    for number in 0..TRIES {
        let (_, bytes) = &recordings[number % recordings.len()];
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(4) {
            // Half of the damage is in the first bytes, which hold sizes and positions.
            let reach = if random.below(2) == 0 { 2048 } else { bytes.len() };
            let at = random.below(reach.min(bytes.len()));
            damaged[at] = random.below(256) as u8;
        }
        let (samples, _) = count(&damaged);
        // The shortest sample has 8 bytes, and of each group there are two.
        assert!(samples <= 64 * bytes.len(), "{number}");
    }
    // Other tests run at the same time.
    assert!(peak_memory() < before + 600_000, "{before} {}", peak_memory());
}
