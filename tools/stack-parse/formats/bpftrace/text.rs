//! The text that bpftrace prints by default.
//!
//! ```text
//! @cpu[
//!     vfs_read+187
//!     entry_SYSCALL_64_after_hwframe+118
//! ,
//!     __libc_read+76
//!     main+267
//! , 13717, demo]: 3
//! @[]: 353
//! ```

use bstr::ByteSlice;
use common::Result;

use super::entry::MapEntry;
use super::frame::{is_bare_frame, is_frame};
use crate::samples::Samples;

/// The event of stacks that `printf` printed.
const PRINTF: &[u8] = b"printf";

/// The state between two lines.
#[derive(Debug, Default)]
pub(super) struct Text {
    entry: MapEntry,
    /// The map of the entry that is being read, `@cpu`, and the number of its first
    /// line; `None` outside of entries.
    map: Option<(Vec<u8>, u64)>,
    /// The number of empty lines after the only stack of a printed text. Another stack of the same
    /// text may follow.
    blank_lines: usize,
    /// Whether an empty line separates the name from the stacks.
    is_name_apart: bool,
    /// The event of the last entry.
    event: Vec<u8>,
    has_stats: bool,
}

/// `Attaching 2 probes...` or, since version 0.24, `Attached 2 probes`.
pub(super) fn is_start(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"Attaching ").or_else(|| line.strip_prefix(b"Attached "));
    rest.is_some_and(|rest| rest.contains_str(" probe"))
}

/// `@[`, `@cpu[demo, `
pub(super) fn is_entry(line: &[u8]) -> bool {
    map_and_key(line).is_some_and(|(_, key)| key.is_some())
}

/// The map of a line such as `@cpu[demo, ` or `@total: 44`, and what follows `[`.
fn map_and_key(line: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let name = line.strip_prefix(b"@")?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = 1 + name.iter().position(|byte| !is_name(byte))?;
    match line[end..] {
        [b'[', ref key @ ..] => Some((&line[..end], Some(key))),
        [b':', b' ', ..] => Some((&line[..end], None)),
        _ => None,
    }
}

/// Whether a line ends an entry: `demo]: 3`.
fn ends_entry(line: &[u8]) -> bool {
    line.rsplit_once_str("]:").is_some_and(|(_, value)| matches!(value, [] | [b' ', ..]))
}

impl Text {
    /// Reads a line.
    pub(super) fn line(
        &mut self,
        number: u64,
        line: &[u8],
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        if let Some((map, key)) = map_and_key(line) {
            self.finish(samples)?;
            let Some(key) = key else {
                samples.note(format_args!("map {} has no stacks, it is left out", map.as_bstr()));
                return Ok(());
            };
            self.map = Some((map.to_vec(), number));
            self.entry.clear();
            return self.key_line(number, key, samples);
        }
        match self.map {
            Some(_) if is_frame(line) => self.entry.push_frame(line),
            // Parts of a key after a stack begin with a comma, and its end with a bracket.
            Some(_) if is_bare_frame(line) && !ends_entry(line) => self.entry.push_frame(line),
            Some(_) => return self.key_line(number, line, samples),
            None => return self.printed_line(line, samples),
        }
        Ok(())
    }

    /// Whether the next line is part of a map's entry.
    pub(super) fn is_in_entry(&self) -> bool {
        self.map.is_some()
    }

    /// Ends the current entry: a map's is incomplete and reported, printed stacks are added.
    pub(super) fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        match self.map.take() {
            Some((_, number)) => {
                samples.malformed(number, "expected ']: ' at the end of a map's entry");
            }
            None => self.add_printed(samples)?,
        }
        self.entry.clear();
        Ok(())
    }

    /// Reads a part of a key that is no frame: `, 13717, demo]: 1`.
    fn key_line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        self.entry.end_stack();
        let (words, value) = match line.rsplit_once_str("]:") {
            Some((words, value)) => (words, Some(value)),
            None => (line, None),
        };
        // The blank after the last comma may be lost, too.
        let words = words.strip_suffix(b", ").or(words.strip_suffix(b",")).unwrap_or(words);
        words.split_str(", ").for_each(|word| self.entry.push_word(word.trim_ascii_end()));
        let Some(value) = value else { return Ok(()) };
        let Some((map, _)) = self.map.take() else { return Ok(()) };
        match self.weight(value.trim_ascii(), samples) {
            Ok(weight) => self.add(&map, weight, samples),
            Err(why) => {
                self.entry.clear();
                samples.skipped.add(number, why);
                Ok(())
            }
        }
    }

    /// The value of an entry: `3` of count() and sum(), or that of stats():
    /// `count 4, average 1, total 4`.
    fn weight(&mut self, value: &[u8], samples: &mut Samples<'_>) -> Result<u64, &'static str> {
        let total = value.rsplit_once_str(", total ");
        if total.is_some() && !std::mem::replace(&mut self.has_stats, true) {
            samples.note("the weight of stats() is its total");
        }
        let number = total.map_or(value, |(_, total)| total);
        match number.to_str().map(str::parse) {
            Ok(Ok(weight)) => Ok(weight),
            _ if value.is_empty() => {
                Err("expected a number, found a histogram: use count() or sum()")
            }
            _ if number.starts_with(b"-") => Err("expected a number that is not negative"),
            _ => Err("expected a number: use count() or sum()"),
        }
    }

    /// Adds the entry of a map.
    pub(super) fn add(&mut self, map: &[u8], weight: u64, samples: &mut Samples<'_>) -> Result<()> {
        if self.event != map {
            // bpftrace does not print what is counted.
            samples.events.announce(map, b"");
            self.event = map.to_vec();
        }
        let added = self.entry.add(map, weight, samples);
        self.entry.clear();
        added
    }

    /// Reads the key of a map in JSON. Its parts are separated by `,` without a blank.
    pub(super) fn json_key(&mut self, key: &[u8]) {
        self.entry.clear();
        for line in key.split_str("\n") {
            if is_frame(line) {
                self.entry.push_frame(line);
            } else {
                self.entry.end_stack();
                line.split_str(",").for_each(|word| self.entry.push_word(word.trim_ascii_end()));
            }
        }
    }

    /// Reads a line of what `printf("%s %d %s\n%s\n", comm, pid, kstack, ustack)` prints:
    ///
    /// ```text
    /// demo 15320
    ///         vfs_read+187
    ///         entry_SYSCALL_64_after_hwframe+118
    ///
    ///
    ///         __libc_read+76
    ///         main+267
    ///
    /// ```
    fn printed_line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if is_frame(line) || is_bare_frame(line) {
            if self.blank_lines > 0 && !self.may_have_two_stacks() {
                self.add_printed(samples)?;
            }
            self.blank_lines = 0;
            self.entry.push_frame(line);
        } else if line.is_empty() {
            return self.blank_line(samples);
        } else if line.trim_ascii().is_empty() && self.entry.has_frames() {
            // Between two stacks.
            self.entry.end_stack();
        } else {
            self.add_printed(samples)?;
            self.entry.clear();
            let words = line.trim_ascii();
            let (name, pid) = words.rsplit_once_str(" ").unwrap_or((b"", words));
            if !is_start(line) && pid.iter().all(u8::is_ascii_digit) {
                self.entry.push_word(name.trim_ascii());
                self.entry.push_word(pid);
            } else if !is_start(line) {
                self.entry.push_word(words);
            }
        }
        Ok(())
    }

    /// Reads an empty line of what `printf` prints: each stack begins and ends with one.
    fn blank_line(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if !self.entry.has_frames() {
            self.is_name_apart = self.entry.is_named();
            return Ok(());
        }
        self.entry.end_stack();
        self.part_samples(samples)?;
        if self.entry.stacks() > 1 {
            return self.add_printed(samples);
        }
        self.blank_lines += 1;
        Ok(())
    }

    /// Two stacks without a name that both look like the kernel's are two samples: adds the first.
    fn part_samples(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.entry.is_named() || self.entry.stacks() < 2 || !self.entry.is_all_kernel() {
            return Ok(());
        }
        let second = self.entry.split_off_stack();
        self.add_one(samples)?;
        self.entry = second;
        Ok(())
    }

    /// Whether the stack that begins may be of the same sample as the one before. If a name is
    /// printed right before each sample, it may. Otherwise the first stack must be the kernel's,
    /// with two empty lines after it. A name above an empty line does not count: it may be a
    /// greeting of the script.
    fn may_have_two_stacks(&self) -> bool {
        let is_named = self.entry.is_named() && !self.is_name_apart;
        is_named || self.blank_lines == 2 && self.entry.is_all_kernel()
    }

    /// Adds what `printf` printed.
    fn add_printed(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if !self.entry.has_frames() {
            return Ok(());
        }
        self.entry.end_stack();
        self.part_samples(samples)?;
        self.add_one(samples)
    }

    /// Adds what `printf` printed as one sample.
    fn add_one(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        (self.blank_lines, self.is_name_apart) = (0, false);
        samples.events.announce(PRINTF, b"samples");
        let added = self.entry.add(PRINTF, 1, samples);
        self.entry.clear();
        added
    }
}
