//! Sum equal stacks.

use std::process::ExitCode;

use clap::Parser;
use common::{Files, Limit, Pipe, Result, StackCounts, Status};

/// Sum equal stacks and sort them, such as those that a filter made equal
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// Put the name of its file above each stack, as its root
    #[arg(long)]
    by_file: bool,
}

fn main() -> ExitCode {
    common::run(stack_merge)
}

fn stack_merge(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let counts = if args.by_file {
        count_by_file(&args.files, pipe)?
    } else {
        pipe.count_folded(&args.files, Limit::EachStack)?
    };
    pipe.write_header()?;
    pipe.write_counts(counts)?;
    Ok(pipe.status())
}

/// Counts the stacks of each file below a root of the file's name.
fn count_by_file(files: &Files, pipe: &mut Pipe) -> Result<StackCounts> {
    let mut counts = StackCounts::default();
    pipe.for_each_folded_by_file(files, |line| {
        counts.add(line.stack, line.count);
        Ok(())
    })?;
    pipe.leave_out(counts.overflows());
    Ok(counts)
}
