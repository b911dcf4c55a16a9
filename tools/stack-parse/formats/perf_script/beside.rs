//! Lines that are neither samples nor frames, but that perf prints between them.

use bstr::ByteSlice;
use common::numbers::{decimal, is_digits};
use memchr::memchr_iter;

use super::object_file::ends_in_object;
use super::one_line::{has_branch_flags, is_physical_address};
use super::tokens::{is_space, token_end, trim_start};

/// The prefix of perf's records other than samples.
const RECORD: &[u8] = b"PERF_RECORD_";

/// Whether this is a record other than a sample, from `--show-mmap-events` and similar options.
/// Before its name it has only the fields up to the time:
///
/// ```text
/// demo 16985 525.936394: PERF_RECORD_COMM exec: demo:16985/16985
/// demo PERF_RECORD_MMAP2 15643/15643: [0x564b6f9d3000(0x1000) @ 0 00:00 0 0]: r-xp [vdso]
/// PERF_RECORD_FINISHED_ROUND
/// ```
pub(super) fn is_side_record(line: &[u8]) -> bool {
    let is_record_at = |&start: &usize| is_record(&line[start..]);
    let Some(start) = memchr_iter(RECORD[0], line).find(is_record_at) else { return false };
    let fields = &line[..start];
    let is_token = fields.last().is_none_or(is_space);
    // After an event this is the text of a tracepoint, after a TAB it is a symbol.
    let mut tokens = fields.split(is_space);
    is_token && line[0] != b'\t' && tokens.all(|token| !token.ends_with(b":") || is_time(token))
}

/// How many samples or other records the kernel lost according to this side record; at least one
/// where it gives no number:
/// `demo 16985 525.936394: PERF_RECORD_LOST lost 42`.
pub(super) fn lost_by(record: &[u8]) -> Option<u64> {
    let (_, rest) = record.split_once_str("PERF_RECORD_LOST")?;
    let number = rest.fields().skip_while(|field| *field != b"lost").nth(1);
    Some(number.and_then(decimal).unwrap_or(1))
}

/// Whether this is a line of `perf script --call-trace` or `--call-ret-trace`, which shows a call
/// but no stack: `ls 900 [000] 194167.205652203: (/bin/ls)\t    main     `.
pub(crate) fn is_call_trace(line: &[u8]) -> bool {
    let Some((before, call)) = line.split_once_str(")\t") else { return false };
    let Some((fields, _object)) = before.split_once_str(" (") else { return false };
    // Two TABs are before an instruction: `f+0x4 (/bin/ls)\t\tmovq %rsp, %rbp`.
    fields.fields().any(is_time) && !line.starts_with(b"\t") && !call.starts_with(b"\t")
}

/// Whether this is the name of one of perf's records other than samples.
pub(super) fn is_record(name: &[u8]) -> bool {
    name.starts_with(RECORD)
}

/// `525.936394:`
fn is_time(token: &[u8]) -> bool {
    let time = token.strip_suffix(b":").and_then(|time| time.split_once_str(b"."));
    time.is_some_and(|(seconds, fraction)| is_digits(seconds) && is_digits(fraction))
}

/// Whether this line is a field that `-F` prints after frames, or the next line of a record.
pub(super) fn is_beside(line: &[u8]) -> bool {
    match line {
        [b'\t', rest @ ..] => is_record_part(rest) || is_branch_code(rest),
        [b' ', rest @ ..] => is_field_line(rest, line) || is_bpf_output(trim_start(rest)),
        _ => has_branch_flags(line) || is_source_code(line),
    }
}

/// The part after the TAB of `PERF_RECORD_NAMESPACES`:
/// `\t\t[0/net: 4/0xf0000098, 1/uts: 4/0xeffffffe]`. Lines of `-F +metric`, which come after the
/// fields of a sample, are found by [`is_metric`].
fn is_record_part(rest: &[u8]) -> bool {
    rest.starts_with(b"\t") && rest.contains_str("/0x")
}

/// `demo 1 2.5: \tmetric: 0.33 insn per cycle`
pub(super) fn is_metric(line: &[u8]) -> bool {
    memchr_iter(b'\t', line).any(|tab| line[tab..].starts_with(b"\tmetric: "))
}

/// Whether this is the mark in a kernel call chain whose user frames are printed
/// later: `b00000006 (cookie) ([unknown])`.
pub(super) fn is_cookie(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let name = line[token_end(line)..].trim_ascii();
    name == b"(cookie)" || name.starts_with(b"(cookie) (")
}

/// The code between branches, from `-F +brstackinsn`:
///
/// ```text
/// <TAB>main+5:
/// <TAB>00005566aabbccdd<TAB>insn: 48 89 e5 # PRED 3 cycles [3]
/// <TAB>... not reaching sample ...
/// ```
fn is_branch_code(rest: &[u8]) -> bool {
    is_instruction(rest)
        || rest.starts_with(b"... not reaching sample")
        || rest.starts_with(b"mismatch of LBR data")
        || !rest.starts_with(b" ") && rest[..token_end(rest)].ends_with(b":")
}

/// `00005566aabbccdd\tmov %rax,%rbx`. A frame of simpleperf has a TAB there, too, but also spaces
/// before its address, or an object file.
fn is_instruction(rest: &[u8]) -> bool {
    rest.get(16) == Some(&b'\t')
        && rest[..16].iter().all(u8::is_ascii_hexdigit)
        && !ends_in_object(rest)
}

/// A field that is printed after a call chain on a line of its own:
///
/// ```text
///  ABI:2    SP:0x7fee9ef3ce48    IP:0x5571864121ea
///  0x4005f0/0x40050a/P/-/-/3  0x4005f0/0x40050a/P/-/-/3
///  =>     7f3b9c645000 main+0x0 (/demo)
///  ilen: 3 insn: 48 89 e5
///                0 4K N/A
/// ```
fn is_field_line(rest: &[u8], line: &[u8]) -> bool {
    let fields = [&b"ABI:"[..], b"=> ", b"ilen: ", b"insn: ", b"\t IPC: "];
    fields.iter().any(|field| rest.starts_with(field))
        || rest.starts_with(b"0x") && has_branch_flags(rest)
        || is_physical_address(line)
}

/// `      BPF output: 0000: 17 de 00 00`, `                  0008: 61 00`.
fn is_bpf_output(text: &[u8]) -> bool {
    let token = &text[..token_end(text)];
    let is_offset = token.len() == 5 && token.ends_with(b":");
    text.starts_with(b"BPF output:")
        || text.starts_with(b"BPF string:")
        || is_offset && token[..4].iter().all(u8::is_ascii_hexdigit)
}

/// A line of source code after a sample, from `-F +srccode`: `|14       sink += i;`.
fn is_source_code(line: &[u8]) -> bool {
    line.strip_prefix(b"|").is_some_and(|rest| is_digits(&rest[..token_end(rest)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_what_was_lost_say_how_much() {
        for (line, lost) in [
            ("demo 1 2.5: PERF_RECORD_LOST lost 42", Some(42)),
            ("PERF_RECORD_LOST lost 42", Some(42)),
            ("demo 1 2.5: PERF_RECORD_LOST_SAMPLES lost 7", Some(7)),
            ("demo 1 2.5: PERF_RECORD_LOST", Some(1)),
            ("demo 1 2.5: PERF_RECORD_COMM exec: demo:1/1", None),
        ] {
            assert_eq!(lost_by(line.as_bytes()), lost, "{line}");
        }
    }

    #[test]
    fn records_have_no_event_before_them() {
        for (line, expected) in [
            ("PERF_RECORD_FINISHED_ROUND", true),
            ("demo 16985 525.93: PERF_RECORD_COMM exec: demo:16985/16985", true),
            ("a 2.5: b 16985 525.93: PERF_RECORD_COMM: demo:16985/16985", true),
            ("demo PERF_RECORD_MMAP2 15643/15643: [0x7fd465672000(0x2000)]: r-xp [vdso]", true),
            ("demo 15643 U PERF_RECORD_SWITCH OUT preempt", true),
            ("demo 1 2.5: sys:open: PERF_RECORD_COMM", false),
            ("demo 1 2.5: cycles:  7f00a1b2c3d4 PERF_RECORD_x (/d)", false),
            ("\t            7f00 PERF_RECORD_x (/d)", false),
            ("demo 1 2.5: cycles: ", false),
        ] {
            assert_eq!(is_side_record(line.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn what_stands_beside_samples_is_known() {
        for line in [
            "\t\t[0/net: 4/0xf0000098, 1/uts: 4/0xeffffffe]",
            "\tmain+5:",
            "\tmain+5:\tdemo.c:14",
            "\t00005566aabbccdd\tinsn: 48 89 e5",
            "\t00005566aabbccdd\tmov 0x10(%rdi),%rax\t# PRED 3 cycles [3]",
            "\t00005566aabbccdd\tjmp 0x10(%rip)",
            "\t... not reaching sample ...",
            "\tmismatch of LBR data and executable",
            " ABI:2    SP:0x7fee9ef3ce48    IP:0x5571864121ea ",
            " 0x4005f0/0x40050a/P/-/-/3  0x4005f0/0x40050a/M/X/-/3 ",
            "spin+0x11/main+0x3/P/-/-/3/ ",
            " =>     7f3b9c645000 main+0x0 (/demo)",
            " ilen: 3 insn: 48 89 e5",
            "               0",
            "      1ff84c3210 4K N/A",
            "      BPF output: 0000: 17 de 00 00  ....",
            "                  0008: 61 00 00 00  a...",
            "      BPF string: \"hello\"",
            "|14       sink += i * i;",
        ] {
            assert!(is_beside(line.as_bytes()), "{line:?}");
        }
        for line in [
            "Warning: lost",
            "\t          THIS_IS_A_WEIRD_LINE",
            "\tffffffc0104a0000\tkernel_init (/vmlinux)",
            "  demo.cpp:14",
            "|",
        ] {
            assert!(!is_beside(line.as_bytes()), "{line:?}");
        }
    }
}
