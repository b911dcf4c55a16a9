//! Frames to readable names.

mod brackets;
mod frame;
mod names;
mod normalize;
mod stamps;

use std::process::ExitCode;

use clap::Parser;
use common::{Files, FrameMap, Pipe, Result, Status};

use names::NameArgs;

/// Demangle the names in folded stacks: OCaml, Rust and C++
///
/// Without a language option every language is demangled; a name that is not
/// mangled stays as it is.
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    names: NameArgs,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_demangle)
}

fn stack_demangle(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let mut frames = FrameMap::default();
    pipe.filter(&args.files, |line, pipe| {
        let stack = frames.rewrite(line.stack, |frame, out| args.names.rename(frame, out));
        pipe.replace(&line, stack)
    })?;
    Ok(pipe.status())
}
