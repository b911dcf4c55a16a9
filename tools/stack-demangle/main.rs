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
use common::io::{Files, Total};
use common::pipe::{Comments, Pipe};
use common::{Error, Result, Status, names::ocaml::Stamps};

use exact::ExactArgs;
use frame_map::FrameMap;
use rename::NameArgs;

/// Demangle the names in folded stacks: OCaml, Rust, C++ and Haskell
///
/// Without a language option every language is demangled; a name that is not
/// mangled stays as it is.
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    style: NameArgs,

    #[command(flatten)]
    exact: ExactArgs,

    /// Read names, one a line, instead of stacks, as c++filt does
    #[arg(long)]
    names: bool,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_demangle)
}

fn stack_demangle(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let functions = args.exact.functions(pipe);
    let rename = |frame: &[u8], stamps, out: &mut Vec<u8>| {
        args.style.rename(frame, &functions, stamps, out);
    };
    if args.names {
        demangle_names(&args, rename, pipe)?;
        return Ok(pipe.status());
    }
    match args.style.stamps.for_each_name() {
        Some(stamps) => {
            let mut frames = FrameMap::default();
            pipe.lines(&args.files).comments(Comments::Pass).each(|line, pipe| {
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

/// Writes a line for each name that comes in.
fn demangle_names(
    args: &Args,
    rename: impl Fn(&[u8], Stamps, &mut Vec<u8>),
    pipe: &mut Pipe,
) -> Result<()> {
    let stamps = args.style.stamps.for_each_name().ok_or_else(|| {
        Error::Usage("--stamps auto needs stacks: with --names, give it another value".to_owned())
    })?;
    let mut line = Vec::new();
    pipe.lines(&args.files).texts(|name, _, pipe| {
        line.clear();
        rename(name, stamps, &mut line);
        line.push(b'\n');
        let read = Total { lines: 1, weight: 0 };
        pipe.count_read(read);
        pipe.write_lines(&line, read)
    })
}
