//! Files that cannot be read yet: it helps to hear what such a file is.

mod bytes;

use bstr::ByteSlice;
use common::is_digits;

use super::{disk_use, perf_script};

pub(super) use bytes::is_archive;

/// How the first line that is not blank begins, or the bytes of a file that is
/// no text.
const STARTS: [(&[u8], &str); 33] = [
    (b"# To display the perf.data header", "perf report: run 'perf script' instead"),
    (b"\xc1\x1f\xfc\xc1", "a CTF trace, but not memtrace's of version 1, 2 or 3"),
    (b"2ELIFREP", "perf.data of a big-endian machine: run 'perf script' on it"),
    (b"PERFFILE", "perf.data of version 1: run the 'perf script' of its time on it"),
    (b"QPERFSTREAM", "a stream of hotspot's: give the perf.data itself"),
    (b"SIMPLEPERF", "simpleperf's protobuf: run report_sample.py on the recording instead"),
    (b"memray\0", "memray: run 'memray transform csv' on it"),
    (b"MOJ", "austin's binary format: run 'mojo2austin' on it"),
    (b"heap_v2/", "a heap profile of jemalloc: run 'jeprof --collapsed PROGRAM' on it"),
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
    (b"hdrb", "an event log of GHC: run hs-speedscope on it"),
    (b"_     ._   __/__", "the text of pyinstrument: run 'pyinstrument -r json'"),
    (b"<html", "a web page"),
    (b"<!DOCTYPE html", "a web page"),
    (b"<!DOCTYPE HTML", "a web page"),
    (b"\x04\x08", "data that Ruby dumped, but no profile of stackprof"),
];

/// What one of the first lines begins with.
const LINES: [(&[u8], &str); 4] = [
    (b"Python v", "py-spy dump: run 'py-spy record -f raw'"),
    (b"-----------+-----", "the output of go tool pprof: give the profile itself"),
    (b"Showing nodes accounting for ", "the output of go tool pprof: give the profile itself"),
    (b"#           TASK-PID ", "the text of ftrace: run 'traceconv json' on it"),
];

/// What one of the first lines has in it.
const WORDS: [(&[u8], &str); 7] = [
    (b"==ERROR: LeakSanitizer: ", "the text of LeakSanitizer: run 'valgrind --tool=dhat' instead"),
    (b"sample.interval=", "a profile of R (Rprof): R's package 'profile' makes pprof of it"),
    (b":     file format ", "what objdump prints: it has no samples"),
    (b" cut here ]---", "the log of a kernel: it has no samples"),
    (b"Call Trace:", "the log of a kernel: it has no samples"),
    (b"Call trace:", "the log of a kernel: it has no samples"),
    (b" [#1]", "the log of a kernel: it has no samples"),
];

/// What JSON is, by a word of its first lines; what most others have comes last.
const JSON: [(&[u8], &str); 11] = [
    (b"\"resourceProfiles\"", "a profile of OpenTelemetry (OTLP): export pprof instead"),
    (b"\"main()==>", "a profile of XHProf: it has calls but no stacks"),
    (b"\"alloc_samples\"", "a profile of Scalene (JSON): run 'py-spy record -f raw' instead"),
    // The stacks may be after all that is seen.
    (b"\"sampleStackTraces\"", "a recording of Safari (JSON): speedscope shows it"),
    (b"\"instrumentTypes\"", "a recording of Safari (JSON): speedscope shows it"),
    (b"\"timeline-record-type-", "a recording of Safari (JSON): speedscope shows it"),
    (b"\"costs\"", "the JSON of gprof2dot: it has calls but no stacks"),
    (b"\"jdk.", "the print of a Java flight recording (JSON): give the recording itself"),
    (
        b"\"total_num_allocations\"",
        "statistics of memray: run 'memray transform csv' on the recording instead",
    ),
    (b"\"owns_gil\"", "py-spy dump: run 'py-spy record -f raw'"),
    (b"", "JSON"),
];

/// What XML is, by a word of its first lines.
const XML: [(&[u8], &str); 4] = [
    (b"<valgrindoutput>", "the XML of valgrind: run 'valgrind --tool=dhat' instead"),
    (b"<trace-toc", "the contents of an xctrace: export a table of it (XML)"),
    (b"<svg", "a picture, but no flame graph (SVG)"),
    (b"", "XML"),
];

const MEMCHECK: &str = "the text of memcheck: run 'valgrind --tool=dhat' instead";
const SYSTRACE: &str = "systrace (a web page): run 'traceconv json' on it";

/// What a file seems to be, by its first bytes.
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
            .or_else(|| disk_use::looks_like(text)),
    }
}

fn by_start(start: &[u8], text: &[u8]) -> Option<&'static str> {
    let is = |(word, _): &&(&[u8], &'static str)| text.starts_with(word) || start.starts_with(word);
    if let Some((_, name)) = STARTS.iter().find(is) {
        return Some(name);
    }
    is_heaptrack(text).then_some("a raw recording of heaptrack: run 'heaptrack_interpret' on it")
}

/// By the first lines, as what comes before may be anything.
fn by_line(text: &[u8]) -> Option<&'static str> {
    /// How many lines are looked at.
    const LOOKED_AT: usize = 40;
    const CALL_TRACE: &str = "perf script --call-trace: '--itrace=i1000g' prints stacks instead";
    let name = |line: &[u8]| {
        let starts = LINES.iter().find(|(word, _)| line.starts_with(word));
        match starts.or_else(|| WORDS.iter().find(|(word, _)| line.contains_str(word))) {
            Some((_, name)) => Some(*name),
            None if is_of_valgrind(line) => Some(MEMCHECK),
            None => perf_script::is_call_trace(line).then_some(CALL_TRACE),
        }
    };
    text.lines().take(LOOKED_AT).find_map(name)
}

/// `==6430== Memcheck, a memory error detector`
fn is_of_valgrind(line: &[u8]) -> bool {
    let process = line.strip_prefix(b"==").and_then(|rest| rest.split_once_str("== "));
    process.is_some_and(|(process, _)| is_digits(process))
}

/// A trace of Android in the web page that shows it.
fn is_systrace(text: &[u8]) -> bool {
    let is_page = text.starts_with(b"<!DOCTYPE ") || text.starts_with(b"<html");
    is_page && text.contains_str("<title>Android System Trace</title>")
}

/// `[{"name":`, `[]`, `[1`, `["a"`: gdb's `[New LWP 7173]` and a kernel's
/// `[   12.345678] Oops` are no JSON.
fn is_json_list(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    let number = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let is_time = number > 0 && rest[number..].starts_with(b"] ");
    !is_time && matches!(rest.first(), None | Some(b'{' | b'[' | b']' | b'"' | b'0'..=b'9'))
}

/// `v 10400 3`: the version of heaptrack and of its file.
fn is_heaptrack(text: &[u8]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_hexdigit) && !word.is_empty();
    line.strip_prefix(b"v ").is_some_and(|rest| rest.split(|byte| *byte == b' ').all(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_what_it_is() {
        for (start, expected) in [
            (
                &b"PERFFILEh\0\0"[..],
                "perf.data of version 1: run the 'perf script' of its time on it",
            ),
            (
                b"v 10400 3\nx 7 /p/demo\nX ./demo 3\n",
                "a raw recording of heaptrack: run 'heaptrack_interpret' on it",
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
            (
                b"{\n  \"recording\": {\n    \"events\": [{\n      \"type\": \"jdk.CPULoad\"",
                "the print of a Java flight recording (JSON): give the recording itself",
            ),
            (
                b"heap_v2/524288\n  t*: 1: 2 [0: 0]\n",
                "a heap profile of jemalloc: run 'jeprof --collapsed PROGRAM' on it",
            ),
            (
                b"memory profiling: line profiling: sample.interval=20000\n",
                "a profile of R (Rprof): R's package 'profile' makes pprof of it",
            ),
            (b"==7== Memcheck, a memory error detector\n", MEMCHECK),
            (
                b"\n=====\n==7==ERROR: LeakSanitizer: detected memory leaks\n",
                "the text of LeakSanitizer: run 'valgrind --tool=dhat' instead",
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
        let names = [&STARTS[..], &LINES, &WORDS, &JSON, &XML].concat();
        let others = [MEMCHECK, SYSTRACE].into_iter().chain(bytes::ALL);
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
