//! The leaks that LeakSanitizer prints, which is part of AddressSanitizer too. Grammar from LLVM's
//! compiler-rt/lib/lsan/lsan_common.cpp and sanitizer_common/sanitizer_stacktrace_printer.cpp.
//!
//! ```text
//! ==6441==ERROR: LeakSanitizer: detected memory leaks
//!
//! Direct leak of 90100 byte(s) in 100 object(s) allocated from:
//!     #0 0x7f0075ab89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/a.cpp:69
//!     #1 0x556de64622b9 in grow(int) /src/mill.cpp:7:12
//!     #2 0x7f0075845249  (/usr/lib/libc.so.6+0x27249) (BuildId: 93ac90)
//!
//! SUMMARY: AddressSanitizer: 90100 byte(s) leaked in 100 allocation(s).
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal, is_digits};
use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::{Frame, known_name};
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::leaks::{Amount, LEAKS, add};
use crate::read::lines::for_each_line;
use crate::samples::Samples;

pub(super) const FORMAT: Format = Format::new(
    "lsan",
    "The leaks that LeakSanitizer prints, also as part of AddressSanitizer",
    detect,
    parse,
);

fn detect(head: &Head<'_>) -> bool {
    // Most texts have neither: a search of all lines at once is much faster.
    [" leak of ", "==ERROR: "].iter().any(|words| head.bytes.contains_str(words))
        && head
            .lines()
            .any(|line| report(line) == Some(b"LeakSanitizer") || Leak::of(line).is_some())
}

/// Which sanitizer begins a report: `==6441==ERROR: LeakSanitizer: detected memory leaks`.
fn report(line: &[u8]) -> Option<&[u8]> {
    let (_, rest) = line.split_once_str("==ERROR: ")?;
    let (name, _) = rest.split_once_str(": ")?;
    name.ends_with(b"Sanitizer").then_some(name)
}

/// Reads one input to its end. Other lines are the program's own.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&LEAKS);
    let mut reader = LsanReader::default();
    let read = for_each_line(input, |number, line| reader.line(number, line, samples));
    reader.finish(samples)?;
    read
}

#[derive(Default)]
struct LsanReader {
    pid: Vec<u8>,
    leak: Option<Leak>,
    stack: LeafFirst,
    /// The last line of the stack: the next one shows whether its function is inlined.
    last: Vec<u8>,
    /// The sum of the leaks since the last summary.
    listed: Amount,
    /// What the summaries have in addition to the leaks that were read.
    unlisted: Amount,
    /// Reports of other errors.
    others: u64,
    /// Whether the table of suppressions is being read; `suppressed` is what they left out.
    in_suppressions: bool,
    suppressed: Amount,
    /// How many stacks were kept, if no more could be.
    limit: Option<u64>,
    /// Threads that ran while leaks were searched.
    unsuspended: u64,
}

/// The leak of one stack: objects that were lost directly, or with another leak.
#[derive(Debug, PartialEq)]
struct Leak {
    kind: &'static str,
    amount: Amount,
}

impl Leak {
    /// Reads `Direct leak of 90100 byte(s) in 100 object(s) allocated from:`.
    fn of(line: &[u8]) -> Option<Leak> {
        let (kind, rest) = line.trim_ascii().split_once_str(" leak of ")?;
        let kind = match kind {
            b"Direct" => "direct",
            b"Indirect" => "indirect",
            _ => return None,
        };
        let (bytes, rest) = rest.split_once_str(" byte(s) in ")?;
        let (objects, _) = rest.split_once_str(" object(s) allocated from:")?;
        Some(Leak { kind, amount: Amount { bytes: decimal(bytes)?, blocks: decimal(objects)? } })
    }
}

/// Reads `SUMMARY: AddressSanitizer: 180400 byte(s) leaked in 400 allocation(s).`
fn summary(line: &[u8]) -> Option<Amount> {
    let (_, rest) = line.strip_prefix(b"SUMMARY: ")?.split_once_str(": ")?;
    let (bytes, rest) = rest.split_once_str(" byte(s) leaked in ")?;
    let (blocks, _) = rest.split_once_str(" allocation(s)")?;
    Some(Amount { bytes: decimal(bytes)?, blocks: decimal(blocks)? })
}

/// Reads `Too many leaks! Only the first 5000 leaks encountered will be reported.`
fn limit(line: &[u8]) -> Option<u64> {
    let (kept, _) = line
        .strip_prefix(b"Too many leaks! Only the first ")?
        .split_once_str(" leaks encountered will be reported.")?;
    decimal(kept)
}

impl LsanReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(call) = call(line) {
            if self.leak.is_some() {
                self.push_last(Some(&call), samples);
                self.last.extend_from_slice(line);
            }
            return Ok(());
        }
        self.end_leak(samples)?;
        if let Some(leak) = Leak::of(line) {
            self.leak = Some(leak);
        } else if line.trim_ascii().ends_with(b" object(s) allocated from:") {
            samples.malformed(number, "expected the bytes and objects of a leak");
        } else if let Some(total) = summary(line) {
            self.unlisted.add(total.without(std::mem::take(&mut self.listed)));
        } else if let Some(kept) = limit(line) {
            self.limit = Some(kept);
        } else if line.contains_str("was not suspended. False leaks are possible.") {
            self.unsuspended += 1;
        } else if line == b"Suppressions used:" {
            self.in_suppressions = true;
        } else if self.in_suppressions {
            self.suppression(line);
        } else if let Some(sanitizer) = report(line) {
            let pid = line.split_once_str("==ERROR: ").map_or(&b""[..], |(before, _)| before);
            self.pid = pid.rsplit_once_str("==").map_or(&b""[..], |(_, pid)| pid).to_vec();
            self.others += u64::from(sanitizer != b"LeakSanitizer");
        }
        Ok(())
    }

    /// Reads a line of the table: `      1        100 leaky_library`, after a title and before a
    /// line of hyphens.
    fn suppression(&mut self, line: &[u8]) {
        self.in_suppressions = !line.starts_with(b"---");
        let mut words = line.fields().map(decimal);
        if let (Some(Some(blocks)), Some(Some(bytes))) = (words.next(), words.next()) {
            self.suppressed.add(Amount { bytes, blocks });
        }
    }

    /// Adds the last line of the stack, which `caller` called.
    fn push_last(&mut self, caller: Option<&Frame<'_>>, samples: &mut Samples<'_>) {
        let last = std::mem::take(&mut self.last);
        if let Some(call) = call(&last) {
            // An inlined function has the address of its caller.
            let is_same = |it: &Frame<'_>| it.address == call.address && it.name != call.name;
            let inlined = caller.is_some_and(is_same);
            let name = known_name(call.name);
            self.stack.push(&Frame { inlined, name, ..call }, samples);
        }
        self.last = last;
        self.last.clear();
    }

    fn end_leak(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let Some(Leak { kind, amount }) = self.leak.take() else { return Ok(()) };
        self.push_last(None, samples);
        self.listed.add(amount);
        add(amount, kind, &self.pid, &mut self.stack, samples)
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.end_leak(samples)?;
        if !self.unlisted.is_none() {
            let what = "are in the summary and have no stack: LSAN_OPTIONS=max_leaks=0 prints all";
            samples.note(format_args!("{} {what}", self.unlisted));
        }
        if !self.suppressed.is_none() {
            samples.note(format_args!("suppressed: {} have no stack", self.suppressed));
        }
        if let Some(kept) = self.limit {
            samples.doubt(format_args!(
                "LeakSanitizer kept only the first {kept} stacks: other leaks are missing, in the \
                 summary too"
            ));
        }
        samples.note_counts(&[
            (self.unsuspended, "threads ran while leaks were searched: leaks may be false"),
            (self.others, "errors that are not leaks are not read"),
        ]);
        Ok(())
    }
}

/// A line of a stack: `    #1 0x556de64622b9 in grow(int) /src/mill.cpp:7:12`
fn call(line: &[u8]) -> Option<Frame<'_>> {
    let (number, rest) = line.trim_ascii().strip_prefix(b"#")?.split_once_str(" ")?;
    let rest = rest.trim_ascii();
    let (address, rest) = rest.split_once_str(" ").unwrap_or((rest, b""));
    if !is_digits(number) || !address.starts_with(b"0x") {
        return None;
    }
    let address = Some(hexadecimal(address)?);
    let rest = match rest.rsplit_once_str(" (BuildId: ") {
        Some((rest, _)) => rest,
        None => rest,
    };
    let function = rest.trim_ascii().strip_prefix(b"in ");
    let text = function.unwrap_or(rest).trim_ascii();
    let (name, place) = if function.is_some() { split_place(text) } else { (&b""[..], text) };
    let (object, offset, source) = match module(place) {
        Some((object, offset)) => (object, offset, &b""[..]),
        None => (&b""[..], None, place),
    };
    Some(Frame { address, name, object, offset, source, ..Frame::default() })
}

/// Splits a name from the place after it: `(/usr/lib/libc.so.6+0x27249)`, or a file and its line.
/// Its folders may have spaces if its path begins with `/`. Names of C++ have spaces.
fn split_place(text: &[u8]) -> (&[u8], &[u8]) {
    let of_module = || {
        let start = text.rfind(" (/").or_else(|| text.rfind(" ("));
        start.filter(|&at| module(&text[at + 1..]).is_some())
    };
    let start = of_module().or_else(|| text.find(" /")).or_else(|| text.rfind_byte(b' '));
    start.map_or((text, b""), |at| (text[..at].trim_ascii_end(), &text[at + 1..]))
}

/// `(/usr/lib/libc.so.6+0x27249)`, `(<unknown module>)`
fn module(place: &[u8]) -> Option<(&[u8], Option<u64>)> {
    let inside = place.strip_prefix(b"(")?.strip_suffix(b")")?;
    if inside == b"<unknown module>" {
        return Some((b"", None));
    }
    let (object, offset) = inside.rsplit_once_str("+0x")?;
    Some((object, Some(hexadecimal(offset)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_stack() {
        for (line, name, object, source) in [
            (
                "    #0 0x1 in f(int, char const*) /my src/a.cpp:7:12",
                "f(int, char const*)",
                "",
                "/my src/a.cpp:7:12",
            ),
            (
                "#10 0x1 in operator new(unsigned long) ../../asan/a.cpp:95",
                "operator new(unsigned long)",
                "",
                "../../asan/a.cpp:95",
            ),
            ("#1 0x1 in main (/bin/a b+0x12) (BuildId: 93ac)", "main", "/bin/a b", ""),
            ("#1 0x1 in std::f(int) (libx.so+0x12)", "std::f(int)", "libx.so", ""),
            ("#1 0x1  (/lib/libc.so.6+0x12)", "", "/lib/libc.so.6", ""),
            ("#1 0x1 (<unknown module>)", "", "", ""),
            ("#1 0x1 in main", "main", "", ""),
        ] {
            let call = call(line.as_bytes()).expect(line);
            let parts = [call.name, call.object, call.source].map(|it| it.to_str_lossy());
            assert_eq!(parts, [name, object, source], "{line}");
        }
        for line in ["#", "#0", "#0 f", "#a 0x1", "SUMMARY: #0 0x1"] {
            assert_eq!(call(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn leaks_and_their_sum() {
        let amount = Amount { bytes: 90_100, blocks: 100 };
        let leak = b"Indirect leak of 90100 byte(s) in 100 object(s) allocated from:";
        assert_eq!(Leak::of(leak), Some(Leak { kind: "indirect", amount }));
        assert_eq!(Leak::of(b"Strange leak of 1 byte(s) in 1 object(s) allocated from:"), None);
        let sum = b"SUMMARY: LeakSanitizer: 90100 byte(s) leaked in 100 allocation(s).";
        assert_eq!(summary(sum), Some(amount));
        assert_eq!(summary(b"SUMMARY: AddressSanitizer: heap-use-after-free a.c:7 in f"), None);
    }
}
