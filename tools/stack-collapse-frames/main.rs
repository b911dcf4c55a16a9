//! Hide frames that the reader did not write, and keep their weight.

mod chain;
mod frame_set;
mod given;
mod presets;
mod reroot;
mod rule;
mod rule_file;
mod rule_text;

use std::process::ExitCode;

use clap::Parser;
use common::{Files, FoldedLine, FrameTable, Pipe, Result, StackTree, Status};

use crate::chain::Chain;
use crate::given::GivenRules;

/// Hide frames by rules, run in the order in which they are given; weight never changes
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    rules: GivenRules,

    /// List the presets and exit
    #[arg(long)]
    list_presets: bool,

    /// Print the rules of a preset, as --rules reads them, and exit
    #[arg(long, value_name = "NAME")]
    show_preset: Option<String>,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_collapse_frames)
}

fn stack_collapse_frames(args: Args, pipe: &mut Pipe) -> Result<Status> {
    if args.list_presets {
        return presets::list(pipe);
    }
    if let Some(name) = &args.show_preset {
        return presets::show(name, pipe);
    }
    let mut frames = FrameTable::default();
    let rules = args.rules.compile(&mut frames)?;
    let mut chain = Chain::new(rules, frames);
    if chain.learns() {
        run_twice(&mut chain, &args.files, pipe)?;
    } else {
        pipe.filter(&args.files, |line, pipe| run_over(&mut chain, &line, pipe))?;
    }
    if pipe.wants_stats() {
        for rule in &chain.rules {
            pipe.note(format_args!("stats: {rule}"));
        }
    }
    Ok(pipe.status())
}

fn run_over(chain: &mut Chain, line: &FoldedLine<'_>, pipe: &mut Pipe) -> Result<()> {
    match chain.run(line) {
        Some(stack) => pipe.replace(line, stack),
        None => pipe.pass(line),
    }
}

/// Holds all stacks, each once, since standard input cannot be read again.
fn run_twice(chain: &mut Chain, files: &Files, pipe: &mut Pipe) -> Result<()> {
    let (mut stacks, mut names) = (StackTree::default(), FrameTable::default());
    pipe.filter(files, |line, _| {
        stacks.add_stack(&mut names, line.stack, line.count);
        Ok(())
    })?;
    pipe.leave_out(&stacks.overflows(StackTree::ROOT, &names));
    chain.learn(&stacks, &names)?;
    stacks.for_each_sorted(StackTree::ROOT, &names, |stack, count| {
        run_over(chain, &FoldedLine { stack, count }, pipe)
    })
}
