//! Which format an input is in, by its content.

pub(crate) mod landmarks;
pub(crate) mod memtrace;
pub(crate) mod perf_script;

use std::fmt;
use std::io;

use clap::ValueEnum;
use common::{Error, FoldedLine, Input, Result};

use crate::samples::weight::Weight;

/// How much of an input is looked at, in bytes.
const SAMPLE_SIZE: usize = 64 * 1024;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The text that `perf script` prints
    PerfScript,
    /// A trace of OCaml's allocations by memtrace, versions 1 to 3
    Memtrace,
    /// The call tree of OCaml's landmarks, as JSON
    Landmarks,
    /// The call tree of OCaml's landmarks, as the text it prints
    LandmarksText,
    /// Folded stacks, one a line: `main;work;leaf 12`
    Folded,
}

impl Format {
    /// What can be weighed.
    fn weights(self) -> &'static [Weight] {
        use Weight::{Auto, Bytes, Period, Samples, Words};
        match self {
            Format::PerfScript | Format::Folded => &[Auto, Samples, Period],
            Format::Memtrace => &[Auto, Samples, Period, Words, Bytes],
            Format::Landmarks => &[Auto, Period, Bytes],
            Format::LandmarksText => &[Auto, Period],
        }
    }

    /// Checks that the format holds what is to be weighed.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] which says what it holds.
    pub(crate) fn check_weight(self, weight: Weight) -> Result<()> {
        if self.weights().contains(&weight) {
            return Ok(());
        }
        let known: Vec<_> = self.weights().iter().map(value_name).collect();
        let (format, weight) = (value_name(&self), value_name(&weight));
        let message = format!("--weight {weight}: {format} has only {}", known.join(", "));
        Err(Error::Usage(message))
    }
}

/// What the first bytes of an input say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    Known(Format),
    Empty,
    /// Nothing that can be read.
    Unknown {
        /// The first line that is not empty, at most so much as fits a message.
        first_line: String,
        /// What it seems to be.
        looks_like: Option<&'static str>,
    },
}

impl fmt::Display for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detected::Known(format) => write!(f, "it looks like {}", value_name(format)),
            Detected::Empty => f.write_str("the input is empty"),
            Detected::Unknown { first_line, looks_like } => {
                f.write_str("unknown format")?;
                if let Some(looks_like) = looks_like {
                    write!(f, ", it looks like {looks_like}")?;
                }
                let known: Vec<_> = Format::value_variants().iter().map(value_name).collect();
                write!(f, ", the first line is {first_line:?}; known are {}", known.join(", "))
            }
        }
    }
}

/// What a value is called on the command line.
fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// How other profilers' files begin: none of these can be read yet, but it
/// helps to hear what the file is.
const LOOKS: [(&[u8], &str); 27] = [
    (b"# To display the perf.data header", "perf report: run 'perf script' instead"),
    (b"\x7fELF", "an executable: stack-symbols lists its functions"),
    (&memtrace::MAGIC, "a CTF trace, but not memtrace's of version 1, 2 or 3"),
    (b"PERFILE2", "perf.data: run 'perf script' on it"),
    (b"FLR\0", "a Java flight recording"),
    (b"SIMPLEPERF", "simpleperf's own format: run report_sample.py on it"),
    (b"{", "JSON"),
    (b"[{", "a trace in JSON"),
    (b"<?xml", "XML, such as xctrace exports"),
    (b"Attaching ", "bpftrace"),
    (b"@", "bpftrace"),
    (b"CPU     ID", "DTrace"),
    (b"Analysis of sampling", "macOS sample"),
    (b"Full thread dump", "jstack"),
    (b"goroutine ", "a Go traceback"),
    (b"# callgrind format", "callgrind"),
    (b"events:", "callgrind"),
    (b"desc:", "massif"),
    (b"heap samples:", "a heap samples of gperftools"),
    (b"--- ", "a legacy samples of pprof"),
    (b"JAVA PROFILE ", "hprof"),
    (b"Thread 0x", "Python's faulthandler"),
    (b"COST CENTRE", "a GHC samples"),
    (b"v8-version,", "V8's log"),
    (b"Function Stack,", "VTune"),
    (b"#0 ", "gdb"),
    (b"TID ", "eu-stack"),
];

/// Looks at the start of an input, which stays to be read.
///
/// # Errors
///
/// What the system says.
pub(crate) fn detect(input: &mut Input) -> io::Result<Detected> {
    loop {
        let (bytes, is_all) = input.peek_more(SAMPLE_SIZE)?;
        let detected = detect_bytes(bytes, is_all && bytes.len() < SAMPLE_SIZE);
        // A live `perf script` may take its time until there is more.
        if is_all || matches!(detected, Detected::Known(Format::PerfScript)) {
            return Ok(detected);
        }
    }
}

fn detect_bytes(bytes: &[u8], is_whole: bool) -> Detected {
    if memtrace::is_trace(bytes) {
        return Detected::Known(Format::Memtrace);
    }
    // A line that is cut short says little.
    match memchr::memrchr(b'\n', bytes) {
        Some(end) if !is_whole => detect_text(&bytes[..end]),
        _ => detect_text(bytes),
    }
}

fn detect_text(text: &[u8]) -> Detected {
    let lines =
        || text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let Some(first) = lines().find(|line| !line.trim_ascii().is_empty()) else {
        return Detected::Empty;
    };
    if landmarks::is_json(text) {
        return Detected::Known(Format::Landmarks);
    }
    if lines().any(landmarks::is_call) {
        return Detected::Known(Format::LandmarksText);
    }
    // The header of a machine with many processors is longer than what is seen.
    if first.starts_with(b"# ========") || is_perf_script(lines()) {
        return Detected::Known(Format::PerfScript);
    }
    // Folded comes last: much looks like a word and a number.
    let content = || lines().filter(|line| !line.is_empty() && !line.starts_with(b"# "));
    let folded = content().filter(|line| FoldedLine::parse(line).is_ok()).count();
    if folded > 0 && folded * 10 >= content().count() * 9 {
        return Detected::Known(Format::Folded);
    }
    let looks = LOOKS.iter().find(|(start, _)| first.starts_with(start));
    Detected::Unknown {
        first_line: String::from_utf8_lossy(&first[..first.len().min(80)]).into_owned(),
        looks_like: looks.map(|(_, name)| *name),
    }
}

/// True if an event line has a time and a thread, if a line is a whole sample,
/// or if frames follow a line that is none, or a blank one.
fn is_perf_script<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut may_precede_frames = true;
    for line in lines {
        let frame = perf_script::FrameLine::parse(line);
        let is_frame = line.starts_with(b"\t") && frame.is_some();
        // ` ffffffff817554ea elf_load`, from `-F ip,sym` without call chains.
        let is_lone_frame = || {
            line.starts_with(b" ")
                && line.get(17) == Some(&b' ')
                && frame.is_some_and(|frame| frame.ip.len() >= 8)
        };
        let is_sample = || {
            perf_script::EventLine::parse(line).is_some_and(|event| {
                event.tid.is_some() && (event.time.is_some() || event.only_frame().is_some())
            })
        };
        if is_frame && may_precede_frames || !is_frame && (is_sample() || is_lone_frame()) {
            return true;
        }
        // bpftrace opens a stack with `@[`, and with `-f perf` has frames like perf's.
        if line.starts_with(b"@") {
            return false;
        }
        may_precede_frames = !line.starts_with(b"\t");
    }
    false
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
            "my demo \n\t 10 f\n",
            "cpu-clock: \n\t 10 f\n",
            "\n\t 10 f\n\t 12 g\n\n\n\t 10 f\n",
            " ffffffff817554ea elf_load\n     7facef0f4b70 _start\n",
            "   demo 18847          1 page-faults:  ffffffff817554ea elf_load ([kernel.kallsyms])\n",
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
        let said = |text: &str| detected(text).to_string();
        let bpftrace =
            "@[\n\tffffffff821ef666 do_syscall_64+70\n, \n\t7f4 read+76 (/lib/libc.so)\n]: 4\n";
        assert!(said(bpftrace).starts_with("unknown format, it looks like bpftrace, the first"));
        let hello = "unknown format, the first line is \"hello\"; known are perf-script, memtrace, \
                     landmarks, landmarks-text, folded";
        assert_eq!(said("\nhello\nworld 1\n"), hello);
    }
}
