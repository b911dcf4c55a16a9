//! Keeps the stacks in which a frame matches.

mod color;
mod label;
mod of_kind;
mod per_file;
mod reading;
mod selection;
mod whole_names;

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use common::io::{Color, Files, read_whole};
use common::names::CodeKind;
use common::pattern::{PatternArgs, patterns_in, patterns_of};
use common::pipe::{Comments, Pipe};
use common::{Result, Status, folded::FoldedLine};

use crate::of_kind::OfKind;
use crate::per_file::CountStyle;
use crate::reading::each_line;
use crate::selection::Selection;

/// Keep the stacks in which a frame matches, as grep keeps lines
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    /// A regular expression that sees the name of one frame at a time; with -e, -f, --place,
    /// --label or --kind, a FILE
    #[arg(required_unless_present_any = ["regexp", "file", "place", "label", "kind"])]
    pattern: Option<OsString>,

    #[command(flatten)]
    files: Files,

    /// Keep the stacks that do not match
    #[arg(short = 'v', long)]
    invert_match: bool,

    #[command(flatten)]
    syntax: PatternArgs,

    /// Take patterns as extended regular expressions, as is the default
    #[arg(short = 'E', long, conflicts_with = "fixed_strings")]
    extended_regexp: bool,

    /// Print the weight of each file's matching stacks and its share, not the stacks
    #[arg(short, long)]
    count: bool,

    /// With --count, print a table for programs: file, weight, share, with tabs between them
    #[arg(long, requires = "count")]
    tsv: bool,

    /// With --count, print the name of the file even if there is only one
    #[arg(short = 'H', long, requires = "count", overrides_with = "no_filename")]
    with_filename: bool,

    /// With --count, print no names of files
    #[arg(long, requires = "count", overrides_with = "with_filename")]
    no_filename: bool,

    /// Print the names of the files with a matching stack, not the stacks
    #[arg(short = 'l', long, conflicts_with = "count")]
    files_with_matches: bool,

    /// Print the names of the files without a matching stack
    #[arg(short = 'L', long, conflicts_with_all = ["count", "files_with_matches"])]
    files_without_match: bool,

    /// Print nothing, and exit with 0 as soon as a stack matches
    #[arg(short, long)]
    quiet: bool,

    /// Stop reading a file after NUM matching stacks
    #[arg(short, long, value_name = "NUM", conflicts_with = "count")]
    max_count: Option<u64>,

    /// Show what matched in colour; WHEN is auto if not given, and never without this option
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true)]
    #[arg(default_value = "never", default_missing_value = "auto", hide_default_value = true)]
    color: Color,

    /// Also match this pattern
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<OsString>,

    /// Also match the patterns in this file, one a line; '-' is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Vec<PathBuf>,

    /// Match places, such as 'server.c:12' of 'read (server.c:12)'; with -e or -f, a frame must
    /// match both
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, conflicts_with = "stack")]
    place: Vec<OsString>,

    /// Keep lines with this label if all of its value matches, or with KEY>=NUMBER, KEY<NUMBER;
    /// several must all hold; a pattern for frames then needs -e
    #[arg(long, value_name = "KEY=PATTERN")]
    label: Vec<OsString>,

    /// Match frames of this kind of code, which all lines of a file show together, so that it is
    /// read whole first; with -e, -f or --place, a frame must match both
    #[arg(long, value_enum, value_name = "KIND", conflicts_with = "stack")]
    kind: Option<CodeKind>,

    /// With --kind, the kinds are those of the frames in FILE, for an input that is a part of it
    #[arg(long, value_name = "FILE", requires = "kind")]
    kinds_of: Option<PathBuf>,

    /// Only the leaf may match
    #[arg(long, conflicts_with = "root")]
    leaf: bool,

    /// Only the root may match
    #[arg(long)]
    root: bool,

    /// Match the whole stack as text, with ';' between the frames, with places and marks
    #[arg(long, conflicts_with_all = ["leaf", "root"])]
    stack: bool,

    /// The match must be below a frame that matches this pattern
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
    let hint = patterns.names.as_deref().and_then(whole_names::hint);
    let kind = of_kind(&args, pipe)?;
    let mut selection = Selection::new(&args, patterns, kind)?;
    // As grep: nothing is even opened, but all files are without a match.
    if args.max_count == Some(0) && !args.files_without_match {
        return Ok(Status::Nothing);
    }
    if args.quiet {
        return per_file::quiet(&args.files, &mut selection, pipe);
    }
    let status = if args.files_with_matches || args.files_without_match {
        per_file::list(&args.files, &mut selection, args.files_with_matches, pipe)
    } else if args.count {
        per_file::count(&args.files, &mut selection, args.count_style(), pipe)
    } else {
        keep(&args.files, &mut selection, args.color.is_wanted(), pipe)
    }?;
    let stats = pipe.stats();
    if let Some(hint) = hint
        && !args.invert_match
        && stats.read.lines > 0
        && stats.written.lines == 0
    {
        pipe.note(hint);
    }
    for remark in selection.remarks() {
        pipe.note(remark);
    }
    Ok(status)
}

/// The kind of code that is asked for.
fn of_kind(args: &Args, pipe: &mut Pipe) -> Result<Option<OfKind>> {
    let Some(kind) = args.kind else { return Ok(None) };
    let of_file = args.kinds_of.as_ref().map(|file| pipe.kinds_in(file)).transpose()?;
    Ok(Some(OfKind { kind, learns: of_file.is_none(), kinds: of_file.unwrap_or_default() }))
}

/// Writes the stacks that are kept.
fn keep(
    files: &Files,
    selection: &mut Selection,
    in_color: bool,
    pipe: &mut Pipe,
) -> Result<Status> {
    let mut painted = Vec::new();
    pipe.for_each_input(files, |input, pipe| {
        let mut rest = selection.max_count.unwrap_or(u64::MAX);
        each_line(selection, pipe, input, Comments::PassOfPart, |selection, line, pipe| {
            if !selection.keeps(line) {
                pipe.drop_line(line);
                return Ok(ControlFlow::Continue(()));
            }
            if in_color && !selection.inverted {
                color::paint(line.stack, &selection.matches_in(line.stack), &mut painted);
                pipe.pass(&FoldedLine { stack: &painted, ..*line })?;
            } else {
                pipe.pass(line)?;
            }
            rest -= 1;
            Ok(if rest == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    })?;
    Ok(pipe.status())
}

impl Args {
    /// How a count is printed: after the name of its file where there are several.
    fn count_style(&self) -> CountStyle {
        match self.with_filename || self.files.paths.len() > 1 && !self.no_filename {
            _ if self.tsv => CountStyle::Tsv,
            true => CountStyle::LineWithName,
            false => CountStyle::Line,
        }
    }

    /// The patterns for names, of the operand, of -e and of -f, and those for places. With -e, -f,
    /// --place, --label or --kind the first operand is a file, as with grep, and is moved to the
    /// files.
    fn take_patterns(&mut self) -> Result<Patterns> {
        let given = std::mem::take(&mut self.regexp);
        let has_names = !given.is_empty() || !self.file.is_empty();
        let places = patterns_in(&std::mem::take(&mut self.place));
        let mut names = patterns_in(&given);
        let has_others = !places.is_empty() || !self.label.is_empty() || self.kind.is_some();
        let has_patterns = has_names || has_others;
        match self.pattern.take() {
            Some(first) if has_patterns => {
                self.files.paths.insert(0, first.into());
            }
            pattern => names.extend(patterns_in(pattern.as_slice())),
        }
        for path in &self.file {
            let text = read_whole(path)?;
            // An empty file holds no pattern; an empty line is a pattern.
            if !text.is_empty() {
                names.extend(patterns_of(text.strip_suffix(b"\n").unwrap_or(&text)));
            }
        }
        let names = (has_names || !has_patterns).then_some(names);
        Ok(Patterns { names, places: (!places.is_empty()).then_some(places) })
    }
}

/// What a frame must match: one of the patterns for its name and one of those for its place. `None`
/// matches everything, an empty list nothing.
struct Patterns {
    names: Option<Vec<Vec<u8>>>,
    places: Option<Vec<Vec<u8>>>,
}
