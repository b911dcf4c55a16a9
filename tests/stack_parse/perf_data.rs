//! Recordings of perf, compared with perf's own output.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;

use crate::needs::skip;
use crate::util::{TempFile, golden_files, golden_path, output, recording, stderr, weight};

/// The fields of a sample that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sample {
    comm: String,
    pid: String,
    tid: String,
    /// In seconds, with 9 digits after the point.
    time: String,
    period: String,
    event: String,
}

/// The samples in perf's text: `sh 12/34 7016.797734883: 5025125 cpu-clock: `, with frames after
/// TABs.
fn samples_of_perf(text: &str) -> Vec<Sample> {
    let is_event = |line: &&str| !line.starts_with('\t') && !line.is_empty();
    text.lines().filter(is_event).map(sample_of_perf).collect()
}

fn sample_of_perf(line: &str) -> Sample {
    let (comm, rest) = line.split_at(end_of_comm(line));
    let fields: Vec<&str> = rest.split_whitespace().take(4).collect();
    let [ids, time, period, event] = fields[..] else { panic!("{line}") };
    let (pid, tid) = ids.split_once('/').expect("pid/tid");
    let owned = |text: &str| text.trim_end_matches(':').to_owned();
    Sample {
        comm: comm.trim().to_owned(),
        pid: owned(pid),
        tid: owned(tid),
        time: owned(time),
        period: owned(period),
        event: event.strip_suffix(':').unwrap_or(event).to_owned(),
    }
}

/// Where ` 12/34 ` begins; the name before it may contain blanks.
fn end_of_comm(line: &str) -> usize {
    let is_ids = |word: &str| {
        word.split_once('/')
            .is_some_and(|(pid, tid)| [pid, tid].iter().all(|id| id.parse::<i32>().is_ok()))
    };
    let words = line.split_whitespace();
    let ids = words.into_iter().find(|word| is_ids(word)).expect("pid/tid");
    line.find(&format!(" {ids} ")).expect("it is there")
}

/// Our samples of a recording, from `--table`.
fn samples_of_ours(bytes: &[u8]) -> Vec<Sample> {
    let output = output("stack-parse", &["--table", "--by-event", "--symfs", NO_FILES], bytes);
    assert_eq!(without_missing_files(&output.stderr), "");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [time, _, comm, pid, tid, _, event, weight, _] = fields[..] else { panic!("{line}") };
        let (seconds, digits) = time.split_once('.').expect("seconds");
        Sample {
            comm: comm.to_owned(),
            pid: pid.to_owned(),
            tid: tid.to_owned(),
            time: format!("{seconds}.{digits:0<9}"),
            period: weight.to_owned(),
            event: event.to_owned(),
        }
    };
    table.lines().skip(1).map(row).collect()
}

#[test]
#[cfg(feature = "zstd")]
fn stacks_that_end_where_a_file_is_missing_name_the_file() {
    let zstd = recording("formats/perf-data/dwarf-threads-zstd.perf.data.gz");
    let said = stderr(&output("stack-parse", &["--symfs", NO_FILES], &zstd));
    let files = "of the stacks could not be unwound through files that are not here: ";
    assert!(said.contains(files), "{said}");
    assert!(said.contains("/home/someone/work/p/nofp (not found)"), "{said}");
    assert!(said.contains(": copy them into the folder of --symfs, below it by their"), "{said}");
    // It was recorded with --call-graph dwarf, and no stack is longer than its copy.
    assert!(!said.contains("record with"), "{said}");
    let with_files = golden_path("symfs");
    let args = ["--symfs", with_files.to_str().expect("UTF-8")];
    let said = stderr(&output("stack-parse", &args, &zstd));
    assert!(!said.contains("/home/someone/work/p/nofp"), "{said}");
}

/// A folder without the files of a recording, so that the test does not depend on files here.
const NO_FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/folded");

/// The messages, except those about missing files and stacks that cannot be unwound.
fn without_missing_files(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let expected = [": no symbols for ", "end in [truncated]", "through files that are not here"];
    let is_other = |line: &&str| !expected.iter().any(|part| line.contains(part));
    text.lines().filter(is_other).collect::<Vec<_>>().join("\n")
}

fn unpacked(path: &PathBuf) -> Vec<u8> {
    let packed = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("a whole gzip file");
    bytes
}

fn assert_same(name: &str, ours: &[Sample], perfs: &[Sample]) {
    for (index, (ours, perfs)) in ours.iter().zip(perfs).enumerate() {
        assert_eq!(ours, perfs, "{name}: sample {index}");
    }
    assert_eq!(ours.len(), perfs.len(), "{name}");
}

#[test]
fn samples_are_those_that_perf_prints() {
    let text = String::from_utf8(recording("oracle/perf-data.samples.gz")).expect("UTF-8");
    let mut recordings = 0;
    for part in text.split("# ").skip(1) {
        let (name, text) = part.split_once('\n').expect("a line with the name");
        let bytes = recording(&format!("formats/perf-data/{name}.perf.data.gz"));
        assert_same(name, &samples_of_ours(&bytes), &samples_of_perf(text));
        recordings += 1;
    }
    let inputs = golden_files("formats/perf-data");
    assert_eq!(recordings, inputs.iter().filter(|name| name.ends_with(".gz")).count());
}

#[test]
fn samples_of_all_recordings_are_those_that_perf_prints() {
    let Some(data) = std::env::var_os("STACK_TOOLS_DATA") else {
        return skip("STACK_TOOLS_DATA does not say where formats/perf-data is");
    };
    let folder = PathBuf::from(data).join("formats/perf-data");
    let mut recordings = 0;
    for entry in fs::read_dir(&folder).expect("a folder of recordings") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let Some(name) = name.strip_suffix(".perf.data.gz") else { continue };
        let text = unpacked(&folder.join(format!("{name}.script.gz")));
        let ours = samples_of_ours(&unpacked(&folder.join(format!("{name}.perf.data.gz"))));
        assert_same(name, &ours, &samples_of_perf(&String::from_utf8_lossy(&text)));
        recordings += 1;
    }
    assert_eq!(recordings, 26);
}

#[test]
fn a_file_a_compressed_file_and_a_pipe_are_read_alike() {
    for name in ["fp-threads", "pipe-fp"] {
        let packed = golden_path(&format!("formats/perf-data/{name}.perf.data.gz"));
        let bytes = recording(&format!("formats/perf-data/{name}.perf.data.gz"));
        let file = TempFile::new(&bytes);
        let piped = output("stack-parse", &[], &bytes).stdout;
        assert!(!piped.is_empty(), "{name}");
        assert_eq!(output("stack-parse", &[file.path()], "").stdout, piped, "{name}");
        let packed = packed.to_str().expect("UTF-8");
        assert_eq!(output("stack-parse", &[packed], "").stdout, piped, "{name}");
    }
}

#[test]
fn off_cpu_time_is_that_of_perfs_text() {
    let bytes = recording("formats/perf-data/fp-sched.perf.data.gz");
    let text = recording("oracle/fp-sched.switches.gz");
    // How long each thread waited, and what is left out.
    let of_threads = |input: &[u8]| {
        let output =
            output("stack-parse", &["--off-cpu", "--root", "tid", "--symfs", NO_FILES], input);
        let lines = output.stdout.split_inclusive(|&byte| byte == b'\n');
        let folded: Vec<u8> =
            lines.filter(|line| !line.starts_with(b"#")).flatten().copied().collect();
        let text = String::from_utf8_lossy(&folded).into_owned();
        let thread = |line: &str| line.split(';').next().map(str::to_owned);
        let threads: Vec<_> = text.lines().map(thread).collect();
        (threads, weight(&folded), without_missing_files(&output.stderr))
    };
    assert_eq!(of_threads(&bytes), of_threads(&text));
    assert!(of_threads(&bytes).1 > 0);
}

#[test]
fn programs_that_are_not_in_the_sums_have_no_messages() {
    let bytes = recording("formats/perf-data/fp-sched.perf.data.gz");
    let said = |pid: &str| {
        let args = [&["--off-cpu=", pid].concat()[..], "--symfs", NO_FILES];
        let output = output("stack-parse", &args, &bytes);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (status, of_recorded) = said("24849");
    assert_eq!(status, Some(0));
    assert!(of_recorded.contains("no symbols for "), "{of_recorded}");
    // Nothing of the other programs.
    let none = "stack-parse: off-cpu: no switch is of process 1\n";
    assert_eq!(said("1"), (Some(1), none.to_owned()));
}

#[test]
fn a_cut_recording_is_named_with_the_place() {
    let bytes = recording("formats/perf-data/fp-threads.perf.data.gz");
    for (length, why) in [
        (20_000, "the recording is cut short at byte 20000, its records should end at byte 36904"),
        (20_004, "the record at byte 20000 is cut short after 4 bytes"),
    ] {
        let output = output("stack-parse", &["--by-event"], &bytes[..length]);
        assert_eq!(output.status.code(), Some(2));
        assert!(weight(&output.stdout) > 50);
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = format!("stack-parse: <stdin>: {why}; what came before is kept\n");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn a_thread_that_is_gone_has_the_id_that_perf_prints() {
    // A stream: an event whose samples have an address and a thread, and a sample of process 7 and
    // thread -1.
    let (software, fields) = (1 | 128 << 32, 3);
    let attr = [software, 0, 0, fields, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let record = |kind: u64, numbers: &[u64]| {
        let size = 8 + 8 * numbers.len() as u64;
        [&[kind | 2 << 32 | size << 48], numbers].concat()
    };
    let header = [u64::from_le_bytes(*b"PERFILE2"), 16];
    let sample = record(9, &[0x10, 0xffff_ffff_0000_0007]);
    let stream: Vec<u8> = [&header[..], &record(64, &attr), &sample]
        .concat()
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect();
    let folded = output("stack-parse", &["--root", "tid"], stream).stdout;
    let folded = String::from_utf8(folded).expect("UTF-8");
    assert!(folded.contains("-7/-1;"), "{folded}");
}
