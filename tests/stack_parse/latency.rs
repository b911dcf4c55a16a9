//! `--weight latency`: what makes a program end later, compared with figures that other code
//! computed from the records of perf.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use crate::needs::{goes_without, skip};
use crate::programs::RECORD;
use crate::util::{TempFile, filter, output, recording, stderr, weight};

/// The files of the recordings.
const SYMFS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/symfs");

/// A program whose main thread works alone in one part of each round, and beside another thread in
/// the rest.
fn serpar() -> Vec<u8> {
    recording("switches/serpar.perf.data.gz")
}

/// The rows of figures that a script computed from the records of a recording.
fn truth() -> Vec<(String, String)> {
    let rows = String::from_utf8(recording("switches/serpar.tsv")).expect("UTF-8");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, what, figure, _how] = fields[..] else { panic!("{line}") };
        (file == "serpar1.data").then(|| (what.to_owned(), figure.to_owned()))
    };
    rows.lines().filter_map(row).collect()
}

/// The weight of the stacks with a frame of this name.
fn with_frame(folded: &[u8], name: &str) -> u128 {
    let has = |line: &&[u8]| {
        let stack = String::from_utf8_lossy(line);
        stack.trim_end().rsplit_once(' ').is_some_and(|it| it.0.split(';').any(|it| it == name))
    };
    folded.split_inclusive(|byte| *byte == b'\n').filter(has).map(weight).sum()
}

fn folded(kind: &str, more: &[&str], input: &[u8]) -> Vec<u8> {
    let args = [&["--symfs", SYMFS, "--weight", kind], more].concat();
    output("stack-parse", &args, input).stdout
}

#[test]
fn samples_periods_and_latencies_are_those_counted_from_the_records() {
    let input = serpar();
    let by_kind = ["samples", "period", "latency"].map(|kind| folded(kind, &[], &input));
    let mut compared = 0;
    for (what, figure) in truth() {
        let Some((_, name)) = what.split_once("(once per sample) ") else { continue };
        let (name, _) = name.split_once(": ").expect("units");
        // Without the kernel's symbols and those of libc, these have names.
        if !["spin", "main", "worker"].contains(&name) {
            continue;
        }
        let ours = by_kind.each_ref().map(|folded| with_frame(folded, name).to_string());
        assert_eq!(ours.join("/"), figure, "{what}");
        compared += 1;
    }
    assert_eq!(compared, 3);
    let figure = |name: &str| {
        let (_, figure) = truth().into_iter().find(|(what, _)| what == name).expect(name);
        figure.parse::<u128>().expect("a number")
    };
    assert_eq!(
        by_kind.map(|it| weight(&it)),
        ["samples", "total period ns", "total latency ns"].map(figure)
    );
}

#[test]
fn what_rounding_took_is_in_the_accounts() {
    let args = ["--weight", "latency", "--stats"];
    let said = stderr(&output("stack-parse", &args, serpar()));
    // 1544 periods were divided by 2, and 1,177,532,566 is the whole without rounding.
    assert!(said.contains("latency: rounding down took weight 772\n"), "{said}");
    let accounts = "in 1946 lines weight 1177532566, out 4 lines weight 1177531794, \
                    changed 0 lines weight 0, dropped 0 lines weight 772,";
    assert!(said.contains(accounts), "{said}");
    let quiet = stderr(&output("stack-parse", &args[..2], serpar()));
    assert!(!quiet.contains("rounding"), "{quiet}");
}

#[test]
fn latencies_do_not_depend_on_threads_merging_files_and_streams() {
    let input = serpar();
    let expected = folded("latency", &[], &input);
    for more in [&["--threads", "1"][..], &["--threads", "5"]] {
        assert_eq!(folded("latency", more, &input), expected, "{more:?}");
    }
    for more in [&["--per-sample"][..], &["--labels", "tid,cpu"], &["--labels", "since"]] {
        let rows = folded("latency", more, &input);
        let text = String::from_utf8(rows).expect("UTF-8");
        let stacks = text.lines().map(|line| line.rsplit('\t').next().expect("a stack"));
        let stacks = stacks.collect::<Vec<_>>().join("\n");
        assert_eq!(filter("stack-merge", &[], stacks).into_bytes(), expected, "{more:?}");
    }
    let table = folded("latency", &["--table"], &input);
    let table = String::from_utf8(table).expect("UTF-8");
    let weights = table.lines().skip(1).map(|row| row.split('\t').nth(7).expect("a weight"));
    let total: u128 = weights.map(|it| it.parse::<u128>().expect("a number")).sum();
    assert_eq!(total, weight(&expected));
    // A file given twice counts twice: each has its own number of threads.
    let file = TempFile::new(&input);
    let twice =
        output("stack-parse", &["--weight", "latency", file.path(), file.path()], "").stdout;
    assert_eq!(weight(&twice), 2 * weight(&expected));
    // The latencies in a slice of time are the same as in the whole.
    let [start, end] = [["--to", "0.7"], ["--from", "0.7"]];
    let parts = [start, end].map(|slice| weight(&folded("latency", &slice, &input)));
    assert!(parts.iter().all(|part| *part > 0), "{parts:?}");
    assert_eq!(parts.iter().sum::<u128>(), weight(&expected));
}

#[test]
fn recordings_that_do_not_say_it_are_refused_by_name() {
    let without = recording("switches/noswitch.perf.data.gz");
    let all = all_processors();
    for (input, args, expected) in [
        (
            &without[..],
            &[][..],
            "<stdin> has no switches of threads: record with 'perf record -g --sw",
        ),
        (&all, &[], "<stdin> is of all processors, which always run something: record a program"),
        (
            b"a;b 1\n",
            &[],
            "needs a recording of perf-data by 'perf record --switch-events': <stdin> is folded",
        ),
        (
            b"a 1 1.5: 7 cycles: \n\t 10 f (/d)\n\n",
            &[],
            "needs a recording of perf-data by 'perf record --switch-events': <stdin> is perf-script",
        ),
        (
            b"",
            &["--off-cpu"],
            "'--weight <WEIGHT>' cannot be used with '--off-cpu[=<PID|program>]'",
        ),
    ] {
        let args = [&["--weight", "latency"], args].concat();
        let output = output("stack-parse", &args, input);
        let said = stderr(&output);
        assert!(said.contains(expected), "{said}");
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{said}");
    }
}

/// The recording with its switches as `perf record -a` writes them, which also have the other
/// thread of the switch.
fn all_processors() -> Vec<u8> {
    const SWITCH: [u8; 4] = 14u32.to_le_bytes();
    const SWITCH_CPU_WIDE: u8 = 15;
    let mut bytes = serpar();
    let number = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes")) as usize
    };
    // The header has the position and the total size of the records.
    let (start, size) = (number(&bytes, 40), number(&bytes, 48));
    let mut at = start;
    while at < start + size {
        if bytes[at..at + 4] == SWITCH {
            bytes[at] = SWITCH_CPU_WIDE;
        }
        at += usize::from(u16::from_le_bytes([bytes[at + 6], bytes[at + 7]]));
    }
    bytes
}

#[test]
fn lost_switches_are_reported() {
    let said = stderr(&output("stack-parse", &["--weight", "latency"], stream_with_lost()));
    assert!(said.contains("5 samples or other records, 83.3 % of all, were lost"), "{said}");
    assert!(said.contains("switches of threads may be among them: later latencies"), "{said}");
    let said = stderr(&output("stack-parse", &["--weight", "period"], stream_with_lost()));
    assert!(!said.contains("latencies"), "{said}");
    let said = stderr(&output("stack-parse", &["--weight", "latency"], serpar()));
    assert!(!said.contains("lost"), "{said}");
}

/// A stream of one sample, with recorded switches, and of 5 lost records.
pub(super) fn stream_with_lost() -> Vec<u8> {
    const IP_TID_TIME: u64 = 1 | 2 | 4;
    const SAMPLE_ID_ALL: u64 = 1 << 18;
    const CONTEXT_SWITCH: u64 = 1 << 26;
    let mut attr = [0u64; 16];
    (attr[0], attr[2], attr[3], attr[5]) =
        (1 | 128 << 32, 1, IP_TID_TIME, SAMPLE_ID_ALL | CONTEXT_SWITCH);
    let record = |kind: u64, numbers: &[u64]| {
        let size = 8 + 8 * numbers.len() as u64;
        [&[kind | 2 << 32 | size << 48], numbers].concat()
    };
    let header = [u64::from_le_bytes(*b"PERFILE2"), 16];
    let lost = record(2, &[0, 5, 7 << 32 | 7, 10]);
    let numbers = [&header[..], &record(64, &attr), &lost, &record(9, &[0x10, 7 << 32 | 7, 20])];
    numbers.concat().into_iter().flat_map(u64::to_le_bytes).collect()
}

/// From perf's text, without our parser: the latency of each thread's samples of each event, in
/// units of the event. Running threads are counted as in perf 6.15.
fn by_perfs_text(text: &str, processors: i64) -> BTreeMap<(String, String), u128> {
    let (mut running, mut latencies) = (1i64, BTreeMap::new());
    for line in text.lines() {
        if line.contains(": PERF_RECORD_SWITCH ") {
            running += if line.contains(" IN ") { 1 } else { -1 };
        } else if line.contains(": PERF_RECORD_EXIT(") {
            running -= 1;
        } else if let [_comm, tid, _time, period, event] =
            line.split_whitespace().collect::<Vec<_>>()[..]
            && let (Ok(period), Some(event)) = (period.parse::<u128>(), event.strip_suffix(':'))
        {
            let threads = running.clamp(1, processors) as u128;
            *latencies.entry((event.to_owned(), tid.to_owned())).or_default() += period / threads;
        }
    }
    latencies
}

/// Records a program that works alone in one function, and beside another thread in another; `None`
/// if perf may not record.
fn record() -> Option<PathBuf> {
    if goes_without(&[&["perf", "cc"]]) {
        return None;
    }
    let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "latency"].iter().collect();
    std::fs::create_dir_all(&folder).expect("a writable target directory");
    let source = "#include <pthread.h>\n#include <unistd.h>\nvolatile long sink;\n\
        void spin(long n) { for (long i = 0; i < n; i++) sink += i; }\n\
        void alone(void) { spin(40000000); }\n\
        void *beside(void *unused) { spin(20000000); return unused; }\n\
        int main(void) {\n\
            for (int round = 0; round < 3; round++) {\n\
                alone();\n\
                pthread_t thread;\n\
                pthread_create(&thread, 0, beside, 0);\n\
                beside(0);\n\
                pthread_join(thread, 0);\n\
                usleep(2000);\n\
            }\n\
        }\n";
    std::fs::write(folder.join("serpar.c"), source).expect("a writable folder");
    let run = |program: &str, args: &[&str]| {
        Command::new(program).args(args).current_dir(&folder).output().expect("it starts")
    };
    let options = ["-O0", "-g", "-fno-omit-frame-pointer", "-pthread"];
    let built = run("cc", &[&options[..], &["-o", "serpar", "serpar.c"]].concat());
    assert!(built.status.success(), "{built:?}");
    let events = "cpu-clock,task-clock";
    let args = ["-g", "-F", "999", "-e", events, "--switch-events", "-o", "perf.data", "./serpar"];
    let recorded = run("perf", &[&RECORD[..], &args].concat());
    if !recorded.status.success() {
        skip(&format!("perf does not record here: {}", stderr(&recorded)));
        return None;
    }
    Some(folder.join("perf.data"))
}

#[test]
fn a_fresh_recording_has_the_latencies_of_perfs_own_text() {
    let Some(file) = record() else { return };
    let name = file.to_str().expect("UTF-8");
    let perf = |args: &[&str]| {
        let output = Command::new("perf").args(args).output().expect("it starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let shown = ["--show-switch-events", "--show-task-events", "--ns"];
    let fields = ["-G", "-F", "comm,tid,time,event,period", "-i", name];
    let text = perf(&[&["script"], &shown[..], &fields].concat());
    let header = perf(&["report", "--header-only", "-i", name]);
    let processors = header.lines().find_map(|line| line.strip_prefix("# nrcpus avail : "));
    let processors = processors.and_then(|it| it.trim().parse().ok()).expect("a number");
    let expected = by_perfs_text(&text, processors);
    assert!(expected.len() > 2, "two events, several threads: {expected:?}");
    let args = ["--weight", "latency", "--by-event", "--root", "tid", name];
    let folded = output("stack-parse", &args, "").stdout;
    let mut latencies = BTreeMap::new();
    for line in String::from_utf8_lossy(&folded).lines() {
        let mut frames = line.split(';');
        let (event, thread) = (frames.next().expect("an event"), frames.next().expect("a thread"));
        let tid = thread.split(' ').next().and_then(|it| it.rsplit('/').next()).expect("an id");
        *latencies.entry((event.to_owned(), tid.to_owned())).or_default() +=
            weight(line.as_bytes());
    }
    assert_eq!(latencies, expected);
    // Code that runs alone has a larger share of latency than of time, unless a busy machine never
    // let two threads run at once.
    let [by_period, by_latency] = ["period", "latency"].map(|kind| {
        output("stack-parse", &["--weight", kind, "--event", "cpu-clock", name], "").stdout
    });
    let share = |folded: &[u8]| with_frame(folded, "alone") as f64 / weight(folded) as f64;
    if weight(&by_latency) * 20 < weight(&by_period) * 19 {
        assert!(share(&by_latency) > share(&by_period));
    }
    assert!((0.05..0.95).contains(&share(&by_period)), "{}", share(&by_period));
}
