//! Shows when it was busy: a heat map of samples over time.

mod by;
mod heat;
mod input;
mod labelled;
mod lines;
mod picture;
mod rows;
mod table;
mod text;
mod tsv;
mod viewer;
mod width;

use std::process::ExitCode;

use clap::Parser;
use common::io::{Files, Screen, Total};
use common::picture::{Theme, content_policy};
use common::{Result, Status, heat::Cells, pipe::Pipe};

use by::By;
use heat::Heat;
use picture::Picture;
use rows::Rows;
use width::Width;

/// How many rows the map has, unless the user says how many.
const ROWS: u32 = 50;

/// How many columns the picture has at most.
const COLUMNS: u64 = 600;

/// Show when it was busy: a heat map of samples over time, from 'stack-parse --labels since'
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// A row for each value of this label, such as tid, or of this column of a table, instead
    /// of fractions of time
    #[arg(long, value_name = "KEY")]
    by: Option<By>,

    /// Draw with letters, as wide as the terminal, instead of an SVG picture
    #[arg(long)]
    text: bool,

    /// Print the cells as a table for programs: since, until, maybe KEY, weight
    #[arg(long, conflicts_with_all = ["text", "title", "theme", "unit"])]
    tsv: bool,

    /// How many seconds a column stands for [default: 1, or what suits the length]
    #[arg(long, value_name = "SECONDS")]
    column: Option<Width>,

    /// How many rows there are [default: at most 50, as text 20]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rows: Option<u32>,

    /// What the weights count, such as samples or ns
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,

    /// The text over the picture
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Light, dark, or (auto) as the reader's system
    #[arg(long, value_name = "THEME", default_value = "auto")]
    theme: Theme,

    /// Print the content security policy that allows the script and style, and exit
    #[arg(long)]
    csp_hash: bool,
}

fn main() -> ExitCode {
    common::run(stack_heat)
}

fn stack_heat(args: Args, pipe: &mut Pipe) -> Result<Status> {
    if args.csp_hash {
        pipe.out().line(content_policy(&viewer::SCRIPT, &viewer::STYLE).as_bytes())?;
        return Ok(Status::Success);
    }
    let screen = Screen::of_stdout();
    let most = if args.text { text::most_columns(&screen, args.by.as_ref()) } else { COLUMNS };
    let usual_rows = match args.by {
        Some(_) if args.tsv => u32::MAX,
        _ if args.text => text::most_rows(&screen),
        _ => ROWS,
    };
    let most_rows = args.rows.unwrap_or(usual_rows);
    let rows_per_column = if args.by.is_some() { 1 } else { most_rows };
    let column = args.column.map(|Width(nanoseconds)| nanoseconds);
    let mut rows = Rows::new(args.by.clone(), Cells::new(rows_per_column, column, most));
    pipe.for_each_input(&args.files, |input, pipe| input::read(input, &mut rows, pipe))?;
    rows.report(pipe);
    let unit = args.unit.clone().unwrap_or_else(|| rows.unit());
    let Some(heat) = Heat::new(rows, most_rows, args.rows.is_none()) else {
        pipe.note("nothing to show: no line with a time and a weight came in");
        return Ok(Status::Nothing);
    };
    let shown = Total { lines: heat.cells(), weight: heat.total.into() };
    let picture = || Picture { heat: &heat, unit: &unit, title: args.title(), theme: args.theme };
    let bytes = match () {
        () if args.tsv => tsv::rows(&heat),
        () if args.text => text::draw(&heat, &unit, &screen),
        () => picture().draw(),
    };
    pipe.write_lines(&bytes, shown)?;
    Ok(pipe.status())
}

impl Args {
    fn title(&self) -> &str {
        let usual = if self.by.is_some() { "Who was busy when" } else { "When it was busy" };
        self.title.as_deref().unwrap_or(usual)
    }
}
