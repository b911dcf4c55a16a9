//! Turn stacks around: leaf first.

use std::process::ExitCode;

use clap::Parser;
use common::pipe::{Comments, Pipe};
use common::{Result, Status, folded::StackBuf, io::Files};

/// Turn stacks around, leaf first, so that all calls of a function share a branch
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_reverse)
}

fn stack_reverse(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let mut stack = StackBuf::default();
    pipe.lines(&args.files).comments(Comments::Pass).each(|line, pipe| {
        stack.set(line.frames().rev());
        pipe.replace(&line, stack.as_bytes())
    })?;
    Ok(pipe.status())
}
