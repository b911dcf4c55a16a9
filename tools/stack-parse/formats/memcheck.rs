//! The leaks that valgrind's memcheck prints, with the program's own output between them.
//! Grammar from valgrind's memcheck/mc_leakcheck.c and coregrind/m_libcprint.c.
//!
//! ```text
//! ==6430== 40 (8 direct, 32 indirect) bytes in 1 blocks are definitely lost in loss record 1 of 4
//! ==6430==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
//! ==6430==    by 0x1091CD: grow (mill.c:7)
//! ==6430==
//! ==6430== LEAK SUMMARY:
//! ==6430==    definitely lost: 8 bytes in 1 blocks
//! ==6430==         suppressed: 0 bytes in 0 blocks
//! ```
//!
//! Indirectly lost blocks have their own records if all kinds are printed. So a record weighs only
//! its direct bytes, as in the summary.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::is_digits};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::leaks::{Amount, LEAKS, add};
use crate::read::lines::for_each_line;
use crate::read::numbers::grouped;
use crate::read::valgrind_frame::{frame, is_inlined};
use crate::samples::Samples;

pub(super) const FORMAT: Format =
    Format::new("memcheck", "The leaks that valgrind's memcheck prints", detect, parse);

/// The kinds of records; the last is only in the summary.
const KINDS: [&str; 5] =
    ["definitely lost", "indirectly lost", "possibly lost", "still reachable", "suppressed"];

fn detect(head: &Head<'_>) -> bool {
    head.lines().filter_map(text_of_valgrind).any(|(_, text)| {
        text.starts_with(b"Memcheck, a memory error detector")
            || text == b"LEAK SUMMARY:"
            || Record::of(text).is_some()
    })
}

/// The process and the text of a line of valgrind's: `==6430== text`, with a time before the
/// process if that was asked for. An unfinished line of the program may come before it.
fn text_of_valgrind(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = line;
    loop {
        let at = rest.find("==")?;
        rest = &rest[at + 2..];
        let (origin, text) = rest.split_once_str("==")?;
        let pid = origin.rsplit_once_str(" ").map_or(origin, |(_time, pid)| pid);
        if is_digits(pid) {
            return Some((pid, text.strip_prefix(b" ").unwrap_or(text)));
        }
    }
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&LEAKS);
    let mut reader = MemcheckReader::default();
    let read = for_each_line(input, |number, line| match text_of_valgrind(line) {
        Some((pid, text)) => reader.line((number, pid), text, samples),
        None => Ok(()),
    });
    reader.finish(samples)?;
    read
}

#[derive(Default)]
struct MemcheckReader {
    processes: BTreeMap<Vec<u8>, Process>,
    /// The process of the last line, if that may be the title of an error.
    titled: Vec<u8>,
    /// What the summaries have in addition to the records, by kind.
    unlisted: [Amount; KINDS.len()],
    /// Errors with a stack that are not leaks.
    others: u64,
}

/// The state of a process, as lines of several processes may be mixed.
#[derive(Default)]
struct Process {
    record: Option<Record>,
    stack: LeafFirst,
    /// The last line of the stack: the next one shows whether its function is inlined.
    last: Vec<u8>,
    /// The sums of the records since the last summary, by kind.
    listed: [Amount; KINDS.len()],
    /// How often it was searched for leaks: a debugger may ask for it.
    searches: u64,
}

/// Blocks that were allocated with one stack and lost in one way.
#[derive(Debug, PartialEq)]
struct Record {
    kind: usize,
    amount: Amount,
}

impl MemcheckReader {
    fn line(
        &mut self,
        (number, pid): (u64, &[u8]),
        text: &[u8],
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let process = self.processes.get_mut(pid);
        if let Some(call) = call(text) {
            match process.filter(|process| process.record.is_some()) {
                Some(process) => {
                    process.push_last(call, samples);
                    process.last.extend_from_slice(call);
                }
                // A second stack of an error shows where its block was allocated, and does not
                // count.
                None => self.others += u64::from(self.titled == pid),
            }
            self.titled.clear();
            return Ok(());
        }
        self.titled.clear();
        if let Some(process) = process {
            process.end_record(pid, samples)?;
        }
        if let Some(record) = Record::of(text) {
            self.processes.entry(pid.to_vec()).or_default().record = Some(record);
        } else if text.contains_str(" in loss record ") {
            samples.malformed(number, "expected the bytes, blocks and kind of a leak");
        } else if text == b"LEAK SUMMARY:" {
            if let Some(process) = self.processes.get_mut(pid) {
                process.searches += 1;
            }
        } else if let Some(total) = Record::of_summary(text) {
            let listed = self.processes.get_mut(pid).map(|it| &mut it.listed[total.kind]);
            let listed = listed.map(std::mem::take).unwrap_or_default();
            self.unlisted[total.kind].add(total.amount.without(listed));
        } else if !text.is_empty() && !text.starts_with(b" ") {
            self.titled.extend_from_slice(pid);
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        let mut again = 0;
        for (pid, process) in &mut self.processes {
            process.end_record(pid, samples)?;
            again += process.searches.saturating_sub(1);
        }
        let what = "searches for leaks came after another one: leaks that both found count twice";
        samples.note_count(again, what);
        for (kind, amount) in KINDS.iter().zip(self.unlisted).filter(|(_, it)| !it.is_none()) {
            let hint = match *kind {
                "suppressed" => "",
                _ => ": --leak-check=full --show-leak-kinds=all prints them",
            };
            samples.note(format_args!("{kind}: {amount} have no stack{hint}"));
        }
        samples.note_count(self.others, "errors that are not leaks are not read");
        Ok(())
    }
}

impl Process {
    /// Adds the last line of the stack, which `caller` called.
    fn push_last(&mut self, caller: &[u8], samples: &mut Samples<'_>) {
        if !self.last.is_empty() {
            let inlined = is_inlined(&self.last, caller);
            self.stack.push(&Frame { inlined, ..frame(&self.last) }, samples);
            self.last.clear();
        }
    }

    fn end_record(&mut self, pid: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let Some(Record { kind, amount }) = self.record.take() else { return Ok(()) };
        self.push_last(b"", samples);
        self.listed[kind].add(amount);
        add(amount, KINDS[kind], pid, &mut self.stack, samples)
    }
}

/// The function in `   at 0x48417B4: malloc (in /usr/lib/...)` and `   by 0x1091CD: grow (a.c:7)`.
fn call(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_start();
    let call = text.strip_prefix(b"at ").or_else(|| text.strip_prefix(b"by "))?;
    call.starts_with(b"0x").then_some(call)
}

impl Record {
    /// Reads `1,040 (8 direct, 1,032 indirect) bytes in 1 blocks are definitely lost in loss record
    /// 2 of 4`; the numbers in parentheses may be missing.
    fn of(text: &[u8]) -> Option<Record> {
        let (text, _) = text.split_once_str(" in loss record ")?;
        let text = without_changes(text);
        let (amount, kind) = text.split_once_str(" blocks are ")?;
        let (bytes, blocks) = amount.split_once_str(" bytes in ")?;
        let bytes = match bytes.split_once_str(" (") {
            Some((_, direct)) => direct.split_once_str(" direct, ")?.0,
            None => bytes,
        };
        let amount = Amount { bytes: grouped(bytes)?, blocks: grouped(blocks)? };
        Some(Record { kind: kind_of(kind)?, amount })
    }

    /// Reads a line of the summary: `   definitely lost: 180,400 bytes in 400 blocks`, in old
    /// versions with more spaces and a full stop.
    fn of_summary(text: &[u8]) -> Option<Record> {
        let text = without_changes(text.trim_ascii());
        let (kind, amount) = text.split_once_str(": ")?;
        let amount = amount.trim_ascii_start().trim_end_with(|letter| letter == '.');
        let (bytes, blocks) = amount.strip_suffix(b" blocks")?.split_once_str(" bytes in ")?;
        let amount = Amount { bytes: grouped(bytes)?, blocks: grouped(blocks)? };
        Some(Record { kind: kind_of(kind)?, amount })
    }
}

fn kind_of(name: &[u8]) -> Option<usize> {
    KINDS.iter().position(|kind| kind.as_bytes() == name)
}

/// The text without `(+1,032)`: changes, which a second search for leaks prints.
fn without_changes(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once_str(" (") {
        kept.extend_from_slice(before);
        match after.split_once_str(")") {
            Some((_, after_change)) if is_change(after) => rest = after_change,
            _ => {
                kept.extend_from_slice(b" (");
                rest = after;
            }
        }
    }
    kept.extend_from_slice(rest);
    kept
}

/// Whether this begins with a number that has a sign.
fn is_change(text: &[u8]) -> bool {
    matches!(text, [b'+' | b'-', b'0'..=b'9', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_direct_bytes() {
        let record = |kind, bytes, blocks| Some(Record { kind, amount: Amount { bytes, blocks } });
        for (text, expected) in [
            (
                "180,400 bytes in 4 blocks are definitely lost in loss record 1 of 4",
                record(0, 180_400, 4),
            ),
            (
                "1,040 (8 direct, 1,032 indirect) bytes in 1 blocks are definitely lost in loss \
              record 2 of 4",
                record(0, 8, 1),
            ),
            (
                "48 (+48) (8 (+8) direct, 40 (+40) indirect) bytes in 1 (+1) blocks are possibly \
              lost in loss record 1 of 1",
                record(2, 8, 1),
            ),
            (
                "7 (-1) bytes in 1 (+0) blocks are still reachable in loss record 1 of 1",
                record(3, 7, 1),
            ),
            ("7 bytes in 1 blocks are found in loss record 1 of 1", None),
            ("7 bytes in 1 blocks are definitely lost", None),
        ] {
            assert_eq!(Record::of(text.as_bytes()), expected, "{text}");
        }
        let summary = Record::of_summary(b"     suppressed: 1,000 (+0) bytes in 3 (+0) blocks");
        assert_eq!(summary, record(4, 1000, 3));
        let old = Record::of_summary(b"   possibly lost:   7 bytes in 1 blocks.");
        assert_eq!(old, record(2, 7, 1));
    }

    #[test]
    fn lines_of_valgrind_may_follow_output() {
        for (line, expected) in [
            ("==7== text", Some(("7", "text"))),
            ("==7==", Some(("7", ""))),
            ("==00:00:00:01.250 7==  text", Some(("7", " text"))),
            ("done == 3 ==7== a == b", Some(("7", "a == b"))),
            ("== 7 ==", None),
            ("a == b", None),
        ] {
            let found = text_of_valgrind(line.as_bytes());
            let expected = expected.map(|(pid, text)| (pid.as_bytes(), text.as_bytes()));
            assert_eq!(found, expected, "{line}");
        }
    }
}
