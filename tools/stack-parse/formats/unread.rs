//! Files that cannot be read, and what they are.

/// How other profilers' files begin: none of these can be read yet, but it
/// helps to hear what the file is.
const LOOKS: [(&[u8], &str); 27] = [
    (b"# To display the perf.data header", "perf report: run 'perf script' instead"),
    (b"\x7fELF", "an executable: stack-symbols lists its functions"),
    (b"\xc1\x1f\xfc\xc1", "a CTF trace, but not memtrace's of version 1, 2 or 3"),
    (b"PERFILE2", "perf.data: run 'perf script' on it"),
    (b"FLR\0", "a Java flight recording"),
    (b"SIMPLEPERF", "simpleperf's own format: run report_sample.py on it"),
    (b"{", "JSON"),
    (b"[{", "a trace in JSON"),
    (b"<?xml", "XML, such as xctrace exports"),
    (b"Attaching ", "bpftrace"),
    (b"@", "bpftrace"),
    (b"CPU     ID", "DTrace"),
    (b"Analysis of sampling", "macOS sample"),
    (b"Full thread dump", "jstack"),
    (b"goroutine ", "a Go traceback"),
    (b"# callgrind format", "callgrind"),
    (b"events:", "callgrind"),
    (b"desc:", "massif"),
    (b"heap samples:", "a heap samples of gperftools"),
    (b"--- ", "a legacy samples of pprof"),
    (b"JAVA PROFILE ", "hprof"),
    (b"Thread 0x", "Python's faulthandler"),
    (b"COST CENTRE", "a GHC samples"),
    (b"v8-version,", "V8's log"),
    (b"Function Stack,", "VTune"),
    (b"#0 ", "gdb"),
    (b"TID ", "eu-stack"),
];

/// What an input that begins so seems to be.
pub(super) fn looks_like(start: &[u8]) -> Option<&'static str> {
    let start = start.trim_ascii_start();
    LOOKS.iter().find(|(look, _)| start.starts_with(look)).map(|(_, name)| *name)
}
