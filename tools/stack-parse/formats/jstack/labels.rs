//! Labels from the line of a thread: all but its name and its ids.

use bstr::ByteSlice;

use super::FORMAT;
use super::thread::Thread;
use crate::read::own_labels::OwnLabels;

/// The keys of numbers, some of which have a unit.
const KEYS: [&str; 6] = ["prio", "os_prio", "cpu", "elapsed", "allocated", "defined_classes"];

/// Words without a value: each becomes a label `true`.
const WORDS: [&str; 2] = ["daemon", "virtual"];

/// Adds the labels of a line such as
/// `"main" #1 daemon prio=5 os_prio=0 cpu=688.46ms elapsed=3.93s tid=0x7f9b nid=0x53c runnable`.
pub(super) fn add(line: &[u8], thread: &Thread, out: &mut OwnLabels) {
    out.clear();
    let after_name = line.strip_prefix(b"\"").map(|rest| rest.get(thread.name.len() + 1..));
    let rest = match after_name {
        Some(rest) => rest,
        None => line.rsplit_once_str("\"").map(|(_, rest)| rest),
    };
    // After its number comes what it waits for, which may name another thread.
    let is_number = |word: &&[u8]| word.starts_with(b"nid=") || word.starts_with(b"Id=");
    for word in rest.unwrap_or_default().fields().take_while(|word| !is_number(word)) {
        if WORDS.iter().any(|known| known.as_bytes() == word) {
            out.add(FORMAT.name, word, b"true");
        } else if let Some((key, value)) = word.split_once_str("=")
            && KEYS.iter().any(|known| known.as_bytes() == key)
        {
            out.add(FORMAT.name, key, &with_unit(value));
        }
    }
}

/// `3.93s` as `3.93 s`.
fn with_unit(value: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || b".-".contains(byte);
    let end = value.iter().position(|byte| !is_digit(byte)).unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let space: &[u8] = if number.is_empty() || unit.is_empty() { b"" } else { b" " };
    [number, space, unit].concat()
}
