//! Turns any profiler's output into folded stacks.

mod debuginfod;
mod folder;
mod format;
mod formats;
mod frame;
mod lists;
mod nameless;
mod options;
mod read;
mod remedies;
mod samples;
mod symbolize_args;

use std::process::ExitCode;

use clap::Parser;
use common::{Result, Status, io::Files, pipe::Pipe};

use formats::FormatArgs;
use lists::ListArgs;
use options::Options;
use samples::{Samples, SamplesArgs};

/// Turn any profiler's output into folded stacks, summed and sorted
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    lists: ListArgs,

    #[command(flatten)]
    samples: SamplesArgs,

    #[command(flatten)]
    options: Options,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_parse)
}

fn stack_parse(args: Args, pipe: &mut Pipe) -> Result<Status> {
    if args.lists.list_formats {
        return lists::formats(args.samples.tsv, pipe);
    }
    if args.lists.detect {
        return lists::detected(&args.files, args.samples.tsv, pipe);
    }
    args.options.objects.check(args.samples.to())?;
    // Most recordings come from perf script, which takes a while and prints nothing meanwhile.
    pipe.show_progress_of_pipes();
    let mut samples = Samples::new(&args.samples, pipe)?;
    for path in args.files.iter() {
        let read = folder::open(path, &mut samples).and_then(|mut input| {
            formats::read(&mut input, &args.format, &args.options, &mut samples)
        });
        match read {
            Err(error) if error.is_of_input() => samples.error(&error),
            other => other?,
        }
    }
    samples.finish()?;
    Ok(pipe.status())
}
