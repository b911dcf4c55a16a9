//! Demangles the names of frames.

mod auto_stamps;
mod brackets;
mod exact;
mod frame;
mod frame_map;
mod rename;
mod stamps;

use std::process::ExitCode;

use clap::Parser;
use common::{Files, Pipe, Result, Status};

use exact::ExactArgs;
use frame_map::FrameMap;
use rename::NameArgs;

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
    exact: ExactArgs,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_demangle)
}

fn stack_demangle(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let functions = args.exact.functions(pipe);
    let rename = |frame: &[u8], stamps, out: &mut Vec<u8>| {
        args.names.rename(frame, &functions, stamps, out);
    };
    match args.names.stamps.for_each_name() {
        Some(stamps) => {
            let mut frames = FrameMap::default();
            pipe.filter(&args.files, |line, pipe| {
                functions.weigh(&line);
                let stack = frames.rewrite(line.stack, |frame, out| rename(frame, stamps, out));
                pipe.replace(&line, stack)
            })?;
        }
        None => auto_stamps::filter(&args.files, pipe, |line| functions.weigh(line), rename)?,
    }
    functions.finish(pipe);
    Ok(pipe.status())
}
