use std::collections::BTreeMap;

use inferno::collapse::Collapse;
use inferno::collapse::perf;

// Every form in which perf prints samples.
mod shapes;

// Files of other people.
mod strangers;

// Messages where something is wrong.
mod diagnoses;

// The detected format of an input.
mod guesses;
mod pasted;

// Folders that Instruments writes.
#[cfg(unix)]
mod instruments;

// Text that is damaged, shuffled, or read by several threads.
mod damage;

// Small inputs that name many frames.
mod amplified;

// Control characters of an input.
mod escapes;

// Input in pieces of any size.
mod blocks;

// Formats of other profilers than perf.
mod bpftrace;
mod call_graphs;
mod xctrace;
// Sizes of files.
mod disk_use;

// Flame graphs, drawn and read again.
mod pictures;

// Formats in JSON: threads, times, depth.
mod json;

// Memory in use at a moment.
mod live;

// Sums every few seconds.
mod every;

// Labels that formats have besides stacks.
mod format_labels;

// Header lines.
mod header;

// Labels before stacks.
mod labels;

// Blocked time, and the threads that ended it.
mod inputs;
mod off_cpu;
mod wakers;
mod wall;
mod wprof;

// What makes a program end later.
mod latency;

// Profiles of Ruby, PHP, Haskell and Python.
mod mojo;
mod phpspy;
mod pyinstrument;
mod scripting;
mod tachyon;

// Stacks of threads, once or repeatedly.
mod dumps;

// Profiles that programs print.
mod printed;

// Recordings of the JVM and of pprof.
mod jvm;
mod pprof;

// Call graphs of callgrind, and the files of Valgrind's other tools and heaptrack.
mod heaps;
mod valgrind;

// Recordings, without perf script.
mod mapped_code;
mod perf_data;
mod perfetto;

// Spans that recordings have themselves.
mod spans;

// Tables, and the programs that read them.
mod table;

// Numbers that are wrong, or do not fit.
mod too_large;
mod traces;
mod wrong_numbers;

// What is lost, damaged, cut or left out.
mod troubles;

// What a recorder says that it lost, and figures that are no default.
mod losses;
mod overflows;

use crate::util::{TempFile, filter, golden_files, output, recording, utf16, weight};

/// All recordings of `perf script` below tests/golden, except those of tests/shapes/record.
fn recordings() -> Vec<String> {
    let files = golden_files("formats/perf-script").into_iter();
    let files = files.filter(|file| file.ends_with(".gz") && !file.starts_with("shape-"));
    files.map(|file| format!("formats/perf-script/{file}")).collect()
}

/// Counts the samples and their periods without our parser: all lines except frames, source lines,
/// comments and blank lines are event lines, and the period is the number before `event:`.
fn count_by_hand(script: &[u8]) -> (u128, u128) {
    let text = String::from_utf8_lossy(script);
    let is_source_line = |line: &str| line.starts_with("  ") && !line.contains("cpu-clock:");
    let mut sums = (0, 0);
    for line in text.lines() {
        if line.is_empty() || line.starts_with(['\t', '#']) || is_source_line(line) {
            continue;
        }
        let period = line.split_whitespace().zip(line.split_whitespace().skip(1));
        let mut period =
            period.filter(|(_, event)| ["cpu-clock:", "context-switches:"].contains(event));
        sums.0 += 1;
        sums.1 += period.next().and_then(|(period, _)| period.parse().ok()).unwrap_or(1);
    }
    sums
}

#[test]
fn no_recording_loses_weight() {
    let recordings = recordings();
    assert!(recordings.len() > 30, "{}", recordings.len());
    for name in recordings {
        let script = recording(&name);
        let (samples, periods) = count_by_hand(&script);
        let parse = |args: &[&str]| weight(&output("stack-parse", args, &script).stdout);
        assert!(samples > 0, "{name}");
        assert_eq!(parse(&["--by-event", "--weight", "samples"]), samples, "{name}");
        assert_eq!(parse(&["--by-event", "--per-sample"]), samples, "{name}");
        // These have no period: the number before the event is the thread.
        let periods = if name.contains("F-no") { samples } else { periods };
        assert_eq!(parse(&["--by-event", "--weight", "period"]), periods, "{name}");
    }
}

#[test]
fn known_totals_come_out() {
    // The true numbers of samples of recordings in which other tools lose some.
    for (name, samples) in [
        ("fresh-default", 557),
        ("fresh-nocallchain", 90),
        ("fresh-sched-tracepoints", 22),
        ("fresh-F-notime", 557),
        ("fresh-dwarf-inlined-srcline", 52),
    ] {
        let script = recording(&format!("formats/perf-script/{name}.gz"));
        let folded = output("stack-parse", &["--by-event", "--weight", "samples"], script);
        assert_eq!(weight(&folded.stdout), samples, "{name}");
    }
}

#[test]
fn samples_read_whole_and_line_by_line_are_the_same() {
    let shapes =
        shapes::shapes().into_iter().map(|name| format!("formats/perf-script/shape-{name}.gz"));
    for name in recordings().into_iter().chain(shapes) {
        let script = recording(&name);
        // No blank line is found in a file with CRLF, so it is read line by line.
        let text: Vec<u8> =
            script.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
        for args in [&["--by-event", "--annotate"][..], &["--by-event", "--per-sample"], &[]] {
            let whole = output("stack-parse", args, &script);
            assert_eq!(whole, output("stack-parse", args, &text), "{name}");
        }
    }
}

#[test]
fn recordings_from_powershell_are_read() {
    // `perf script > demo.txt` in PowerShell writes UTF-16 with CRLF.
    for name in [
        "formats/perf-script/fresh-default.gz",
        "formats/perf-script/fresh-dwarf-inlined-srcline.gz",
    ] {
        let script = String::from_utf8(recording(name)).expect("UTF-8");
        let text = utf16(&script.replace('\n', "\r\n"), u16::to_le_bytes);
        assert_eq!(filter("stack-parse", &[], text), filter("stack-parse", &[], script), "{name}");
    }
}

#[test]
fn an_anonymous_namespace_keeps_its_frames() {
    let folded = filter("stack-parse", &[], recording("formats/perf-script/fresh-default.gz"));
    let is_leaf = |line: &&str| line.contains(";(anonymous namespace)::anon_fn ");
    let leaves: String = folded.lines().filter(is_leaf).map(|line| format!("{line}\n")).collect();
    assert_eq!(weight(leaves.as_bytes()), 355);
}

/// Folds with the inferno crate, then undoes the known differences to our output.
fn inferno_folded(script: &[u8]) -> BTreeMap<String, u64> {
    let mut options = perf::Options::default();
    options.nthreads = 1;
    let mut folded = Vec::new();
    perf::Folder::from(options).collapse(script, &mut folded).expect("inferno reads it");
    counted(&String::from_utf8(folded).expect("UTF-8"))
}

fn counted(folded: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        *counts.entry(stack.to_owned()).or_default() += count.parse::<u64>().expect("a number");
    }
    counts
}

/// One of our stacks with inferno's known differences: `_` for a space in the comm, no frame that
/// starts with `(` (it drops C++'s anonymous namespace), and names cut at their arguments.
fn as_inferno(stack: &str) -> String {
    let mut frames = stack.split(';');
    let comm = frames.next().unwrap_or_default().replace(' ', "_");
    let frames = frames.filter(|frame| !frame.starts_with('('));
    let frames = frames.map(|frame| frame.strip_suffix("()").unwrap_or(frame));
    std::iter::once(comm.as_str()).chain(frames).collect::<Vec<_>>().join(";")
}

/// Recordings that inferno 0.12.8 reads wrongly: it takes source lines for frames, takes event
/// names from a tracepoint's text, drops one-line samples, and refuses invalid UTF-8.
const WRONG_IN_INFERNO: [&str; 7] = [
    "formats/perf-script/fresh-dwarf-inlined-srcline.gz",
    "formats/perf-script/fresh-srcline.gz",
    "formats/perf-script/fresh-sched-F.gz",
    "formats/perf-script/fresh-sched-tracepoints.gz",
    "formats/perf-script/fresh-nocallchain.gz",
    "formats/perf-script/treegc-5.4alpha-dollar-fp.gz",
    "formats/perf-script/treegc-5.4alpha-dollar-fp.nodemangle.gz",
];

#[test]
fn inferno_agrees_where_it_is_right() {
    let is_right = |name: &String| !WRONG_IN_INFERNO.contains(&name.as_str());
    for name in recordings().into_iter().filter(is_right) {
        let script = recording(&name);
        let mut ours = BTreeMap::new();
        let folded = output("stack-parse", &["--weight", "period"], &script).stdout;
        for (stack, count) in counted(&String::from_utf8(folded).expect("UTF-8")) {
            *ours.entry(as_inferno(&stack)).or_default() += count;
        }
        assert_eq!(ours, inferno_folded(&script), "{name}");
    }
}

#[test]
fn every_shape_of_line_is_read() {
    for (script, folded) in [
        (
            "demo 1 2.5:     7 cycles: \n\t 10 leaf+0x1 (/demo)\n\t 20 main (/demo)\n\n",
            "demo;main;leaf 1\n",
        ),
        // No blank line at the end, no LF.
        ("demo 1 2.5: cycles:\n\t 10 f (/demo)", "demo;f 1\n"),
        // No call chain.
        (
            "        my demo 1   2.5:  7 cycles:   561ae304d6c4 fib+0x24 (/prog/demo)\n",
            "my demo;fib 1\n",
        ),
        // No frames at all.
        ("demo 1 2.5: cycles:\n\n", "demo 1\n"),
        // A blank line before the frames.
        ("demo 1 2.5: cycles:\n\n\t 10 f (/demo)\n\n", "demo;f 1\n"),
        ("demo 1 2.5: cycles:\n\n\n\t 10 f (/demo)\n\t 20 g (/demo)\n\n", "demo;g;f 1\n"),
        // Only addresses and symbols: `-F ip,sym`.
        (
            "\n\t              1a f\n\t              20 g\n\n\n\
             \t              1a f\n\t              20 g\n",
            "g;f 2\n",
        ),
        ("cpu-clock: \n\t              10 f\n\n", "f 1\n"),
        ("my demo \n\t    7f0000000010 f\n\n", "my demo;f 1\n"),
        // Side records.
        (
            "demo 1 2.5: PERF_RECORD_COMM exec: demo:1/1\ndemo 1 2.6: cycles:\n\t 10 f (/demo)\n\n",
            "demo;f 1\n",
        ),
        // A source line, which says that the function was inlined.
        (
            "demo 1 2.5: cycles:\n\t 10 f+0x1\n  demo.cpp:14 (inlined)\n\t 10 g (/demo)\n\n",
            "demo;g;f 1\n",
        ),
        // A line that ends with the whole line before it.
        ("d 1 2.5: c:\n\t10 f (/d)\n\nd 1 2.6: c:\n\t7 gg\t10 f (/d)\n\n", "d;f 1\nd;gg 10 f 1\n"),
        // Names that break the format.
        ("a;b 1 2.5: cycles:\n\t 10 Odd..%(;..)_258+0x1 (/demo)\n\n", "a:b;Odd..%(:..)_258 1\n"),
        ("demo 1 2.5: cycles:\n\t 10 [unknown] (/usr/lib/libc.so.6)\n\n", "demo;[libc.so.6] 1\n"),
    ] {
        assert_eq!(filter("stack-parse", &[], script), folded, "{script:?}");
    }
}

#[test]
fn periods_are_summed_where_they_vary() {
    let same = "d 1 2.5: 7 cycles:\n\t 10 f (/d)\n\nd 1 2.6: 7 cycles:\n\t 10 f (/d)\n\n";
    assert_eq!(filter("stack-parse", &[], same), "d;f 2\n");
    assert_eq!(filter("stack-parse", &["--weight", "period"], same), "d;f 14\n");
    let vary = format!("{same}d 1 2.7: 9 cycles:\n\t 10 g (/d)\n\n");
    let output = output("stack-parse", &[], &vary);
    assert_eq!(output.stdout, b"d;f 14\nd;g 9\n");
    assert_eq!(
        output.stderr,
        b"stack-parse: periods vary: weights are sums of periods, --weight samples counts\n",
    );
    assert_eq!(filter("stack-parse", &["--weight", "samples"], vary), "d;f 2\nd;g 1\n");
}

#[test]
fn roots_are_chosen() {
    let script = "my demo 12/34 2.5: cycles:\n\t 10 f (/d)\n\nmy demo 12/34 2.5: cycles:\n\n";
    for (root, folded) in [
        ("comm", "my demo 1\nmy demo;f 1\n"),
        ("pid", "my demo-12 1\nmy demo-12;f 1\n"),
        ("tid", "my demo-12/34 1\nmy demo-12/34;f 1\n"),
        ("none", "[no stack] 1\nf 1\n"),
    ] {
        assert_eq!(filter("stack-parse", &["--root", root], script), folded, "{root}");
    }
}

#[test]
fn names_of_events_are_as_clean_as_others() {
    let script = "d 1 2.5: 7 cpu\u{1}cl;ock:\n\t 10 f (/d)\n\n";
    assert_eq!(filter("stack-parse", &["--by-event"], script), "cpu cl:ock;d;f 1\n");
}

#[test]
fn samples_come_one_by_one_on_request() {
    let script = "d 1 2.5: 7 c:\n\t 10 f (/d)\n\nd 1 2.6: 9 c:\n\t 10 a (/d)\n\nd 1 2.7: 7 c:\n\t 10 f (/d)\n\n";
    assert_eq!(filter("stack-parse", &["--per-sample"], script), "d;f 1\nd;a 1\nd;f 1\n");
    let periods = filter("stack-parse", &["--per-sample", "--weight", "period"], script);
    assert_eq!(periods, "d;f 7\nd;a 9\nd;f 7\n");
}

#[test]
fn folded_text_is_merged() {
    assert_eq!(filter("stack-parse", &[], "b 1\na;c 2\nb 3\n"), "a;c 2\nb 4\n");
}

#[test]
fn marks_and_inlined_frames_are_optional() {
    let script = "d 1 2.5: c:\n\t 10 f+0x1 (inlined)\n\t 10 g (/d)\n\tffffffff81000000 k ([kernel.kallsyms])\n\n";
    assert_eq!(filter("stack-parse", &["--annotate"], script), "d;k_[k];g_[o];f_[i] 1\n");
    assert_eq!(filter("stack-parse", &["--inlined", "drop"], script), "d;k;g 1\n");
}

#[test]
fn a_large_file_gives_the_same_as_a_pipe() {
    // A file of several MB is mapped, not read.
    let once =
        [recording("formats/perf-script/fresh-default.gz"), b"odd line\n\n".to_vec()].concat();
    let script = once.repeat(7_000_000 / once.len());
    let file = TempFile::new(&script);
    let piped = output("stack-parse", &["--stats", "--threads", "1"], &script);
    for threads in ["1", "2"] {
        let mapped = output("stack-parse", &["--stats", "--threads", threads, file.path()], "");
        assert_eq!(piped.stdout, mapped.stdout, "{threads} threads");
        let stderr = String::from_utf8(mapped.stderr).expect("ascii in, ascii out");
        let stderr = stderr.replace(file.path(), "<stdin>");
        assert_eq!(String::from_utf8_lossy(&piped.stderr), stderr, "{threads} threads");
    }
    let marked = TempFile::new([&b"\xef\xbb\xbf"[..], &script].concat());
    assert_eq!(piped.stdout, output("stack-parse", &[marked.path()], "").stdout);
}

#[test]
fn a_slice_of_time_is_taken() {
    let script = "d 1 2.500000: c:\n\t 10 f (/d)\n\nd 1 3.5: c:\n\t 10 g (/d)\n\nd 1 4.5: c:\n\t 10 h (/d)\n\n";
    let taken = output("stack-parse", &["--from", "1", "--to", "2"], script);
    assert_eq!(taken.stdout, b"d;g 1\n");
    assert_eq!(taken.stderr, b"stack-parse: 2 samples (weight 2) are outside --from and --to\n",);
    let empty = output("stack-parse", &["--from", "2", "--to", "1"], script);
    assert_eq!(empty.stderr, b"stack-parse: --from must be less than --to\n");
}

#[test]
fn source_lines_are_appended_on_request() {
    let script =
        "d 1 2.5: c:\n\t 10 f+0x1\n  demo.c:14 (inlined)\n\t 10 g+0x2 (/d)\n  demo.c:20\n\n";
    assert_eq!(filter("stack-parse", &[], script), "d;g;f 1\n");
    let with_lines = filter("stack-parse", &["--srcline", "--annotate"], script);
    assert_eq!(with_lines, "d;g (demo.c:20)_[o];f (demo.c:14)_[i] 1\n");
    // What perf prints where it does not know the line.
    let unknown = "d 1 2.5: c:\n\t 10 f (/d)\n  ??:0\n\t 10 g (/d)\n  :0\n\t 10 h (/d)\n  d.c:0\n\
                   \t 10 k ([kernel.kallsyms])\n  [kernel.kallsyms][ffffffff8136ffd0]\n\n";
    assert_eq!(filter("stack-parse", &["--srcline"], unknown), "d;k;h;g;f 1\n");
    assert_eq!(filter("stack-parse", &["--inlined", "drop"], script), "d;g 1\n");
}
