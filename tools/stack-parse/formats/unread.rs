//! Recognises files that cannot be read, to say in the message what they are.

mod bytes;

use bstr::ByteSlice;
use common::numbers::is_digits;

use super::{disk_use, perf_script};

pub(super) use bytes::is_archive;

/// The table, a row a line.
const TABLE: &str = include_str!("unread.txt");

const VALGRIND: &str = "what valgrind says: of it only memcheck's leaks have stacks to count";
const NAMES: &str = "mangled names without counts: 'stack-demangle --names' demangles them";

/// A row of the table: how a file looks, and what is said of it.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: Kind,
    /// With escapes.
    looks: &'static str,
    what: &'static str,
}

/// Where the text of a row must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Start,
    Line,
    Word,
    Json,
    Xml,
    Page,
    Zip,
    Folder,
}

impl Kind {
    fn of(name: &str) -> Option<Kind> {
        Some(match name {
            "start" => Kind::Start,
            "line" => Kind::Line,
            "word" => Kind::Word,
            "json" => Kind::Json,
            "xml" => Kind::Xml,
            "page" => Kind::Page,
            "zip" => Kind::Zip,
            "folder" => Kind::Folder,
            _ => return None,
        })
    }

    /// The kind of the rows for this text; any of the first three is [`Kind::Start`].
    fn of_text(text: &[u8]) -> Kind {
        let begins = |words: &[&str]| {
            let is_start = |word: &&str| {
                text.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()))
            };
            words.iter().any(is_start)
        };
        match text {
            [b'{', ..] => Kind::Json,
            [b'[', rest @ ..] if is_json_list(rest) => Kind::Json,
            _ if begins(&["<?xml", "<svg"]) => Kind::Xml,
            _ if begins(&["<!doctype html", "<html"]) => Kind::Page,
            _ => Kind::Start,
        }
    }
}

impl Row {
    fn of(line: &'static str) -> Option<Row> {
        let mut parts = line.splitn(3, " | ").map(str::trim);
        let (kind, looks, what) = match line.split_once(" | | ") {
            Some((kind, what)) => (kind, "", what),
            None => (parts.next()?, parts.next()?, parts.next()?),
        };
        Some(Row { kind: Kind::of(kind)?, looks, what })
    }

    /// Whether a text looks like this: all of it, and without the blanks before it.
    fn fits(&self, start: &[u8], text: &[u8]) -> bool {
        /// How many lines are looked at: any text may come before that of a tool.
        const LINES: usize = 100;
        let looks = unescaped(self.looks);
        let mut lines = start.lines().take(LINES);
        match self.kind {
            Kind::Start => text.starts_with(&looks) || start.starts_with(&looks),
            Kind::Line => lines.any(|line| line.starts_with(&looks)),
            Kind::Word => lines.any(|line| line.contains_str(&looks)),
            Kind::Json | Kind::Xml | Kind::Page | Kind::Zip => text.contains_str(&looks),
            Kind::Folder => false,
        }
    }
}

/// The rows of the table.
fn rows() -> impl Iterator<Item = Row> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(Row::of)
}

/// The bytes that a text of the table stands for: `\xNN`, `\t`, `\n`, and `\s`, a blank.
fn unescaped(looks: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), looks.as_bytes());
    while let [first, after @ ..] = rest {
        let (byte, length) = match rest {
            [b'\\', b't', ..] => (b'\t', 2),
            [b'\\', b'n', ..] => (b'\n', 2),
            [b'\\', b's', ..] => (b' ', 2),
            [b'\\', b'x', high, low, ..] => (hexadecimal(*high) << 4 | hexadecimal(*low), 4),
            _ => (*first, 1),
        };
        bytes.push(byte);
        rest = &after[length - 1..];
    }
    bytes
}

fn hexadecimal(digit: u8) -> u8 {
    (digit as char).to_digit(16).unwrap_or_default() as u8
}

/// What a file seems to be, from its first bytes.
pub(crate) fn looks_like(start: &[u8]) -> Option<&'static str> {
    let text = start.trim_ascii_start();
    if text.is_empty() {
        return None;
    }
    let kind = Kind::of_text(text);
    let is_zip = start.starts_with(b"PK\x03\x04");
    let is_of_kind = |row: &Row| match row.kind {
        Kind::Line | Kind::Word => kind == Kind::Start,
        Kind::Zip => is_zip,
        other => other == kind,
    };
    let known = rows().find(|row| is_of_kind(row) && row.fits(start, text));
    known.map(|row| row.what).or_else(|| {
        bytes::looks_like(start)
            .or_else(|| by_line(text))
            .or_else(|| disk_use::looks_like(text))
            .or_else(|| is_mangled_name(text).then_some(NAMES))
    })
}

/// What a folder seems to be, by the names in it.
pub(crate) fn folder_looks_like(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let is_known = |row: &Row| row.kind == Kind::Folder && has(row.looks);
    rows().find(is_known).map(|row| row.what)
}

/// Whether the first line is only a symbol of C++, Rust or OCaml, as nm and c++filt have them.
fn is_mangled_name(text: &[u8]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let starts = [&b"_Z"[..], b"__Z", b"_R", b"caml"];
    starts.iter().any(|start| line.starts_with(start)) && !line.contains(&b' ')
}

/// By one of the first lines.
fn by_line(text: &[u8]) -> Option<&'static str> {
    /// How many lines are checked.
    const LOOKED_AT: usize = 40;
    const CALL_TRACE: &str = "perf script --call-trace: '--itrace=i1000g' prints stacks instead";
    let name = |line: &[u8]| {
        if is_of_valgrind(line) {
            return Some(VALGRIND);
        }
        perf_script::is_call_trace(line).then_some(CALL_TRACE)
    };
    text.lines().take(LOOKED_AT).find_map(name)
}

/// `==6430== Helgrind, a thread error detector`
fn is_of_valgrind(line: &[u8]) -> bool {
    let process = line.strip_prefix(b"==").and_then(|rest| rest.split_once_str("== "));
    process.is_some_and(|(process, _)| is_digits(process))
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
                "the text of pyinstrument: run 'pyinstrument -r session'",
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
            (
                b"<!DOCTYPE html>\n<html>\n<head><title>Android System Trace</title>",
                "systrace (a web page): run 'traceconv json' on it",
            ),
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
    fn every_line_is_a_row_a_comment_or_empty() {
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(rows().count(), lines.count());
    }

    /// A row that can never be the first that fits is a mistake.
    #[test]
    fn every_row_is_found_by_what_it_looks_like() {
        for row in rows().filter(|row| row.kind != Kind::Folder) {
            let looks = unescaped(row.looks);
            let text = match row.kind {
                Kind::Start => looks,
                Kind::Line => [b"a tool\n", &looks[..]].concat(),
                Kind::Word => [b"a tool\nx", &looks[..], b"x"].concat(),
                Kind::Json => [b"{", &looks[..]].concat(),
                Kind::Xml => [b"<?xml?>", &looks[..]].concat(),
                Kind::Page => [b"<!DOCTYPE html>", &looks[..]].concat(),
                Kind::Zip | Kind::Folder => [b"PK\x03\x04", &looks[..]].concat(),
            };
            assert_eq!(looks_like(&text), Some(row.what), "{row:?}");
        }
    }

    #[test]
    fn what_does_instead_is_in_the_manual() {
        let page = include_str!("../../../man/stack-parse.1");
        let (_, list) = page.split_once("\n.Ss What is not read\n").expect("a section");
        let (list, _) = list.split_once("\n.El\n").expect("a list");
        let items: Vec<&str> = list.lines().filter(|line| line.starts_with(".It ")).collect();
        let others = [VALGRIND, NAMES].into_iter().chain(bytes::ALL);
        let names = rows().map(|row| row.what).chain(others);
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
