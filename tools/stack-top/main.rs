//! Shows what is hot: the self and total weights of functions, and who calls them.

mod asked;
mod by;
mod data;
mod draw;
mod functions;
mod live;
mod own;
mod path;
mod profile;
mod relatives;
mod run;
mod split;
mod table;
mod tree;
mod under;

use std::process::ExitCode;

use clap::{ArgGroup, Parser};
use common::hints::{NO_PLACES, NO_WEIGHT};
use common::io::{Files, Screen, Total};
use common::own_code::{Deepest, OwnCode};
use common::pipe::{Limit, Pipe, Split, root_of_file};
use common::trust::Trust;
use common::{Error, Result, Status, numbers::Unit, stacks::StackCounts};

use asked::{Asked, Patterns};
use by::By;
use functions::Functions;
use profile::{Profile, Sort};
use relatives::{Families, Relation};
use split::{SplitProfile, Value};
use tree::Least;

/// How many rows a table has, unless the user says how many.
const ROWS: usize = 30;

/// How many columns `--split` has in a table for programs, unless the user says how many: of
/// thousands of threads, nearly all cells would be 0.
const COLUMNS_OF_TSV: usize = 256;

/// Show what is hot: self and total of functions, and who calls them
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
#[command(group = ArgGroup::new("view"))]
struct Args {
    #[command(flatten)]
    files: Files,

    /// How many rows to show, 0 for all [default: 30, with --tsv all]
    #[arg(short = 'n', long, value_name = "NUMBER")]
    rows: Option<usize>,

    /// The order of the rows
    #[arg(long, value_name = "COLUMN", default_value = "self")]
    sort: Sort,

    /// What a row stands for
    #[arg(long, value_name = "PART", default_value = "function")]
    by: By,

    /// A column for each value of this label, or with 'root' for each root frame, with
    /// 'file' for each file
    #[arg(
        long,
        value_name = "KEY|file|root",
        conflicts_with_all = ["callers", "callees", "tree", "draw"]
    )]
    split: Option<Split>,

    /// With --split, how many columns there are, 0 for all [default: those that fit on the
    /// terminal, in a pipe 8, with --tsv 256, with --json all]
    #[arg(long, value_name = "NUMBER", requires = "split")]
    columns: Option<usize>,

    #[command(flatten)]
    asked: Asked,

    /// Show the tree of calls, from the roots down
    #[arg(long, conflicts_with_all = ["callers", "callees", "draw", "tsv"])]
    tree: bool,

    /// In the tree, sum branches that weigh less than this share (with --under, of what matches)
    #[arg(long, value_name = "SHARE", default_value = "1%")]
    min: Least,

    /// Draw a flame graph of letters, as large as the terminal
    #[arg(long, group = "view", conflicts_with_all = ["callers", "callees"])]
    draw: bool,

    /// Print a table for programs: function, self, total, with tabs between them
    #[arg(long, group = "view")]
    tsv: bool,

    /// Print one JSON object; with --tree, calls within their callers
    #[arg(long, group = "view")]
    json: bool,

    /// Read intervals of 'stack-parse --every', and show their sum again at each end
    #[arg(long, conflicts_with = "tsv")]
    follow: bool,

    /// Show only the newest interval
    #[arg(long)]
    last: bool,

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
    /// What to say on stderr: why rows that were asked for are missing.
    hints: Vec<String>,
}

impl Answer {
    fn new(text: Vec<u8>, shown: Total) -> Answer {
        Answer { text, shown, hints: Vec::new() }
    }
}

fn main() -> ExitCode {
    common::run(stack_top)
}

fn stack_top(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let patterns = args.asked.patterns()?;
    args.check_sort()?;
    if args.follow || args.last {
        if args.split == Some(Split::File) {
            let what = "--follow and --last read one recording: --split file is for several";
            return Err(Error::Usage(what.into()));
        }
        return live::show(&args, &patterns, pipe);
    }
    let lines = pipe.lines(&args.files).split(args.split.as_ref());
    let counts = lines.sums(Limit::AllStacks, |line, _| line.stack)?;
    match args.answer(counts, &patterns, &Screen::of_stdout(), pipe)? {
        Some(answer) => {
            answer.hints.iter().for_each(|hint| pipe.note(hint));
            pipe.write_lines(&answer.text, answer.shown)?;
            pipe.count_rest_as_dropped();
        }
        None => pipe.note(NO_WEIGHT),
    }
    Ok(pipe.status())
}

impl Args {
    /// The answer for these stacks; `None` if nothing in them weighs anything, unless they are an
    /// interval of several.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    fn answer(
        &self,
        counts: StackCounts,
        patterns: &Patterns,
        screen: &Screen,
        pipe: &Pipe,
    ) -> Result<Option<Answer>> {
        let unit = self.unit.clone().or_else(|| pipe.header_unit());
        if let Some(split) = &self.split {
            return Ok(self.split_answer(counts, split, unit, screen, pipe));
        }
        let stacks = counts.into_sorted();
        let functions = (self.by == By::Line).then(|| Functions::of(&stacks)).transpose()?;
        let label = |frame: &[u8]| self.by.label(frame, false).into_owned();
        let own =
            (self.sort == Sort::Own).then(|| OwnCode::of(&stacks, &Deepest::of(&stacks), label));
        let stacks = self.by.regrouped(stacks, self.draw);
        let frames = stacks.frames();
        let names = (0..frames.len() as u32).map(|frame| frames.name(frame));
        let lacks_lines = self.by.lacks_lines(names);
        let mut profile = Profile { own, ..Profile::new(stacks, functions, unit)? };
        profile.trust = Trust::of(pipe, profile.total);
        if profile.total == 0 && !self.shows_each_interval() {
            return Ok(None);
        }
        if profile.total == 0 && !self.json {
            let rows = profile.rows(self.sort, 0);
            return Ok(Some(table::table(&profile, &rows, self.by, screen)));
        }
        if let Some(pattern) = &patterns.under {
            profile = profile.below(pattern)?;
        }
        let families = Families::of(&profile, patterns);
        let mut answer = self.view(&profile, families.as_ref(), screen);
        answer.hints.extend(lacks_lines.then(|| NO_PLACES.to_owned()));
        let has = |relation| families.as_ref().is_some_and(|families| families.has(relation));
        let are_found = [has(Relation::Caller), has(Relation::Callee), profile.total > 0];
        answer.hints.extend(patterns.unmatched(are_found));
        Ok(Some(answer))
    }

    /// # Errors
    ///
    /// A usage error where what is shown has no deepest frame of own code.
    fn check_sort(&self) -> Result<()> {
        let other = match self {
            Args { sort: Sort::Own, split: Some(_), .. } => "--split",
            Args { sort: Sort::Own, by: By::Leaf | By::Root, .. } => "--by leaf and root",
            _ => return Ok(()),
        };
        Err(Error::Usage(format!(
            "--sort own is not for {other}: 'stack-collapse-frames --charge-own' before it leaves own \
             code only"
        )))
    }

    /// The answer with a column for each value, for stacks below their values.
    fn split_answer(
        &self,
        counts: StackCounts,
        split: &Split,
        unit: Option<String>,
        screen: &Screen,
        pipe: &Pipe,
    ) -> Option<Answer> {
        let most = |values: &[Value], unit: &Unit| match self.columns {
            Some(0) => usize::MAX,
            Some(columns) => columns,
            // JSON has only what weighs something.
            None if self.json => usize::MAX,
            None if self.tsv => COLUMNS_OF_TSV,
            None => split::most_that_fit(values, unit, screen),
        };
        let files: Vec<Vec<u8>> = self.files.iter().map(root_of_file).collect();
        let stacks = counts.into_sorted();
        let profile = SplitProfile::of(&stacks, split, &files, self.by, most, unit);
        if profile.total == 0 && !self.shows_each_interval() {
            return None;
        }
        let rows = profile.rows(self.sort, self.most_rows());
        let mut answer = match self {
            Args { json: true, .. } => {
                split::json(&profile, &rows, split, Trust::of(pipe, profile.total))
            }
            Args { tsv: true, .. } => split::tsv(&profile, &rows, split, self.sort),
            _ => split::table(&profile, &rows, self.by, self.sort, screen),
        };
        if let ([only], None) = (&profile.values[..], profile.others) {
            answer.hints.extend(split.hint_of_only_root(&only.name));
        }
        let lacks_lines = self.by.lacks_lines(profile.weighty_names());
        answer.hints.extend(lacks_lines.then(|| NO_PLACES.to_owned()));
        Some(answer)
    }

    /// Whether an interval without weight is shown: the table of the one before it must not stay as
    /// if it were the newest.
    fn shows_each_interval(&self) -> bool {
        self.follow && self.last
    }

    fn most_rows(&self) -> usize {
        match self.rows {
            Some(0) => usize::MAX,
            Some(rows) => rows,
            None if self.tsv => usize::MAX,
            None => ROWS,
        }
    }

    fn view(&self, profile: &Profile, families: Option<&Families>, screen: &Screen) -> Answer {
        let rows = self.most_rows();
        match (families, &profile.own) {
            (Some(families), _) if self.json => data::families_as_json(profile, families, rows),
            (Some(families), _) if self.tsv => data::families_as_tsv(profile, families, rows),
            (Some(families), _) => families.tables(profile, rows, screen),
            _ if self.tree && self.json => tree::json(profile, self.min),
            _ if self.tree => tree::tree(profile, self.min, screen),
            _ if self.draw => draw::draw(profile, screen),
            (None, Some(own)) => self.own_view(profile, &own::Rows::of(profile, own, rows), screen),
            _ if self.json => data::json(profile, &profile.rows(self.sort, rows)),
            _ if self.tsv => data::tsv(profile, &profile.rows(self.sort, rows)),
            _ => table::table(profile, &profile.rows(self.sort, rows), self.by, screen),
        }
    }

    /// The functions in the order of what is charged to them.
    fn own_view(&self, profile: &Profile, rows: &own::Rows<'_>, screen: &Screen) -> Answer {
        match self {
            Args { json: true, .. } => rows.json(profile),
            Args { tsv: true, .. } => rows.tsv(),
            _ => rows.table(profile, self.by, screen),
        }
    }
}
