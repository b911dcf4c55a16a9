//! Hides frames that the reader did not write; their weight stays.

mod frame_set;
mod presets;
mod reroot;
mod rule;
mod rule_args;
mod rule_file;
mod rule_text;
mod rules;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use common::pipe::{Comments, HeldLines, Pipe, SeenFrames};
use common::stacks::{FrameTable, StackTree};
use common::{Result, Status, folded::FoldedLine, io::Files};

use crate::presets::NameParser;
use crate::rule_args::RuleArgs;
use crate::rules::Rules;

/// Hide frames by rules, run in the order in which they are given; weight never changes
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    rules: RuleArgs,

    /// With --drop-kind, the kinds are those of the frames in FILE, for an input that is a part of it
    #[arg(long, value_name = "FILE")]
    kinds_of: Option<PathBuf>,

    /// List the presets and exit
    #[arg(long)]
    list_presets: bool,

    /// With --list-presets, print a table for programs: preset, about, with tabs between them
    #[arg(long, requires = "list_presets")]
    tsv: bool,

    /// Print the rules of a preset, as --rules reads them, and exit
    #[arg(long, value_name = "NAME", value_parser = NameParser, hide_possible_values = true)]
    show_preset: Option<OsString>,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_collapse_frames)
}

fn stack_collapse_frames(args: Args, pipe: &mut Pipe) -> Result<Status> {
    if args.list_presets {
        return presets::list(args.tsv, pipe);
    }
    if let Some(name) = &args.show_preset {
        return presets::show(name, pipe);
    }
    let mut frames = FrameTable::default();
    let rules = args.rules.compile(&mut frames)?;
    let mut rules = Rules::new(rules, frames);
    if let Some(file) = &args.kinds_of {
        rules.tell_kinds(pipe.kinds_in(file)?);
    }
    let asks_kinds = rules.ask_kinds() && args.kinds_of.is_none();
    if rules.learns() {
        run_on_sums(&mut rules, asks_kinds, &args.files, pipe)?;
    } else if asks_kinds {
        run_on_held(&mut rules, &args.files, pipe)?;
    } else {
        let lines = pipe.lines(&args.files).comments(Comments::Pass);
        lines.each(|line, pipe| run_over(&mut rules, &line, pipe))?;
    }
    if pipe.wants_stats() {
        for rule in &rules.rules {
            pipe.note(format_args!("stats: {rule}"));
        }
    }
    Ok(pipe.status())
}

fn run_over(rules: &mut Rules, line: &FoldedLine<'_>, pipe: &mut Pipe) -> Result<()> {
    match rules.run(line) {
        Some(stack) => pipe.replace(line, stack),
        None => pipe.pass(line),
    }
}

/// Reads all stacks before it runs the rules: standard input cannot be read
/// twice. Lines of equal labels and stacks are summed.
fn run_on_sums(rules: &mut Rules, asks_kinds: bool, files: &Files, pipe: &mut Pipe) -> Result<()> {
    let (mut stacks, mut names) = (StackTree::default(), FrameTable::default());
    let mut frames = SeenFrames::default();
    let mut buffer = Vec::new();
    pipe.lines(files).comments(Comments::PassWithoutEnds).each(|line, _| {
        if asks_kinds {
            frames.add(&line);
        }
        stacks.add_stack(&mut names, line.labelled_stack(&mut buffer), line.count);
        Ok(())
    })?;
    pipe.leave_out(&stacks.overflows(StackTree::ROOT, &names));
    if asks_kinds {
        rules.tell_kinds(frames.into_kinds());
    }
    rules.learn(&stacks, &names)?;
    stacks.for_each_sorted(StackTree::ROOT, &names, |text, count| {
        run_over(rules, &FoldedLine::of_labelled_stack(text, count), pipe)
    })
}

/// Reads all lines before it runs the rules, since all frames together show their kinds.
fn run_on_held(rules: &mut Rules, files: &Files, pipe: &mut Pipe) -> Result<()> {
    let mut held = HeldLines::default();
    pipe.lines(files).comments(Comments::PassWithoutEnds).each(|line, _| {
        held.push(&line);
        Ok(())
    })?;
    rules.tell_kinds(held.kinds());
    held.iter().try_for_each(|line| run_over(rules, &line, pipe))
}
