//! Says what changed between two profiles, and what of it noise does not explain.

mod comparison;
mod gate;
mod holm;
mod noise;
mod pairs;
mod percent;
mod profile;
mod report;
mod run;
mod sample_weight;
mod sizes;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use common::{Error, Pipe, Result, Status};

use crate::comparison::{Comparison, Question};
use crate::gate::Gate;
use crate::percent::Percent;
use crate::report::Format;
use crate::run::Runs;

/// How it is called: clap would show both ways in one line.
const USAGE: &str = "stack-diff [OPTIONS] BEFORE AFTER
       stack-diff [OPTIONS] --before FILE... --after FILE...";

/// Say what changed between two profiles, and leave out what noise explains
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version, override_usage = USAGE)]
struct Args {
    /// The profile before, also packed by gzip, zstd, xz, bzip2 or lz4; '-' is standard input
    #[arg(value_name = "BEFORE", required_unless_present = "before_runs")]
    before: Option<PathBuf>,

    /// The profile after
    #[arg(value_name = "AFTER", required_unless_present = "after_runs")]
    after: Option<PathBuf>,

    /// Profiles of several runs before, each in its own file
    #[arg(
        long = "before",
        value_name = "FILE",
        num_args = 1..,
        requires = "after_runs",
        conflicts_with_all = ["before", "after"]
    )]
    before_runs: Vec<PathBuf>,

    /// Profiles of several runs after
    #[arg(long = "after", value_name = "FILE", num_args = 1.., requires = "before_runs")]
    after_runs: Vec<PathBuf>,

    /// Compare weights, not shares of the whole: when all runs did the same work
    #[arg(long)]
    absolute: bool,

    /// Print all functions, not only those with a change that noise does not explain
    #[arg(long)]
    all: bool,

    /// Exit with 1 if a function surely grew by more than this share of the whole before
    #[arg(long, value_name = "PERCENT")]
    fail_over: Option<Percent>,

    /// How much the share of a function varies between runs, at least
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    noise: Percent,

    #[command(flatten)]
    format: Format,

    /// Write stacks with their weight in both, 'stack before after': for stack-svg --diff
    #[arg(long, conflicts_with_all = ["format", "absolute", "all", "fail_over", "noise"])]
    folded: bool,
}

fn main() -> ExitCode {
    common::run(stack_diff)
}

fn stack_diff(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let sides = args.sides()?;
    if args.folded {
        return pairs::write(&sides, pipe);
    }
    let Some(runs) = Runs::read(&sides, pipe)? else {
        // What could not be read was named, so the exit status is 2.
        return Ok(Status::Nothing);
    };
    let question = Question { absolute: args.absolute, noise: args.noise.fraction() };
    let comparison = Comparison::new(&runs, question)?;
    report::write(&comparison, &runs, args.all, args.format, pipe)?;
    let Some(limit) = args.fail_over else { return Ok(Status::Success) };
    let gate = Gate::new(&comparison, &runs, limit.percent());
    gate.messages(&comparison, &runs).iter().for_each(|message| pipe.note(message));
    Ok(if gate.grown.is_empty() { Status::Success } else { Status::Nothing })
}

impl Args {
    /// The files before, and those after.
    fn sides(&self) -> Result<[Vec<PathBuf>; 2]> {
        let Args { before, after, before_runs, after_runs, .. } = self;
        let side =
            |one: &Option<PathBuf>, runs: &[PathBuf]| one.iter().chain(runs).cloned().collect();
        let sides: [Vec<PathBuf>; 2] = [side(before, before_runs), side(after, after_runs)];
        let is_stdin = |path: &&PathBuf| path.as_path() == Path::new("-");
        if sides.iter().flatten().filter(is_stdin).count() > 1 {
            let what = "'-': expected once, as standard input can be read only once";
            return Err(Error::Usage(what.to_owned()));
        }
        Ok(sides)
    }
}
