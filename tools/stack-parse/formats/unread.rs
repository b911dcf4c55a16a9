//! Recognises files that cannot be read, to say in the message what they are.

mod bytes;

use bstr::ByteSlice;
use common::numbers::is_digits;

use super::{disk_use, perf_script};

pub(super) use bytes::is_archive;

/// The start of the first line that is not blank, or of a binary file.
const STARTS: &[(&[u8], &str)] = &[
    (b"# To display the perf.data header", "perf report: run 'perf script' instead"),
    (
        b"\xc1\x1f\xfc\xc1",
        "a CTF trace, but not memtrace's of version 1, 2 or 3: babeltrace2 prints its events",
    ),
    (b"\x57\x1d\xd1\x75", "the metadata of a CTF trace: babeltrace2 prints its events"),
    (b"/* CTF 1.", "the metadata of a CTF trace: babeltrace2 prints its events"),
    (b"%% Analysis results:", "an analysis by Erlang's fprof: eflambe writes folded stacks"),
    (b"****** Process <", "the text of Erlang's eprof: eflambe writes folded stacks"),
    (b"2ELIFREP", "perf.data of a big-endian machine: run 'perf script' on it"),
    (b"PERFFILE", "perf.data of version 1: run an equally old 'perf script' on it"),
    (b"QPERFSTREAM", "a stream of hotspot's: give the perf.data itself"),
    (b"SIMPLEPERF", "simpleperf's protobuf: run report_sample.py on the recording instead"),
    (b"memray\0", "memray: run 'memray transform csv' on it"),
    (b"MOJ", "austin's binary format: run 'mojo2austin' on it"),
    (
        b"Nettrace",
        "a trace of .NET (nettrace): run 'dotnet-trace convert --format Speedscope' on it",
    ),
    (b"NYTProf ", "a profile of Perl (NYTProf): run 'nytprofcalls' on it"),
    (b"\x17\x08\x44tracing", "trace-cmd's trace.dat: run 'perf record -g' instead"),
    (b"\x5e\x97\xca\xfd", "a capture of sysprof: run 'perf record -g' instead"),
    (b"SQLite format 3\0", "a database (SQLite), as nsys writes: sqlite3 prints its tables"),
    (b"# tracer: ", "the text of ftrace: run 'traceconv json' on it"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG picture"),
    (b"PeriodType: ", "the output of go tool pprof: give the profile itself"),
    (b"--- threadz ", "the threads of a server of Google's: run 'go tool pprof -proto' on it"),
    (b"JAVA PROFILE ", "a heap dump of a JVM, which has no stacks: run jhat or MAT on it"),
    (b"v8-version,", "V8's log: run 'node --prof-process --preprocess' on it"),
    (b"name,src_file,src_line,", "sums of Tracy without stacks: run 'tracy-csvexport -u'"),
    (b"Flat profile:", "gprof: it has calls but no stacks"),
    (b"call graph profile:", "gprof: it has calls but no stacks"),
    (b"reading file \"", "heaptrack_print: its option -F writes folded stacks"),
    (b"JOB \"", "a heap profile of GHC: it has no stacks, '+RTS -P' has those that allocate"),
    (
        b"time\tsince\tcomm\t",
        "the table of 'stack-parse --table': stack-heat reads it, and DuckDB or pandas",
    ),
    (b"function\tself\ttotal", "the table of 'stack-top --tsv': DuckDB or pandas reads it"),
    (b"hdrb", "an event log of GHC: run hs-speedscope on it"),
    (b"_     ._   __/__", "the text of pyinstrument: run 'pyinstrument -r json'"),
    (b"<html", "a web page"),
    (b"<!DOCTYPE html", "a web page"),
    (b"<!DOCTYPE HTML", "a web page"),
    (b"\x04\x08", "data that Ruby dumped, but no profile of stackprof"),
];

/// The start of one of the first lines.
const LINES: [(&[u8], &str); 3] = [
    (b"-----------+-----", "the output of go tool pprof: give the profile itself"),
    (b"Showing nodes accounting for ", "the output of go tool pprof: give the profile itself"),
    (b"#           TASK-PID ", "the text of ftrace: run 'traceconv json' on it"),
];

/// A text in one of the first lines.
const WORDS: [(&[u8], &str); 8] = [
    (
        b" stacks with outstanding allocations:",
        "the text of bcc's memleak: run 'heaptrack PROG' instead",
    ),
    (
        b" [+additional indent] Count File:Line",
        "the text of Julia's Profile: its package PProf writes pprof",
    ),
    (b" Count  Overhead File ", "the text of Julia's Profile: its package PProf writes pprof"),
    (b":     file format ", "what objdump prints: it has no samples"),
    (b" cut here ]---", "the log of a kernel: it has no samples"),
    (b"Call Trace:", "the log of a kernel: it has no samples"),
    (b"Call trace:", "the log of a kernel: it has no samples"),
    (b" [#1]", "the log of a kernel: it has no samples"),
];

/// A word in the first lines of a JSON text; the most general words come last.
const JSON: [(&[u8], &str); 9] = [
    (b"\"main()==>", "a profile of XHProf: it has calls but no stacks"),
    (b"\"alloc_samples\"", "a profile of Scalene (JSON): run 'py-spy record -f raw' instead"),
    // The stacks may come after the bytes seen here.
    (b"\"sampleStackTraces\"", "a recording of Safari (JSON): speedscope shows it"),
    (b"\"instrumentTypes\"", "a recording of Safari (JSON): speedscope shows it"),
    (b"\"timeline-record-type-", "a recording of Safari (JSON): speedscope shows it"),
    (
        b"\"node_fields\"",
        "a heap snapshot of V8: it has no stacks, 'node --heap-prof' samples them",
    ),
    (b"\"costs\"", "the JSON of gprof2dot: it has calls but no stacks"),
    (
        b"\"total_num_allocations\"",
        "statistics of memray: run 'memray transform csv' on the recording instead",
    ),
    (b"", "JSON"),
];

/// A word in the first lines of an XML text.
const XML: [(&[u8], &str); 5] = [
    (b"<valgrindoutput>", "the XML of valgrind: run 'valgrind --tool=dhat' instead"),
    (b"<recording ", "the print of a Java flight recording (XML): run 'jfr print --json' instead"),
    (b"<trace-toc", "the contents of an xctrace: export a table of it (XML)"),
    (b"<svg", "a picture, but no flame graph (SVG)"),
    (b"", "XML"),
];

const VALGRIND: &str = "what valgrind says: of it only memcheck's leaks have stacks to count";
const NAMES: &str = "mangled names without counts: 'stack-demangle --names' demangles them";
const SYSTRACE: &str = "systrace (a web page): run 'traceconv json' on it";

/// What a file seems to be, from its first bytes.
pub(crate) fn looks_like(start: &[u8]) -> Option<&'static str> {
    let is_in = |text: &[u8], table: &[(&[u8], &'static str)]| {
        table.iter().find(|(word, _)| text.contains_str(word)).map(|(_, name)| *name)
    };
    let text = start.trim_ascii_start();
    match text {
        [b'{', ..] => is_in(text, &JSON),
        [b'[', rest @ ..] if is_json_list(rest) => is_in(text, &JSON),
        _ if text.starts_with(b"<?xml") || text.starts_with(b"<svg") => is_in(text, &XML),
        _ if is_systrace(text) => Some(SYSTRACE),
        _ => by_start(start, text)
            .or_else(|| bytes::looks_like(start))
            .or_else(|| by_line(text))
            .or_else(|| disk_use::looks_like(text))
            .or_else(|| is_mangled_name(text).then_some(NAMES)),
    }
}

/// Whether the first line is only a symbol of C++, Rust or OCaml, as nm and c++filt have them.
fn is_mangled_name(text: &[u8]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let starts = [&b"_Z"[..], b"__Z", b"_R", b"caml"];
    starts.iter().any(|start| line.starts_with(start)) && !line.contains(&b' ')
}

fn by_start(start: &[u8], text: &[u8]) -> Option<&'static str> {
    let is = |(word, _): &&(&[u8], &'static str)| text.starts_with(word) || start.starts_with(word);
    STARTS.iter().find(is).map(|(_, name)| *name)
}

/// By one of the first lines, since any text may come before it.
fn by_line(text: &[u8]) -> Option<&'static str> {
    /// How many lines are checked.
    const LOOKED_AT: usize = 40;
    const CALL_TRACE: &str = "perf script --call-trace: '--itrace=i1000g' prints stacks instead";
    let name = |line: &[u8]| {
        let starts = LINES.iter().find(|(word, _)| line.starts_with(word));
        match starts.or_else(|| WORDS.iter().find(|(word, _)| line.contains_str(word))) {
            Some((_, name)) => Some(*name),
            None if is_of_valgrind(line) => Some(VALGRIND),
            None => perf_script::is_call_trace(line).then_some(CALL_TRACE),
        }
    };
    text.lines().take(LOOKED_AT).find_map(name)
}

/// `==6430== Helgrind, a thread error detector`
fn is_of_valgrind(line: &[u8]) -> bool {
    let process = line.strip_prefix(b"==").and_then(|rest| rest.split_once_str("== "));
    process.is_some_and(|(process, _)| is_digits(process))
}

/// A trace of Android in a web page that shows it.
fn is_systrace(text: &[u8]) -> bool {
    let is_page = text.starts_with(b"<!DOCTYPE ") || text.starts_with(b"<html");
    is_page && text.contains_str("<title>Android System Trace</title>")
}

/// `[{"name":`, `[]`, `[1`, `["a"`, but not gdb's `[New LWP 7173]` or a kernel's
/// `[   12.345678] Oops`.
fn is_json_list(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    let number = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let is_time = number > 0 && rest[number..].starts_with(b"] ");
    !is_time && matches!(rest.first(), None | Some(b'{' | b'[' | b']' | b'"' | b'0'..=b'9'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_what_it_is() {
        for (start, expected) in [
            (
                &b"PERFFILEh\0\0"[..],
                "perf.data of version 1: run an equally old 'perf script' on it",
            ),
            (b"memray\0\x0c", "memray: run 'memray transform csv' on it"),
            (b"MOJ\x03", "austin's binary format: run 'mojo2austin' on it"),
            (
                b"SIMPLEPERF\x01\0",
                "simpleperf's protobuf: run report_sample.py on the recording instead",
            ),
            (
                b"JOB \"demo +RTS -hc\"\nDATE \"Fri Nov 20 19:00 2026\"\n",
                "a heap profile of GHC: it has no stacks, '+RTS -P' has those that allocate",
            ),
            (
                b"File: demo\nType: cpu\n-----------+-------\n      10ms   runtime.step\n",
                "the output of go tool pprof: give the profile itself",
            ),
            (
                b"\n  _     ._   __/__   _ _  _  _ _/_   Recorded: 19:28:47\n",
                "the text of pyinstrument: run 'pyinstrument -r json'",
            ),
            (b"36K\ttree/a\n0\ttree\n", "du -h, whose sizes are rounded: run 'du -ab'"),
            (
                b"36 /usr/bin\n7 /usr/lib\n",
                "sizes and paths: read them with '--format du' or '--format find'",
            ),
            (b"[\n  {\"pid\": 26623}\n]\n", "JSON"),
            (
                b"  perf   900 [000] 194167.205652203:   call   (/bin/ls)\t    main    \n",
                "perf script --call-trace: '--itrace=i1000g' prints stacks instead",
            ),
            (b"{\"a\": 1}", "JSON"),
            (
                b"{\"version\":1,\"recording\":{\"displayName\":\"a\",\"instrumentTypes\":[]}}",
                "a recording of Safari (JSON): speedscope shows it",
            ),
            (b"==7== Helgrind, a thread error detector\n", VALGRIND),
            (
                b"/* CTF 1.8 */\n\ntypealias integer",
                "the metadata of a CTF trace: babeltrace2 prints its events",
            ),
            (
                b"%% Analysis results:\n{  analysis_options,\n",
                "an analysis by Erlang's fprof: eflambe writes folded stacks",
            ),
            (
                b"Attaching to pid 7, Ctrl+C to quit.\n[11:16:33] Top 2 stacks with outstanding \
                  allocations:\n\t80 bytes in 5 allocations from stack\n",
                "the text of bcc's memleak: run 'heaptrack PROG' instead",
            ),
            (
                "Overhead \u{254e} [+additional indent] Count File:Line; Function\n".as_bytes(),
                "the text of Julia's Profile: its package PProf writes pprof",
            ),
            (
                b"{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\"]}}}",
                "a heap snapshot of V8: it has no stacks, 'node --heap-prof' samples them",
            ),
            (
                b"\n/bin/ls:     file format elf64-x86-64\n\n",
                "what objdump prints: it has no samples",
            ),
            (
                b"[    1.200001] BUG: unable to handle\n[    1.300001] Oops: 0000 [#1] SMP\n",
                "the log of a kernel: it has no samples",
            ),
            (b"<!DOCTYPE html>\n<html>\n<head><title>Android System Trace</title>", SYSTRACE),
            (b"<!DOCTYPE html>\n<html>\n", "a web page"),
            (
                b"<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n",
                "the XML of valgrind: run 'valgrind --tool=dhat' instead",
            ),
            (
                b"<?xml version=\"1.0\"?>\n<recording xmlns:xsi=\"x\">\n",
                "the print of a Java flight recording (XML): run 'jfr print --json' instead",
            ),
            (b"<?xml version=\"1.0\"?>\n<svg>\n", "a picture, but no flame graph (SVG)"),
        ] {
            assert_eq!(looks_like(start), Some(expected), "{:?}", start.as_bstr());
        }
    }

    #[test]
    fn what_does_instead_is_in_the_manual() {
        let page = include_str!("../../../man/stack-parse.1");
        let (_, list) = page.split_once("\n.Ss What is not read\n").expect("a section");
        let (list, _) = list.split_once("\n.El\n").expect("a list");
        let items: Vec<&str> = list.lines().filter(|line| line.starts_with(".It ")).collect();
        let names = [STARTS, &LINES, &WORDS, &JSON, &XML].concat();
        let others = [VALGRIND, SYSTRACE, NAMES].into_iter().chain(bytes::ALL);
        let names = names.iter().map(|(_, name)| *name).chain(others);
        for (name, _) in names.filter_map(|name| name.split_once(':')) {
            assert!(items.iter().any(|item| item.contains(name)), "man/stack-parse.1: {name}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_named() {
        for start in [
            &b""[..],
            b"\n\n",
            b"hello\n",
            b"[hello]\n",
            b"\n\n\n\n",
            b"v1.2\n",
            b"HHHH",
            b"1 a/b 2\n",
        ] {
            assert_eq!(looks_like(start), None, "{:?}", start.as_bstr());
        }
    }
}
