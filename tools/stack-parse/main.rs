//! Any profiler's output to folded stacks.

mod formats;
mod frame;
mod read;
mod samples;

use std::num::NonZero;
use std::process::ExitCode;
use std::thread;

use clap::{Parser, ValueEnum};
use common::{Error, Files, Input, Pipe, Result, Status};

use formats::memtrace::ObjectArgs;
use formats::{Detected, Format};
use frame::NameArgs;
use samples::{Samples, SamplesArgs};

/// Without being asked for more: each has blocks and tables of its own, and
/// before there are so many, memory is as fast as it gets.
const MOST_THREADS: usize = 8;

/// More than processors have cores; each takes memory.
const MOST_ASKED: usize = 256;

/// Turn any profiler's output into folded stacks, summed and sorted
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    /// Read this format; without it the content tells
    #[arg(short, long, value_enum)]
    format: Option<Format>,

    /// List the formats that can be read and exit
    #[arg(long)]
    list_formats: bool,

    #[command(flatten)]
    samples: SamplesArgs,

    #[command(flatten)]
    names: NameArgs,

    #[command(flatten)]
    objects: ObjectArgs,

    /// Exit with 2 if a line was not understood
    #[arg(long)]
    strict: bool,

    /// Read with as many threads; the default is one per processor, 8 at most
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_parse)
}

fn stack_parse(args: Args, pipe: &mut Pipe) -> Result<Status> {
    if args.list_formats {
        return list_formats(pipe);
    }
    let mut samples = Samples::new(&args.samples)?;
    pipe.for_each_input(&args.files, |input, pipe| {
        let read = read(input, &args, &mut samples, pipe);
        samples.skipped.report(input.name(), args.strict, pipe);
        read
    })?;
    samples.finish(&args.samples, pipe)?;
    Ok(pipe.status())
}

fn read(input: &mut Input, args: &Args, samples: &mut Samples, pipe: &mut Pipe) -> Result<()> {
    let name = input.name().to_owned();
    let detected =
        formats::detect(input).map_err(|source| Error::Input { name: name.clone(), source })?;
    let format = match (args.format, &detected) {
        (Some(format), _) => format,
        (None, Detected::Known(format)) => *format,
        (None, Detected::Empty) => {
            pipe.note(format_args!("{name}: the input is empty"));
            return Ok(());
        }
        (None, Detected::Unknown { .. }) => {
            return Err(Error::Unknown { name, what: detected.to_string() });
        }
    };
    if args.objects.is_choice() && format != Format::Memtrace {
        let message = format!("--live, --major and --promoted need a memtrace: {name} is none");
        return Err(Error::Usage(message));
    }
    samples.begin(format)?;
    let before = samples.samples() + pipe.stats().read.lines;
    match format {
        Format::Memtrace => {
            formats::memtrace::read(input, &args.names, args.objects, samples, pipe)?
        }
        Format::Landmarks => formats::landmarks::read_json(input, &args.names, samples, pipe)?,
        Format::LandmarksText => formats::landmarks::read_text(input, samples, pipe)?,
        Format::PerfScript => {
            formats::perf_script::read(input, &args.names, threads(args), samples, pipe)?;
        }
        Format::Folded => {
            pipe.read_folded(input, |line, pipe| samples.add_folded(line.stack, line.count, pipe))?;
        }
    }
    if samples.samples() + pipe.stats().read.lines == before {
        pipe.note(format_args!("{name}: no sample found, {detected}"));
    }
    Ok(())
}

fn threads(args: &Args) -> usize {
    match args.threads {
        Some(threads) => threads.get().min(MOST_ASKED),
        None => thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS),
    }
}

fn list_formats(pipe: &mut Pipe) -> Result<Status> {
    for format in Format::value_variants() {
        if let Some(value) = format.to_possible_value() {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            pipe.out().line(format!("{}\t{help}", value.get_name()).as_bytes())?;
        }
    }
    Ok(Status::Success)
}
