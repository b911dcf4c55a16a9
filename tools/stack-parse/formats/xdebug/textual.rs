//! Lines of a trace of format 0: columns and arrows.

use bstr::ByteSlice;
use common::numbers::decimal;

use super::{Call, Row, TraceLine, time_and_memory};

/// The width of the column that `xdebug.show_mem_delta` of Xdebug 2 adds before calls.
const DELTA: usize = 8;

/// The state while a trace is read.
#[derive(Default)]
pub(super) struct Textual {
    /// Whether calls have a column for the memory that was added; returns leave it blank.
    has_deltas: bool,
}

impl Textual {
    /// Parses a line; `Some(None)` if it has no time, `None` if it does not belong to a trace.
    pub(super) fn row<'a>(&mut self, line: &'a [u8]) -> Option<Option<Row<'a>>> {
        let text = line.trim_ascii_start();
        // The assignment of a variable.
        if text.starts_with(b"=> ") {
            return Some(None);
        }
        let (time, rest) = text.split_once_str(" ")?;
        let rest = rest.trim_ascii_start();
        let (memory, rest) = rest.split_once_str(" ").unwrap_or((rest, b""));
        let (time, memory) = time_and_memory(time, memory)?;
        let event = if rest.is_empty() { Some(TraceLine::End) } else { self.event(rest) };
        Some(Some((time, memory, event?)))
    }

    /// `    -> fib($n = 9) /srv/demo.php:4`, `     +320     -> ..`, `     >=> 34`
    fn event<'a>(&mut self, rest: &'a [u8]) -> Option<TraceLine<'a>> {
        let mut rest = rest;
        let text = rest.trim_ascii_start();
        if matches!(text, [b'+' | b'-', b'0'..=b'9', ..]) {
            self.has_deltas = true;
            rest = text.split_once_str(" ")?.1;
        }
        let text = rest.trim_ascii_start();
        let blanks = rest.len() - text.len();
        if let Some(call) = text.strip_prefix(b"-> ") {
            return call_of(call, (blanks / 2) as u64);
        }
        let blanks = if self.has_deltas { blanks.saturating_sub(DELTA) } else { blanks };
        let level = (blanks / 2) as u64;
        text.starts_with(b">=>").then_some(TraceLine::Return { level, number: None })
    }
}

/// `fib($n = 9) /srv/demo.php:4`, `include(/srv/inc.php) /srv/demo.php:14`
fn call_of(text: &[u8], level: u64) -> Option<TraceLine<'_>> {
    // `f() /srv/a.php(13) : eval()'d code:1`
    let ends = text.rfind_iter(") ").find(|at| !text[at + 2..].starts_with(b": "));
    let (call, place) = ends.map_or((text, &b""[..]), |at| (&text[..at], &text[at + 2..]));
    // `{closure:/srv/a (b).php:7-7}($x = 1)`
    let end = match call.find("{closure:").and_then(|start| Some((start, call.find("(")?))) {
        Some((start, parenthesis)) if start < parenthesis => call.find("}(")? + 1,
        _ => call.find("(").unwrap_or(call.len()),
    };
    let (name, rest) = call.split_at(end);
    let arguments = rest.strip_prefix(b"(").unwrap_or(rest);
    let is_include = matches!(name, b"include" | b"include_once" | b"require" | b"require_once");
    let included = if is_include { arguments } else { b"" };
    let (file, line) = place.rsplit_once_str(":").unwrap_or((place, b""));
    let line = if line.is_empty() { None } else { decimal(line) };
    Some(TraceLine::Call(Call { level, number: None, name, included, file, line }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_taken_apart() {
        for (text, expected) in [
            ("fib($n = 9) /srv/demo.php:4", ("fib", "", "/srv/demo.php", Some(4))),
            ("f($x = 'a) b(c') /srv/a (b).php:4", ("f", "", "/srv/a (b).php", Some(4))),
            (
                "A::{closure:/srv/a (b).php:7-7}($x = 1) /srv/a.php:7",
                ("A::{closure:/srv/a (b).php:7-7}", "", "/srv/a.php", Some(7)),
            ),
            ("g($f = '{closure:x}(') /a.php:1", ("g", "", "/a.php", Some(1))),
            (
                "require_once(/srv/b.php) /a.php:1",
                ("require_once", "/srv/b.php", "/a.php", Some(1)),
            ),
            (
                "strrev($s = 'x') /srv/demo.php(13) : eval()'d code:1",
                ("strrev", "", "/srv/demo.php(13) : eval()'d code", Some(1)),
            ),
        ] {
            let Some(TraceLine::Call(call)) = call_of(text.as_bytes(), 2) else { panic!("{text}") };
            let found = [call.name, call.included, call.file].map(ByteSlice::as_bstr);
            let (name, included, file, line) = expected;
            assert_eq!(found, [name, included, file], "{text}");
            assert_eq!(call.line, line, "{text}");
        }
    }
}
