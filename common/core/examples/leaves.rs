//! A filter of twenty lines: keeps the leaf of each stack, the function that was running.
//!
//! ```sh
//! printf 'main;parse;read 14\n' | cargo run -q --example leaves
//! ```

use std::process::ExitCode;

use clap::Parser;
use common::pipe::{Comments, Pipe};
use common::{Result, Status, io::Files};

/// Keep the leaf of each stack
#[derive(Parser)]
#[command(name = "leaves")]
struct Args {
    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(leaves)
}

fn leaves(args: Args, pipe: &mut Pipe) -> Result<Status> {
    pipe.lines(&args.files).comments(Comments::Pass).each(|line, pipe| {
        let leaf = line.frames().next_back().unwrap_or_default();
        pipe.replace(&line, leaf)
    })?;
    Ok(pipe.status())
}
