//! Files that cannot be read yet: it helps to hear what such a file is.

use bstr::ByteSlice;

/// How the first line that is not blank begins, or the bytes of a file that is
/// no text.
const STARTS: [(&[u8], &str); 41] = [
    (b"# To display the perf.data header", "perf report: run 'perf script' instead"),
    (b"\x7fELF", "an executable: stack-symbols lists its functions"),
    (b"\xc1\x1f\xfc\xc1", "a CTF trace, but not memtrace's of version 1, 2 or 3"),
    (b"2ELIFREP", "perf.data of a big-endian machine: run 'perf script' on it"),
    (b"PERFFILE", "perf.data of version 1: run the 'perf script' of its time on it"),
    (b"FLR\0", "a Java flight recording"),
    (b"SIMPLEPERF", "simpleperf's own format: run report_sample.py on it"),
    (b"memray\0", "memray: run 'memray table' or 'memray flamegraph' on it"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG picture"),
    (b"Attaching ", "bpftrace"),
    (b"@[", "bpftrace"),
    (b"CPU     ID", "DTrace"),
    (b"Analysis of sampling", "macOS sample"),
    (b"goroutine profile: total", "a legacy profile of pprof"),
    (b"threadcreate profile: total", "a legacy profile of pprof"),
    (b"goroutine ", "a Go traceback"),
    (b"PeriodType: ", "the output of 'go tool pprof -raw'"),
    (b"events:", "callgrind"),
    (b"positions:", "callgrind"),
    (b"version: 1\ncreator: ", "callgrind"),
    (b"desc: I1 cache", "cachegrind"),
    (b"desc:", "massif"),
    (b"heap profile:", "a heap profile of gperftools"),
    (b"--- ", "a legacy profile of pprof"),
    (b"JAVA PROFILE ", "hprof"),
    (b"COST CENTRE", "a GHC profile"),
    (b"v8-version,", "V8's log"),
    (b"Function Stack,", "VTune"),
    (b"Level,Function Name,", "Visual Studio's profiler"),
    (b"allocator,num_allocations,size,", "the CSV of memray"),
    (b"name,src_file,src_line,", "the CSV of Tracy"),
    (b"TRACE START [", "a trace of Xdebug"),
    (b"[New LWP ", "gdb"),
    (b"[Thread debugging using", "gdb"),
    (b"TID ", "eu-stack"),
    (b"Flat profile:", "gprof"),
    (b"call graph profile:", "gprof"),
    (b"reading file \"", "heaptrack_print: its option -F writes folded stacks"),
    (b"<html", "a web page"),
];

/// What one of the first lines begins with or, behind a `*`, holds.
const LINES: [(&[u8], &str); 11] = [
    (b"# callgrind format", "callgrind"),
    (b"Full thread dump", "jstack"),
    (b"Thread 0x", "Python's faulthandler"),
    (b"Current thread 0x", "Python's faulthandler"),
    (b"TRACE START [", "a trace of Xdebug"),
    (b"goroutine ", "a Go traceback"),
    (b"TID ", "eu-stack"),
    (b"#0  ", "gdb"),
    (b"*Time and Allocation Profiling Report", "a GHC profile"),
    (b"*\tSymbol Name", "Instruments, copied as text"),
    (b"Python v", "py-spy dump"),
];

/// What JSON is, by a word of its first lines; what most others have comes last.
const JSON: [(&[u8], &str); 18] = [
    (b"speedscope.app/file-format-schema", "speedscope (JSON)"),
    (b"\"dhatFileVersion\"", "DHAT (JSON)"),
    (b"\"preprocessedProfileVersion\"", "a profile of Firefox (JSON)"),
    (b"\"stringTable\"", "a profile of Firefox (JSON)"),
    (b"\"traceEvents\"", "a Chrome trace (JSON)"),
    (b"\"timeDeltas\"", "a .cpuprofile of V8 (JSON)"),
    (b"\"hitCount\"", "a .cpuprofile of V8 (JSON)"),
    (b"\"selfSize\"", "a .heapprofile of V8 (JSON)"),
    (b"\"sampleStackTraces\"", "a recording of Safari (JSON)"),
    (b"\"root_frame\"", "pyinstrument (JSON)"),
    (b"\"rts_arguments\"", "a GHC profile (JSON)"),
    (b"\"costs\"", "gprof2dot (JSON)"),
    (b"\"attached_probes\"", "bpftrace (JSON)"),
    (b"\"recording\"", "the print of a Java flight recording (JSON)"),
    (b"\"raw\"", "stackprof (JSON)"),
    (b"\"ticks\"", "V8's log, as 'node --prof-process --preprocess' prints it (JSON)"),
    (b"\"ph\"", "a Chrome trace (JSON)"),
    (b"", "JSON"),
];

/// What XML is, by a word of its first lines.
const XML: [(&[u8], &str); 4] = [
    (b"<trace-query-result", "xctrace (XML)"),
    (b"<trace-toc", "the contents of an xctrace: export a table of it (XML)"),
    (b"<svg", "a picture (SVG)"),
    (b"", "XML"),
];

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
        _ => by_start(start, text).or_else(|| by_line(text)),
    }
}

fn by_start(start: &[u8], text: &[u8]) -> Option<&'static str> {
    let is = |(word, _): &&(&[u8], &'static str)| text.starts_with(word) || start.starts_with(word);
    if let Some((_, name)) = STARTS.iter().find(is) {
        return Some(name);
    }
    if is_pprof(start) {
        return Some("pprof: run 'go tool pprof -traces' on it");
    }
    if is_gperftools(start) {
        return Some("a processor profile of gperftools");
    }
    is_heaptrack(text).then_some("heaptrack: run 'heaptrack_print -F' on it").or_else(|| {
        (is_pmcstat(text).then_some("pmcstat"))
            .or_else(|| is_eu_stack(text).then_some("eu-stack"))
            .or_else(|| is_marshal(start).then_some("a pstats file of Python's cProfile"))
    })
}

/// By the first lines, as what comes before may be anything.
fn by_line(text: &[u8]) -> Option<&'static str> {
    /// How many lines are looked at.
    const LOOKED_AT: usize = 40;
    let name = |line: &[u8]| {
        let is = |(word, _): &&(&[u8], &'static str)| match word {
            [b'*', word @ ..] => line.contains_str(word),
            _ => line.starts_with(word),
        };
        LINES.iter().find(is).map(|(_, name)| *name)
    };
    text.lines().take(LOOKED_AT).find_map(name)
}

/// `[{"name":`, `[]`, `[1`, `["a"`: gdb's `[New LWP 7173]` is none.
fn is_json_list(rest: &[u8]) -> bool {
    matches!(rest.trim_ascii_start().first(), None | Some(b'{' | b'[' | b']' | b'"' | b'0'..=b'9'))
}

/// `v 10400 3`: the version of heaptrack and of its file.
fn is_heaptrack(text: &[u8]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_hexdigit) && !word.is_empty();
    line.strip_prefix(b"v ").is_some_and(|rest| rest.split(|byte| *byte == b' ').all(is_number))
}

/// `@ inst_retired.any [35705 samples]`
fn is_pmcstat(text: &[u8]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.starts_with(b"@ ") && line.ends_with(b" samples]")
}

/// `PID 7171 - process`
fn is_eu_stack(text: &[u8]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.starts_with(b"PID ") && line.ends_with(b" - process")
}

/// Python's marshal of a dictionary whose keys are tuples of three, the first of
/// them a text.
fn is_marshal(start: &[u8]) -> bool {
    matches!(start, [b'{' | 0xfb, b'(' | b')' | 0xa8 | 0xa9, _, ..])
}

/// The words 0, 3, a version, the period and 0, of four or eight bytes, in
/// either order.
fn is_gperftools(start: &[u8]) -> bool {
    let header = |word: usize| {
        let words: Vec<&[u8]> = start.chunks_exact(word).take(5).collect();
        let [zero, three, version, _, padding] = words[..] else { return false };
        let is_zero = |word: &[u8]| word.iter().all(|byte| *byte == 0);
        let is_three = three.iter().map(|byte| u32::from(*byte)).sum::<u32>() == 3
            && (three[0] == 3 || three[word - 1] == 3);
        let is_version = version.iter().map(|byte| u32::from(*byte)).sum::<u32>() < 2;
        is_zero(zero) && is_three && is_version && is_zero(padding)
    };
    header(8) || header(4)
}

/// A message of protocol buffers that has a ValueType (two small numbers) and
/// only fields that a profile of pprof may have. Go writes field 9 first.
fn is_pprof(start: &[u8]) -> bool {
    let (mut rest, mut fields, mut has_type) = (start, 0, false);
    while let [tag, after @ ..] = rest {
        let Some((value, after)) = varint(after) else { break };
        match (tag >> 3, tag & 7) {
            (7..=10 | 12..=14, 0) => rest = after,
            (field @ (1..=6 | 11 | 13), 2) => {
                let Some((message, after)) =
                    usize::try_from(value).ok().and_then(|length| after.split_at_checked(length))
                else {
                    break;
                };
                has_type |= matches!((field, message), (1 | 11, [8, _, 16, _]));
                rest = after;
            }
            _ => return false,
        }
        fields += 1;
    }
    has_type && fields > 1
}

/// A number of protocol buffers, and what follows it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = bytes.iter().take(9).position(|byte| *byte < 0x80)? + 1;
    let digits = bytes[..length].iter().rev();
    let value = digits.fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((value, &bytes[length..]))
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
            (b"@ inst_retired.any [35705 samples]\n\n20.86%  [7447]     zfs @ /boot\n", "pmcstat"),
            (b"@[\n\tffffffff821ef666 do_syscall_64+70\n]: 4\n", "bpftrace"),
            (b"v 10400 3\nX ./demo 3\n", "heaptrack: run 'heaptrack_print -F' on it"),
            (b"[New LWP 7173]\n[New LWP 7174]\n", "gdb"),
            (b"\n[Thread debugging using libthread_db enabled]\n", "gdb"),
            (b"0x00007f22 in poll ()\n\nThread 2 (LWP 7):\n#0  0x00007f22 in poll ()\n", "gdb"),
            (b"PID 7171 - process\nTID 7171:\n#0  0x00007f2274\n", "eu-stack"),
            (b"memray\0\x0c", "memray: run 'memray table' or 'memray flamegraph' on it"),
            (b"Weight\tSelf Weight\tSymbol Names\n", "Instruments, copied as text"),
            (b"Running Time\tSelf (ms)\t\tSymbol Name\n", "Instruments, copied as text"),
            (b"2026-11-20 19:31:20\nFull thread dump OpenJDK 64-Bit\n", "jstack"),
            (
                b"Timeout (0:00:00.05)!\nThread 0x00007ff2 (most recent call first):\n",
                "Python's faulthandler",
            ),
            (b"panic: nil map\n\ngoroutine 1 [running]:\n", "a Go traceback"),
            (
                b"\tSun Aug  6 14:50 2023 Time and Allocation Profiling Report  (Final)\n",
                "a GHC profile",
            ),
            (b"Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-20]\n", "a trace of Xdebug"),
            (b"version: 1\ncreator: callgrind-3.3.0\n", "callgrind"),
            (b"[\n  {\"name\": \"a\", \"ph\": \"B\", \"ts\": 0},\n", "a Chrome trace (JSON)"),
            (b"[\n  {\"pid\": 26623}\n]\n", "JSON"),
            (b" {\"nodes\":[{\"id\":1,\"hitCount\":0}]}", "a .cpuprofile of V8 (JSON)"),
            (
                b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
                "speedscope (JSON)",
            ),
            (b"{\"a\": 1}", "JSON"),
            (b"<?xml version=\"1.0\"?>\n<trace-query-result>\n", "xctrace (XML)"),
            (b"<?xml version=\"1.0\"?>\n<svg>\n", "a picture (SVG)"),
            (
                b"\x48\xa0\x84\x2f\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x50\x89\x03",
                "pprof: run 'go tool pprof -traces' on it",
            ),
            (
                b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x0f\x0a\x06\x01",
                "pprof: run 'go tool pprof -traces' on it",
            ),
            (
                b"\0\0\0\0\x03\0\0\0\0\0\0\0\x10\x27\0\0\0\0\0\0",
                "a processor profile of gperftools",
            ),
            (b"\xfb\x29\x03\xfa8/home", "a pstats file of Python's cProfile"),
        ] {
            assert_eq!(looks_like(start), Some(expected), "{:?}", start.as_bstr());
        }
    }

    #[test]
    fn what_is_not_known_is_not_named() {
        for start in [&b""[..], b"\n\n", b"hello\n", b"[hello]\n", b"\n\n\n\n", b"v1.2\n", b"HHHH"]
        {
            assert_eq!(looks_like(start), None, "{:?}", start.as_bstr());
        }
    }
}
