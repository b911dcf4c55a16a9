//! Any profiler's output to folded stacks.

mod events;
mod format;
mod perf_script;
mod profile;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use common::{Error, Files, Input, Pipe, Result, Status};

use format::{Detected, Format};
use perf_script::NameArgs;
use profile::{Profile, ProfileArgs};

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
    profile: ProfileArgs,

    #[command(flatten)]
    names: NameArgs,

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
    let mut profile = Profile::new(&args.profile)?;
    pipe.for_each_input(&args.files, |input, pipe| read(input, &args, &mut profile, pipe))?;
    profile.finish(&args.profile, pipe)?;
    Ok(pipe.status())
}

fn read(input: &mut Input, args: &Args, profile: &mut Profile, pipe: &mut Pipe) -> Result<()> {
    let format = match args.format {
        Some(format) => format,
        None => match detected(input)? {
            Some(format) => format,
            None => {
                pipe.complaints.note(format_args!("{}: the input is empty", input.name()));
                return Ok(());
            }
        },
    };
    match format {
        Format::PerfScript => perf_script::read(input, &args.names, profile, pipe),
        Format::Folded => {
            pipe.read_folded(input, |line, pipe| profile.add_folded(line.stack, line.count, pipe))
        }
    }
}

/// The format of an input; `None` if there is nothing in it.
fn detected(input: &mut Input) -> Result<Option<Format>> {
    let name = input.name().to_owned();
    match format::detect(input) {
        Ok(Detected::Known(format)) => Ok(Some(format)),
        Ok(Detected::Empty) => Ok(None),
        Ok(Detected::Unknown(line)) => {
            let line = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
            Err(Error::Unknown {
                name,
                what: format!(
                    "unknown format, the first line is {line:?}; known are {}",
                    names().join(", ")
                ),
            })
        }
        Err(source) => Err(Error::Input { name, source }),
    }
}

fn list_formats(pipe: &mut Pipe) -> Result<Status> {
    for format in Format::value_variants() {
        if let Some(value) = format.to_possible_value() {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            pipe.out.line(format!("{}\t{help}", value.get_name()).as_bytes())?;
        }
    }
    Ok(Status::Success)
}

fn names() -> Vec<String> {
    let values = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}
