//! Shows what is hot: the self and total weights of functions, and who calls them.

mod by;
mod data;
mod profile;
mod relatives;
mod screen;
mod table;

use std::process::ExitCode;

use clap::{ArgGroup, Parser};
use common::{Files, Limit, Pipe, Result, Status, Total};

use by::By;
use profile::{Profile, Sort};
use relatives::{Asked, Families};
use screen::Screen;

/// How many rows a table has, unless the user says how many.
const ROWS: usize = 30;

/// Show what is hot: self and total of functions, and who calls them
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
#[command(group = ArgGroup::new("view"))]
struct Args {
    #[command(flatten)]
    files: Files,

    /// How many rows to show, 0 for all [default: 30, with --tsv and --json all]
    #[arg(short = 'n', long, value_name = "NUMBER")]
    rows: Option<usize>,

    /// The order of the rows
    #[arg(long, value_name = "COLUMN", default_value = "self")]
    sort: Sort,

    /// What a row stands for
    #[arg(long, value_name = "PART", default_value = "function")]
    by: By,

    #[command(flatten)]
    asked: Asked,

    /// Print a table for programs: function, self, total, with tabs between them
    #[arg(long, group = "view")]
    tsv: bool,

    /// Print one JSON object
    #[arg(long, group = "view")]
    json: bool,

    /// What the weights count, such as samples, ns or bytes
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
}

/// What is printed.
struct Answer {
    /// Lines that end in LF.
    text: Vec<u8>,
    /// How many rows there are, and how much of the weight they stand for.
    shown: Total,
}

fn main() -> ExitCode {
    common::run(stack_top)
}

fn stack_top(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let patterns = args.asked.patterns()?;
    let counts = pipe.count_folded(&args.files, Limit::AllStacks)?;
    let unit = args.unit.clone().or_else(|| pipe.header_unit());
    let profile = Profile::new(args.by.regrouped(counts.into_sorted()), unit)?;
    if profile.total == 0 {
        pipe.note("nothing to show: no folded stack with a weight came in");
        return Ok(Status::Nothing);
    }
    let families = patterns.map(|patterns| Families::of(&profile, &patterns));
    let answer = args.answer(&profile, families.as_ref(), &Screen::of_stdout());
    pipe.count_dropped(profile.but(answer.shown));
    pipe.write_lines(&answer.text, answer.shown)?;
    Ok(pipe.status())
}

impl Args {
    fn answer(&self, profile: &Profile, families: Option<&Families>, screen: &Screen) -> Answer {
        let rows = match self.rows {
            Some(0) => usize::MAX,
            Some(rows) => rows,
            None if self.tsv || self.json => usize::MAX,
            None => ROWS,
        };
        match families {
            Some(families) if self.json => data::families_as_json(profile, families, rows),
            Some(families) if self.tsv => data::families_as_tsv(profile, families, rows),
            Some(families) => families.tables(profile, rows, screen),
            None if self.json => data::json(profile, &profile.rows(self.sort, rows)),
            None if self.tsv => data::tsv(profile, &profile.rows(self.sort, rows)),
            None => table::table(profile, &profile.rows(self.sort, rows), self.by, screen),
        }
    }
}
