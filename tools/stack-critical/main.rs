//! Finds what had to end so that the program could end.

mod functions;
mod gains;
mod limits;
mod replay;
mod start;
mod what_if;
mod write;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use common::critical::{Ends, Lengths, Part, Slices, Times, walk};
use common::io::{Files, Screen, Total};
use common::pipe::Pipe;
use common::{Result, Status};

use gains::Gains;
use limits::Limits;
use replay::replay;
use start::StartArgs;
use what_if::WhatIf;
use write::Form;

/// The critical path through the slices of 'stack-parse --wall': what must get faster so that the
/// program ends sooner
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    start: StartArgs,

    /// One line for each part of the path in the order of time, with the label time
    #[arg(long)]
    per_sample: bool,

    /// Keep the stacks of who ended the waits, after '--'
    #[arg(long)]
    wakers: bool,

    /// The path if what matches ran FACTOR times faster, and how long it would be; may be repeated
    #[arg(long, value_name = "PATTERN=FACTOR", allow_hyphen_values = true)]
    what_if: Vec<OsString>,

    /// Print how much sooner the program would end if one function of own code were twice as fast,
    /// for those that matter
    #[arg(long, conflicts_with_all = ["what_if", "per_sample", "wakers"])]
    gains: bool,

    /// With --gains, print a table for programs
    #[arg(long, requires = "gains")]
    tsv: bool,
}

fn main() -> ExitCode {
    common::run(stack_critical)
}

fn stack_critical(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let what_if = args.what_if.iter().map(WhatIf::parse).collect::<Result<Vec<_>>>()?;
    let slices = Slices::read(&args.files, pipe)?;
    let Some(ends) = args.start.ends(&slices, pipe)? else { return Ok(pipe.status()) };
    let recorded = Times::recorded(&slices);
    if args.gains {
        return gains(&args, &slices, ends, pipe);
    }
    if what_if.is_empty() {
        let path = Path::of(recorded, ends, args.per_sample);
        path.limits.say_of_path(pipe);
        return path.write(&args, recorded, pipe);
    }
    let (kept, unmatched) = what_if::kept(&slices, &what_if);
    for at in unmatched {
        let text = args.what_if[at].to_string_lossy();
        pipe.note(format_args!("--what-if '{text}': nothing that ran matches"));
    }
    let (replayed, new) = replay(&slices, &kept, ends);
    let times = Times { slices: &slices, replayed: Some(&replayed) };
    let path = Path::of(times, new, args.per_sample);
    let recorded = Path::of(recorded, ends, false);
    recorded.limits.say_of_path(pipe);
    recorded.limits.say_of_prediction(pipe);
    let [before, after] = [ends, new].map(|ends| ends.end.saturating_sub(ends.start) as f64 / 1e9);
    let sooner = 100.0 * (before - after) / before;
    pipe.note(format_args!("{before:.6} s would be {after:.6} s: {sooner:.1} % sooner"));
    path.write(&args, times, pipe)
}

/// Prints the gains of functions.
fn gains(args: &Args, slices: &Slices, ends: Ends, pipe: &mut Pipe) -> Result<Status> {
    let path = Path::of(Times::recorded(slices), ends, false);
    path.limits.say_of_path(pipe);
    path.limits.say_of_prediction(pipe);
    let gains = Gains::of(slices, ends, &path.sums);
    if let Some(hint) = gains.hint() {
        pipe.note(hint);
    }
    let text = if args.tsv { gains.tsv() } else { gains.table(&Screen::of_stdout()) };
    // What one function runs is in the rows of its callers, too.
    let weight = path.sums.all().iter().map(|(_, length)| u128::from(*length)).sum();
    pipe.write_lines(&text, Total { lines: gains.rows.len() as u64, weight })?;
    pipe.count_rest_as_dropped();
    Ok(pipe.status())
}

/// The path, in parts if these are wanted, and summed.
struct Path {
    parts: Vec<Part>,
    sums: Lengths,
    limits: Limits,
}

impl Path {
    fn of(times: Times<'_>, ends: Ends, wants_parts: bool) -> Path {
        let (mut parts, mut sums, mut limits) = (Vec::new(), Lengths::default(), Limits::default());
        let mut waits = Vec::new();
        let add = |part: Part| {
            limits.add(times.slice(part.thread, part.at as usize).state(), part.to - part.from);
            match wants_parts {
                true => parts.push(part),
                false => sums.add(part, times),
            }
        };
        walk(times, ends, add, |thread, at| waits.push((thread, at)));
        waits.iter().for_each(|(thread, at)| limits.skip(times.slices, *thread, *at));
        Path { parts, sums, limits }
    }

    fn write(&self, args: &Args, times: Times<'_>, pipe: &mut Pipe) -> Result<Status> {
        let form = Form { slices: times.slices, wakers: args.wakers };
        pipe.write_header_of_some()?;
        match args.per_sample {
            true => form.each(&self.parts, times, pipe)?,
            false => form.sums(&self.sums, pipe)?,
        }
        pipe.count_rest_as_dropped();
        Ok(pipe.status())
    }
}
