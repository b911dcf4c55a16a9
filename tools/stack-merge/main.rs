//! Sum equal stacks.

use std::process::ExitCode;

use clap::Parser;
use common::{Files, Limit, Pipe, Result, Status};

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
    let counts = pipe.count_folded(&args.files, Limit::EachStack)?;
    pipe.write_header()?;
    pipe.write_counts(counts)?;
    Ok(pipe.status())
}
