//! Says what changed between two profiles, and what of it noise does not explain.

mod gate;
mod outliers;
mod pairs;

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use common::compare::{Comparison, FunctionNames, Question, RunNames, Runs};
use common::pipe::{Pipe, Split};
use common::{Error, Result, Status, names::printable, numbers::Percent};

use crate::gate::Gate;
use crate::outliers::Outliers;
use crate::report::Format;

/// The ways to call it: clap would show them all in one line.
const USAGE: &str = "stack-diff [OPTIONS] BEFORE AFTER
       stack-diff [OPTIONS] --before FILE... --after FILE...
       stack-diff [OPTIONS] --outliers FILE...";

/// Say what changed between two profiles, and leave out what noise explains
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version, override_usage = USAGE)]
struct Args {
    /// The profiles before and after, also compressed by gzip, zstd, xz, bzip2 or lz4; '-' is
    /// standard input
    #[arg(value_name = "FILE", required_unless_present = "before_runs")]
    files: Vec<PathBuf>,

    /// Profiles of several runs before, each in its own file
    #[arg(
        long = "before",
        value_name = "FILE",
        num_args = 1..,
        requires = "after_runs",
        conflicts_with_all = ["files", "outliers"]
    )]
    before_runs: Vec<PathBuf>,

    /// Profiles of several runs after
    #[arg(long = "after", value_name = "FILE", num_args = 1.., requires = "before_runs")]
    after_runs: Vec<PathBuf>,

    /// Say which of many profiles is unlike the rest: the most unlike first, and in which functions
    #[arg(long, conflicts_with_all = ["absolute", "all", "fail_over", "folded"])]
    outliers: bool,

    /// With --outliers, a profile for each value of this label, or with 'root' for each root frame
    #[arg(long, value_name = "KEY|file|root", requires = "outliers")]
    split: Option<Split>,

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

    /// Tell functions apart by their whole names, also copies, hashes, and roots that name the run
    #[arg(long)]
    exact_functions: bool,

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
    if args.outliers {
        return odd_ones(&args, pipe);
    }
    let sides = args.sides()?;
    if args.folded {
        return pairs::write(&sides, args.names(), pipe);
    }
    let Some(mut runs) = Runs::read(&sides, args.names(), pipe)? else {
        // What could not be read was named, so the exit status is 2.
        return Ok(Status::Nothing);
    };
    if !args.exact_functions
        && let Some(names) = runs.join_run_names()
    {
        pipe.note(joined(&names));
    }
    let question = Question { absolute: args.absolute, noise: args.noise.fraction() };
    let comparison = Comparison::new(&runs, question);
    report::write(&comparison, &runs, args.all, args.format, pipe)?;
    let Some(limit) = args.fail_over else { return Ok(Status::Success) };
    let gate = Gate::new(&comparison, &runs, limit.percent());
    gate.messages(&comparison, &runs).iter().for_each(|message| pipe.note(message));
    Ok(if gate.grown.is_empty() { Status::Success } else { Status::Nothing })
}

/// Says which of many profiles is unlike the rest.
fn odd_ones(args: &Args, pipe: &mut Pipe) -> Result<Status> {
    let read = outliers::read(&args.files, args.split.as_ref(), args.names(), pipe)?;
    let Some((functions, runs, unit)) = read else { return Ok(Status::Nothing) };
    if runs.len() < 3 {
        let found = runs.len();
        let what = format!("--outliers: expected three profiles or more, found {found}");
        return Err(Error::Usage(what));
    }
    let outliers = Outliers::new(functions, &runs, &unit, args.noise.fraction());
    let lines = outliers::report::lines(&outliers, args.format);
    lines.iter().try_for_each(|line| pipe.out().line(line))?;
    Ok(Status::Success)
}

/// The note that the roots of the runs are compared as one.
fn joined(names: &RunNames) -> String {
    const NAMED: usize = 3;
    let [before, after] = names.sides.each_ref().map(|side| {
        let named: Vec<String> = side.iter().take(NAMED).map(|name| printable(name)).collect();
        let more = if side.len() > NAMED { ", \u{2026}" } else { "" };
        named.join(", ") + more
    });
    format!(
        "the roots {before} before and {after} after name the runs and are compared as one: \
         --exact-functions tells them apart"
    )
}

impl Args {
    /// By which names functions are compared.
    fn names(&self) -> FunctionNames {
        if self.exact_functions { FunctionNames::Exact } else { FunctionNames::Normalized }
    }

    /// The files before, and those after.
    fn sides(&self) -> Result<[Vec<PathBuf>; 2]> {
        let sides = match &self.files[..] {
            [] => [self.before_runs.clone(), self.after_runs.clone()],
            [before, after] => [vec![before.clone()], vec![after.clone()]],
            files => {
                let found = files.len();
                let what = format!("expected two profiles, BEFORE and AFTER, found {found}");
                return Err(Error::Usage(what));
            }
        };
        let is_stdin = |path: &&PathBuf| path.as_path() == Path::new("-");
        if sides.iter().flatten().filter(is_stdin).count() > 1 {
            let what = "'-': expected once, as standard input can be read only once";
            return Err(Error::Usage(what.to_owned()));
        }
        Ok(sides)
    }
}
