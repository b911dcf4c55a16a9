//! What an input is that holds no folded stacks.
//!
//! stack-parse knows all formats, and it is beside every tool: it is asked once, with the
//! first bytes of the input, and only after lines that could not be read.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::io::{STDIN, unquoted};
use crate::{io::messages::tool, pipe::Pipe, shell, sibling};

/// How many of the first bytes are kept: as many as stack-parse looks at.
const HEAD_SIZE: usize = 64 * 1024;

/// With fewer bytes it is not asked before the input ends: the first block may be a line.
const LEAST: usize = 512;

/// How many inputs are described, as it takes a process for each.
const MOST_DESCRIBED: u8 = 3;

/// The start of the input that is being read.
#[derive(Debug)]
pub(super) struct Start {
    bytes: Vec<u8>,
    /// How many lines were read, and how many could not be, before this input.
    good: u64,
    bad: u64,
}

/// What stack-parse says of an input.
struct Answer {
    /// Empty if it cannot read it.
    format: String,
    about: String,
}

impl Pipe {
    /// Forgets the input before.
    pub(super) fn begin_input(&mut self) {
        self.start = Some(Start {
            bytes: Vec::new(),
            good: self.stats.read.lines,
            bad: self.messages.malformed_lines(),
        });
    }

    /// Keeps the first bytes of an input, of which this is the next block.
    pub(super) fn keep_start(&mut self, block: &[u8]) {
        if let Some(Start { bytes, .. }) = &mut self.start {
            let room = HEAD_SIZE.saturating_sub(bytes.len());
            bytes.extend_from_slice(&block[..block.len().min(room)]);
        }
    }

    /// Says what an input is if more of its lines are bad than good, once: fewer are damage. Before
    /// the end, the next line is bad, which is named after this.
    pub(super) fn describe_bad_input(&mut self, input: &str, has_ended: bool) {
        let Some(start) = &self.start else { return };
        let good = self.stats.read.lines - start.good;
        let bad = self.messages.malformed_lines() - start.bad + u64::from(!has_ended);
        if bad > good
            && (has_ended || start.bytes.len() >= LEAST)
            && let Some(what) = self.what_input_is(input)
        {
            self.note(format_args!("{input}: {what}"));
        }
    }

    /// What an input is that holds no folded stacks, and the command that reads it; `None`
    /// where that is not known, or was asked before.
    pub fn what_input_is(&mut self, input: &str) -> Option<String> {
        let start = self.start.take()?;
        if self.described == MOST_DESCRIBED {
            return None;
        }
        self.described += 1;
        let Some(Answer { format, about }) = ask_stack_parse(&start.bytes) else {
            return Some(format!("stack-parse writes folded stacks: {}", pipeline(input)));
        };
        match (&format[..], &about[..]) {
            ("folded", _) | ("", "unknown") => None,
            // More of it may have to be read to know what it is.
            ("", "JSON") => Some(format!("it is JSON, not folded stacks: {}", pipeline(input))),
            ("", about) => Some(format!("not folded stacks, it looks like {about}")),
            (format, _) => Some(format!("it is {format}, not folded stacks: {}", pipeline(input))),
        }
    }
}

/// What a file is that begins so, for a message: the format in which stack-parse reads it, or
/// what it looks like. `None` where that is not known.
#[must_use]
pub fn what_file_is(start: &[u8]) -> Option<String> {
    let Answer { format, about } = ask_stack_parse(&start[..start.len().min(HEAD_SIZE)])?;
    match (format.is_empty(), &about[..]) {
        (true, "unknown") => None,
        (true, _) => Some(about),
        (false, _) => Some(format!("{format}, which stack-parse reads")),
    }
}

/// Asks the stack-parse in the folder of this tool; `None` where there is none that answers.
fn ask_stack_parse(start: &[u8]) -> Option<Answer> {
    let mut child = Command::new(sibling("stack-parse")?)
        .args(["--detect", "--tsv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // It may have seen enough before it has read all; and the pipe is closed here, which ends
    // its input.
    let _ = child.stdin.take()?.write_all(start);
    let output = child.wait_with_output().ok()?;
    let row = output.stdout.split(|&byte| byte == b'\n').nth(1)?;
    let field = |field| String::from_utf8_lossy(&unquoted(field)).into_owned();
    let mut fields = row.split(|&byte| byte == b'\t').skip(1).map(field);
    Some(Answer { format: fields.next()?, about: fields.next()? })
}

/// The command that was typed, with stack-parse before it.
fn pipeline(input: &str) -> String {
    let words = std::env::args_os().skip(1);
    command(tool(), input, words, |word| Path::new(word).exists())
}

fn command(
    tool: &str,
    input: &str,
    words: impl Iterator<Item = OsString>,
    is_file: impl Fn(&OsString) -> bool,
) -> String {
    // What tools need beside stacks.
    let options = match tool {
        "stack-heat" => " --labels since",
        "stack-brief" => " --header --annotate --srcline",
        "stack-source" => " --srcline",
        _ => "",
    };
    let mut words: Vec<OsString> = words.collect();
    let file = if input == STDIN { String::new() } else { format!(" {}", shell::argument(input)) };
    // With other files, `-` says where among them the stacks of this one are.
    let has_others = words.iter().filter(|word| is_file(word)).count() > 1;
    match words.iter().position(|word| word == input) {
        Some(at) if has_others => words[at] = "-".into(),
        Some(at) => drop(words.remove(at)),
        None => {}
    }
    let words: Vec<String> =
        words.iter().map(|word| format!(" {}", shell::argument(&word.to_string_lossy()))).collect();
    format!("stack-parse{options}{file} | {tool}{}", words.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_has_what_was_typed() {
        for (tool, input, words, expected) in [
            ("stack-svg", "perf.data", "perf.data", "stack-parse perf.data | stack-svg"),
            ("stack-svg", STDIN, "--diff", "stack-parse | stack-svg --diff"),
            (
                "stack-grep",
                "my'app",
                "-v ^main my'app",
                r"stack-parse 'my'\''app' | stack-grep -v '^main'",
            ),
            ("stack-diff", "a.data", "a.data b.data", "stack-parse a.data | stack-diff - b.data"),
            ("stack-heat", "x", "x --by tid", "stack-parse --labels since x | stack-heat --by tid"),
            ("stack-source", "x", "x", "stack-parse --srcline x | stack-source"),
        ] {
            let words = words.split_whitespace().map(OsString::from);
            let is_file = |word: &OsString| word.to_string_lossy().ends_with(".data");
            assert_eq!(command(tool, input, words, is_file), expected);
        }
    }
}
