//! Not yet written.

use std::process::ExitCode;

use clap::Parser;
use common::{Files, Pipe, Result, Status};

/// Not yet written
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_grep)
}

fn stack_grep(args: Args, pipe: &mut Pipe) -> Result<Status> {
    pipe.filter(&args.files, |line, pipe| pipe.pass(&line))?;
    Ok(pipe.status())
}
