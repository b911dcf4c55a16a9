//! The text of `jfr print`.
//!
//! ```text
//! jdk.ExecutionSample {
//!   startTime = 09:10:38.568 (2026-11-25)
//!   sampledThread = "main" (javaThreadId = 1)
//!   state = "STATE_RUNNABLE"
//!   stackTrace = [
//!     java.util.ArrayList.grow() line: 244
//!     Demo.main(String[]) line: 11
//!     ...
//!   ]
//! }
//! ```
//!
//! Times, durations and sizes are rounded.

use std::io::{self, BufRead};

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::decimal};

use super::event::{PrintedEvent, time};
use super::{EventNames, Print};
use crate::format::Head;
use crate::read::lines::for_each_line;
use crate::samples::Samples;

/// Whether an input begins with an event.
pub(super) fn is_print(head: &Head<'_>) -> bool {
    let mut lines = head.lines().skip_while(|line| line.is_empty());
    let is_event = lines.next().is_some_and(|line| event(line).is_some());
    // Contexts of the thread may come first: `  Context: Order.id = 7`.
    let fields = lines.take_while(|line| line.starts_with(b"  "));
    is_event && fields.take(MOST_CONTEXTS).any(|line| line.starts_with(b"  startTime = "))
}

/// How many lines of an event are searched for its time, before which only contexts come.
const MOST_CONTEXTS: usize = 20;

/// The name of the event that a line begins: `jdk.ExecutionSample {`.
fn event(line: &[u8]) -> Option<&[u8]> {
    let name = line.strip_suffix(b" {")?;
    (!name.is_empty() && !name.contains(&b' ')).then_some(name)
}

/// Finds the names of events with stacks and with durations.
pub(super) fn names(text: &mut impl BufRead) -> io::Result<EventNames> {
    let (mut names, mut name, mut line) = (EventNames::default(), Vec::new(), Vec::new());
    while text.read_until(b'\n', &mut line)? > 0 {
        let text = line.trim_ascii_end();
        let of = if text == b"  stackTrace = [" {
            Some(&mut names.stacked)
        } else if text.starts_with(b"  duration = ") {
            Some(&mut names.timed)
        } else {
            if let Some(event) = event(text) {
                name.clear();
                name.extend_from_slice(event);
            }
            None
        };
        if let Some(of) = of.filter(|of| !of.contains(&name)) {
            of.insert(name.clone());
        }
        line.clear();
    }
    Ok(names)
}

/// Reads all events.
pub(super) fn read(input: &mut Input, print: &mut Print, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader =
        TextReader { print, event: PrintedEvent::default(), is_open: false, in_stack: false };
    let read = for_each_line(input, |number, line| reader.line(number, line, samples));
    reader.end_event(samples)?;
    read
}

struct TextReader<'p> {
    print: &'p mut Print,
    event: PrintedEvent,
    /// Whether an event has begun.
    is_open: bool,
    in_stack: bool,
}

impl TextReader<'_> {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(name) = event(line) {
            self.end_event(samples)?;
            self.is_open = true;
            self.event.name.extend_from_slice(name);
        } else if !self.is_open {
            if !line.trim_ascii().is_empty() {
                samples.skipped.add(number, "expected an event of 'jfr print'");
            }
        } else if line == b"}" {
            self.end_event(samples)?;
        } else if self.in_stack {
            self.frame(number, line.trim_ascii(), samples);
        } else if let Some((key, value)) =
            line.strip_prefix(b"  ").and_then(|field| field.split_once_str(" = "))
        {
            self.field(key, value, samples);
        }
        Ok(())
    }

    fn end_event(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.in_stack = false;
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        self.print.add(&mut self.event, samples)
    }

    /// Reads a field. Keys of nested fields begin with spaces, so they match nothing here.
    fn field(&mut self, key: &[u8], value: &[u8], samples: &Samples<'_>) {
        match key {
            b"stackTrace" => self.in_stack = value == b"[",
            b"startTime" => self.event.time = time(value),
            b"eventThread" | b"sampledThread" => self.thread(value),
            _ if self.event.set_number(key, value) => {}
            _ if value != b"N/A" => self.event.set_label(key, label(value), samples),
            _ => {}
        }
    }

    /// `"main" (javaThreadId = 1)`, `"VM Thread" (osThreadId = 4711)`; a name may have quotation
    /// marks, and a virtual thread has `, virtual` after its number.
    fn thread(&mut self, value: &[u8]) {
        let parts = value.strip_prefix(b"\"").and_then(|it| it.rsplit_once_str("\" ("));
        let Some((name, id)) = parts else { return };
        self.event.thread = name.to_vec();
        let id = id.split_once_str(" = ").map_or(&b""[..], |(_, id)| id);
        let digits = id.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.event.tid = id[..digits].to_vec();
    }

    /// `java.util.ArrayList.add(Object, Object[], int) line: 454`, `java.lang.Thread.sleep(long)`
    fn frame(&mut self, number: u64, text: &[u8], samples: &mut Samples<'_>) {
        match text {
            b"]" => return self.in_stack = false,
            b"..." => return self.event.is_cut = true,
            _ => {}
        }
        let Some((function, rest)) = text.split_once_str("(") else {
            return samples.malformed(number, "expected a method and its line");
        };
        let line = rest.rsplit_once_str(") line: ").and_then(|(_, line)| decimal(line));
        let parts = function.rsplit_once_str(".").unwrap_or((b"", function));
        self.event.push(parts, line.unwrap_or_default(), b"", samples);
    }
}

/// `byte[]` of `byte[] (classLoader = bootstrap)`, `STATE_RUNNABLE` with quotation marks.
fn label(value: &[u8]) -> &[u8] {
    let value = value.split_once_str(" (classLoader = ").map_or(value, |(class, _)| class);
    value.strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\"")).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_print_begins_with_an_event() {
        for (text, expected) in [
            ("jdk.ThreadSleep {\n  startTime = 09:10:38.205\n", true),
            ("\ndemo.Shop$Order {\n  startTime = 09:10:38.205\n}\n", true),
            ("a.B {\n  Context: Order.id = 7\n  startTime = 09:10:38.205\n", true),
            ("class Demo {\n  startTime = 1;\n", false),
            ("jdk.ThreadSleep {\n}\n", false),
            ("", false),
        ] {
            assert_eq!(is_print(&Head::new(text.as_bytes(), true, true)), expected, "{text}");
        }
    }

    #[test]
    fn names_tell_of_stacks_and_durations() {
        let text = "a.B {\n  stackTrace = [\n  ]\n}\n\na.C {\n  x = [\n  ]\n  duration = 1 s\n}\n";
        let names = names(&mut text.as_bytes()).expect("memory");
        let (stacked, timed) = ([b"a.B".to_vec()].into(), [b"a.C".to_vec()].into());
        assert_eq!(names, EventNames { stacked, timed });
    }
}
