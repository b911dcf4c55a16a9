//! Keeps the stacks in which a frame matches.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use common::{
    Files, FoldedLine, Frames, PatternSyntax, Pipe, Result, Status, Total, compile_patterns,
    read_whole,
};
use regex_automata::meta::Regex;

/// Keep the stacks in which a frame matches, as grep keeps lines
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    /// A regular expression that sees one frame at a time; with -e or -f, a FILE
    #[arg(required_unless_present_any = ["regexp", "file"])]
    pattern: Option<OsString>,

    #[command(flatten)]
    files: Files,

    /// Keep the stacks that do not match
    #[arg(short = 'v', long)]
    invert_match: bool,

    /// Take upper and lower case as equal
    #[arg(short, long)]
    ignore_case: bool,

    /// Take patterns as plain text, not as regular expressions
    #[arg(short = 'F', long)]
    fixed_strings: bool,

    /// Match whole words only
    #[arg(short, long)]
    word_regexp: bool,

    /// Print the weight of the matching stacks and its share, not the stacks
    #[arg(short, long)]
    count: bool,

    /// Also match this pattern
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<OsString>,

    /// Also match the patterns in this file, one a line; '-' is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Vec<PathBuf>,

    /// Only the leaf may match
    #[arg(long, conflicts_with = "root")]
    leaf: bool,

    /// Only the root may match
    #[arg(long)]
    root: bool,

    /// Match the whole stack as text, with ';' between the frames
    #[arg(long, conflicts_with_all = ["leaf", "root"])]
    stack: bool,

    /// The match must stand below a frame that matches this pattern
    #[arg(
        long,
        value_name = "PATTERN",
        allow_hyphen_values = true,
        conflicts_with_all = ["root", "stack"]
    )]
    under: Option<OsString>,
}

fn main() -> ExitCode {
    common::run(stack_grep)
}

fn stack_grep(mut args: Args, pipe: &mut Pipe) -> Result<Status> {
    let patterns = args.take_patterns()?;
    let selection = Selection::new(&args, &patterns)?;
    if args.count {
        return count(&args.files, &selection, pipe);
    }
    pipe.filter(&args.files, |line, pipe| {
        if selection.keeps(&line) {
            pipe.pass(&line)
        } else {
            pipe.drop_line(&line);
            Ok(())
        }
    })?;
    Ok(pipe.status())
}

/// Prints the weight of what matches, and its share of the weight read.
fn count(files: &Files, selection: &Selection, pipe: &mut Pipe) -> Result<Status> {
    let (mut kept, mut dropped) = (Total::default(), Total::default());
    pipe.for_each_folded(files, |line| {
        let total = if selection.keeps(&line) { &mut kept } else { &mut dropped };
        *total += line.count;
        Ok(())
    })?;
    pipe.count_written(kept);
    pipe.count_dropped(dropped);
    let all = kept.weight + dropped.weight;
    let share = if all > 0 { 100.0 * kept.weight as f64 / all as f64 } else { 0.0 };
    pipe.out().line(format!("{} {share:.2}%", kept.weight).as_bytes())?;
    Ok(pipe.status())
}

impl Args {
    /// The patterns of the operand, of -e and of -f. With -e or -f the first
    /// operand is a file, as with grep, and is moved to the files.
    fn take_patterns(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut given = std::mem::take(&mut self.regexp);
        match self.pattern.take() {
            Some(first) if !given.is_empty() || !self.file.is_empty() => {
                self.files.paths.insert(0, first.into());
            }
            pattern => given.extend(pattern),
        }
        let mut patterns: Vec<_> = given.iter().flat_map(|given| lines(given.as_bytes())).collect();
        for path in &self.file {
            let text = read_whole(path)?;
            // A file that is empty holds no pattern, an empty line holds one.
            if !text.is_empty() {
                patterns.extend(lines(text.strip_suffix(b"\n").unwrap_or(&text)));
            }
        }
        Ok(patterns)
    }
}

/// The patterns in a text, one on each line, as grep reads them.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    // A list from Windows ends lines with CR LF, and no folded line holds a CR.
    let lines = text.split(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec()).collect()
}

/// Which stacks are kept.
struct Selection {
    pattern: Regex,
    /// Which frames of the stack may match.
    position: Position,
    /// What a frame above the match must match, too.
    under: Option<Regex>,
    inverted: bool,
}

enum Position {
    Anywhere,
    Leaf,
    Root,
}

impl Selection {
    fn new(args: &Args, patterns: &[Vec<u8>]) -> Result<Selection> {
        let syntax = PatternSyntax {
            ignore_case: args.ignore_case,
            fixed_strings: args.fixed_strings,
            word_regexp: args.word_regexp,
            whole_stack: args.stack,
        };
        let under = args.under.as_ref().map(|under| compile_patterns([under.as_bytes()], syntax));
        Ok(Selection {
            pattern: compile_patterns(patterns.iter().map(Vec::as_slice), syntax)?,
            position: match args {
                Args { leaf: true, .. } => Position::Leaf,
                Args { root: true, .. } => Position::Root,
                _ => Position::Anywhere,
            },
            under: under.transpose()?,
            inverted: args.invert_match,
        })
    }

    /// Whether the stack is kept.
    fn keeps(&self, line: &FoldedLine<'_>) -> bool {
        self.matches(line.stack) != self.inverted
    }

    fn matches(&self, stack: &[u8]) -> bool {
        let searched = match &self.under {
            Some(under) => below(under, stack),
            None => Some(stack),
        };
        let Some(searched) = searched else { return false };
        let searched = match self.position {
            Position::Anywhere => searched,
            Position::Leaf => Frames::new(searched).next_back().unwrap_or_default(),
            Position::Root => Frames::new(searched).next().unwrap_or_default(),
        };
        self.pattern.is_match(searched)
    }
}

/// The frames below the first one that matches, if there are any.
fn below<'a>(pattern: &Regex, stack: &'a [u8]) -> Option<&'a [u8]> {
    let found = pattern.find(stack)?;
    // A match ends in the frame in which it starts.
    let mut frames = Frames::new(&stack[found.end()..]);
    frames.next();
    frames.rest()
}
