//! Which format an input is in, by its content.

use std::io;

use clap::ValueEnum;
use common::{FoldedLine, Input};

use crate::perf_script;

/// How much of an input is looked at, in bytes.
const SAMPLE_SIZE: usize = 64 * 1024;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The text that `perf script` prints
    PerfScript,
    /// Folded stacks, one a line: `main;work;leaf 12`
    Folded,
}

/// What the first bytes of an input say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    Known(Format),
    Empty,
    /// Nothing we know; the first line that is not empty.
    Unknown(Vec<u8>),
}

/// Looks at the start of an input, which stays to be read.
pub(crate) fn detect(input: &mut Input) -> io::Result<Detected> {
    let text = input.peek(SAMPLE_SIZE)?;
    // A line that is cut short says little.
    let whole = match memchr::memrchr(b'\n', text) {
        Some(end) if text.len() >= SAMPLE_SIZE => &text[..end],
        _ => text,
    };
    Ok(detect_text(whole))
}

fn detect_text(text: &[u8]) -> Detected {
    let lines =
        || text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let Some(first) = lines().find(|line| !line.trim_ascii().is_empty()) else {
        return Detected::Empty;
    };
    if is_perf_script(lines()) {
        return Detected::Known(Format::PerfScript);
    }
    // Folded comes last: much looks like a word and a number.
    let content = || lines().filter(|line| !line.is_empty() && !line.starts_with(b"# "));
    let folded = content().filter(|line| FoldedLine::parse(line).is_ok()).count();
    if folded > 0 && folded * 10 >= content().count() * 9 {
        return Detected::Known(Format::Folded);
    }
    Detected::Unknown(first.to_vec())
}

/// True if an event line has a time, or a frame follows what may be one.
fn is_perf_script<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut before: Option<&[u8]> = None;
    for line in lines {
        let event = perf_script::Header::parse(line);
        let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
        let is_frame = is_indented && perf_script::Frame::parse(line).is_some();
        if event.is_some_and(|event| event.time.is_some() && event.tid.is_some())
            || is_frame && before.is_none_or(|before| before.is_empty() || is_event_like(before))
        {
            return true;
        }
        if !line.starts_with(b"#") {
            before = Some(line);
        }
    }
    false
}

fn is_event_like(line: &[u8]) -> bool {
    perf_script::Header::parse(line).is_some()
        || perf_script::Header::of_thread_only(line).is_some()
        || !line.contains(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Detected {
        detect_text(text.as_bytes())
    }

    #[test]
    fn perf_script_is_known_by_times_or_frames() {
        for text in [
            "# ========\n# captured on\n\ndemo 1 2.3: 1 cycles:\n\t 10 f (/x)\n\n",
            "demo 1   2.5:          1 cycles:   561a fib+0x24 (/demo)\n",
            "demo 1 cpu-clock: \n\t 10 f (/x)\n",
            "demo 1 \n\t 10 f\n",
            "demo\n\t 10 f\n",
            "\n\t 10 f\n\t 12 g\n\n\n\t 10 f\n",
            "perf: some warning\ndemo 1 2.3: cycles:\n\t 10 f (/x)\n",
        ] {
            assert_eq!(detected(text), Detected::Known(Format::PerfScript), "{text:?}");
        }
    }

    #[test]
    fn folded_lines_are_known_by_their_counts() {
        for text in ["main;f 12\n", "# a comment\nmain 1\r\nmain;f 2", "a;operator new 7\n"] {
            assert_eq!(detected(text), Detected::Known(Format::Folded), "{text:?}");
        }
    }

    #[test]
    fn the_rest_is_unknown() {
        assert_eq!(detected("\n\n"), Detected::Empty);
        assert_eq!(detected(""), Detected::Empty);
        assert_eq!(detected("\nhello\nworld 1\n"), Detected::Unknown(b"hello".to_vec()));
    }
}
