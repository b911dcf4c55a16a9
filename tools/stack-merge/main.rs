//! Sum equal stacks.

use std::process::ExitCode;

use clap::Parser;
use common::{Files, FrameTable, Pipe, Result, StackTree, Status};

/// Sum equal stacks and sort them, as a filter may make stacks equal
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_merge)
}

fn stack_merge(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let mut frames = FrameTable::default();
    let mut tree = StackTree::default();
    pipe.for_each_folded(&args.files, |line| tree.add_stack(&mut frames, line.stack, line.count))?;
    pipe.write_tree(&tree, &frames)?;
    Ok(pipe.status())
}
