//! Real recordings that are cut or damaged: nothing panics, nothing hangs, no memory
//! is taken on a damaged file's word, and what stands before a cut comes out.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

use super::super::records::Record;
use super::super::troubles::Troubles;
use super::build::for_each;

/// The recordings of the golden tests, by their names.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/formats/perf-data");
    let mut recordings = Vec::new();
    for entry in fs::read_dir(folder).expect("the golden recordings") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".gz") {
            let mut bytes = Vec::new();
            let packed = fs::read(path).expect("a file");
            GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("a whole gzip file");
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
    let (mut samples, mut unpacked) = (0, Unpacked::new());
    let mut ends = vec![(0, 0)];
    while at + 8 <= end {
        let (kind, size) = (number(bytes, at, 4), number(bytes, at + 6, 2));
        samples += usize::from(kind == 9);
        if kind == 81 {
            samples += unpacked.samples(&bytes[at + 8..at + size]);
        }
        ends.push((at + size, samples));
        // Behind a record of TRACING_DATA are as many bytes as it says.
        let more = if kind == 66 { number(bytes, at + 8, 4).next_multiple_of(8) } else { 0 };
        at += size + more;
    }
    ends
}

/// Records that were packed.
struct Unpacked {
    context: zstd_safe::DCtx<'static>,
    /// What is no whole record yet.
    rest: Vec<u8>,
}

impl Unpacked {
    fn new() -> Unpacked {
        Unpacked { context: zstd_safe::DCtx::create(), rest: Vec::new() }
    }

    /// How many more samples are whole behind these bytes.
    fn samples(&mut self, packed: &[u8]) -> usize {
        let mut input = zstd_safe::InBuffer::around(packed);
        let mut room = [0; 4096];
        loop {
            let mut output = zstd_safe::OutBuffer::around(&mut room[..]);
            self.context.decompress_stream(&mut output, &mut input).expect("zstd");
            let count = output.pos();
            self.rest.extend_from_slice(&room[..count]);
            if count < room.len() && input.pos == packed.len() {
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

/// How many samples are handed out. The text of those of tracepoints is made, too.
fn count(bytes: &[u8]) -> (usize, Troubles, Option<String>) {
    let mut samples = 0;
    let (troubles, error) = for_each(bytes, |record| {
        if let Record::Sample(sample) = record {
            let mut text = Vec::new();
            sample.event.append_text(sample.raw, &mut text);
            samples += 1;
        }
    });
    (samples, troubles, error)
}

#[test]
fn what_stands_before_a_cut_comes_out() {
    for (name, bytes) in recordings() {
        let (_, end) = records(&bytes);
        let ends = samples_by_end(&bytes);
        let before = |cut| ends[ends.partition_point(|(end, _)| *end <= cut) - 1].1 as u64;
        for cut in (0..=bytes.len()).step_by(97) {
            let (_, troubles, error) = count(&bytes[..cut]);
            assert_eq!(troubles.samples, before(cut), "{name} cut at {cut}: {error:?}");
            assert_eq!(troubles.damaged, 0, "{name} cut at {cut}: {error:?}");
            // A stream may end behind any of its records.
            let may_be_whole = cut >= end || number(&bytes, 8, 8) == 16;
            assert!(may_be_whole || error.is_some(), "{name} cut at {cut}");
            let names_the_place = |why: &String| why.contains("byte") || why.contains("header");
            assert!(error.is_none_or(|why| names_the_place(&why)), "{name} cut at {cut}");
        }
        let (_, troubles, error) = count(&bytes);
        assert_eq!((troubles.samples, error), (before(end), None), "{name}");
    }
}

#[test]
fn a_recording_that_was_not_finished_is_read_to_its_end() {
    for (name, bytes) in recordings() {
        if number(&bytes, 8, 8) == 16 {
            continue;
        }
        // perf writes the size of the data last. Behind it, there is nothing then.
        let (whole, ..) = count(&bytes);
        let (_, end) = records(&bytes);
        let mut killed = bytes[..end].to_vec();
        killed[48..56].fill(0);
        let (samples, _, error) = count(&killed);
        assert_eq!(samples, whole, "{name}");
        let why = format!(
            "x: perf did not finish the recording, which ends at byte {end}; \
             what came before is kept"
        );
        assert_eq!(error, Some(why), "{name}");
    }
}

/// Numbers without order, always the same.
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
            // Half of the damage is where the sizes and places of everything are.
            let reach = if random.below(2) == 0 { 2048 } else { bytes.len() };
            let at = random.below(reach.min(bytes.len()));
            damaged[at] = random.below(256) as u8;
        }
        let (samples, ..) = count(&damaged);
        // The shortest sample has 8 bytes, and of each group there are two.
        assert!(samples <= 64 * bytes.len(), "{number}");
    }
    // Other tests run beside this one.
    assert!(peak_memory() < before + 600_000, "{before} {}", peak_memory());
}
