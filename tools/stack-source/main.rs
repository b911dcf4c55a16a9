//! Shows which lines of the source are hot.

mod asm;
mod count;
mod data;
mod heat;
mod listing;
mod own;
mod text;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgGroup, Parser, ValueEnum};
use common::hints::{NO_PLACES, NO_WEIGHT};
use common::io::{Color, Files, Screen, Total};
use common::numbers::{Unit, counted, share};
use common::own_code::Room;
use common::pattern::{PatternArgs, compile_patterns, patterns_in};
use common::sources::{Source, SourceArgs, Sources};
use common::trust::Trust;
use common::{Error, Result, Status, folded::FoldedLine, pipe::Pipe, stacks::Overflows};
use regex_automata::meta::Regex;

use asm::AsmArgs;
use count::{By, Counts, Part};
use heat::Heat;
use own::Own;
use text::Style;

/// How many functions are listed, unless the user says how many.
const FUNCTIONS: usize = 3;

/// How many lines are listed before and after each that weighs something.
const CONTEXT: u32 = 3;

/// Show which lines of the source are hot, with their self and total
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
#[command(group = ArgGroup::new("view"))]
struct Args {
    #[command(flatten)]
    files: Files,

    /// List the functions that match this pattern
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<OsString>,

    /// List whole files: those whose path matches this pattern
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, conflicts_with = "regexp")]
    path: Vec<OsString>,

    #[command(flatten)]
    syntax: PatternArgs,

    /// How many functions or files to list, 0 for all [default: 3, with -e, --path and --tsv all]
    #[arg(short, long, value_name = "NUMBER")]
    number: Option<usize>,

    /// What to sort by: the heaviest come first
    #[arg(long, value_name = "COLUMN", default_value = "self")]
    sort: Sort,

    /// How many lines to show around each that weighs something [default: 3, with --path all]
    #[arg(short = 'C', long, value_name = "NUMBER")]
    context: Option<u32>,

    #[command(flatten)]
    sources: SourceArgs,

    #[command(flatten)]
    asm: AsmArgs,

    /// Show how hot lines are in colour; WHEN is always if not given
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true)]
    #[arg(default_value = "auto", default_missing_value = "always")]
    color: Color,

    /// Print Markdown, for a pull request
    #[arg(long, group = "view")]
    markdown: bool,

    /// Print a table for programs: function, path, line, self, total, text, with tabs between them
    #[arg(long, group = "view")]
    tsv: bool,

    /// Print one JSON object
    #[arg(long, group = "view")]
    json: bool,

    /// What the weights count, such as samples, ns or bytes
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
}

/// The column that functions are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The weight of the stacks that end in the function
    #[value(name = "self")]
    SelfWeight,
    /// The weight of the stacks that hold the function
    Total,
    /// The weight of the stacks whose deepest function of own code it is, in place of self
    Own,
}

/// What is known of all stacks together.
struct Whole {
    /// What they weigh.
    total: u64,
    /// What own code is charged with: then that is in place of self weights.
    own: Option<Own>,
    /// What the user or a header line calls the unit.
    unit_name: Option<String>,
    trust: Trust,
}

/// What is listed.
struct Profile {
    /// Those that are listed, the heaviest first.
    parts: Vec<Part>,
    /// How many parts could be listed.
    candidates: usize,
    /// Parts that cannot be listed, as none of their lines is known.
    without_lines: Vec<Part>,
    /// Whether a line is known of any function, listed or not.
    has_lines: bool,
    /// What all stacks weigh.
    total: u64,
    unit: Unit,
    /// What the user or a header line calls the unit.
    unit_name: Option<String>,
    trust: Trust,
    sources: Sources,
    /// What own code is charged with: then that is in place of self weights.
    own: Option<Own>,
}

fn main() -> ExitCode {
    common::run(stack_source)
}

fn stack_source(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let pattern = args.pattern()?;
    if args.asm.asm && args.sort == Sort::Own {
        return Err(Error::Usage("--sort own is for lines: expected no --asm".into()));
    }
    if args.asm.asm {
        return asm::show(&args, pattern.as_ref(), pipe);
    }
    let (parts, total, own) = args.count(pipe)?;
    if total == 0 {
        pipe.note(NO_WEIGHT);
        return Ok(Status::Nothing);
    }
    let unit_name = args.unit_name(pipe);
    let trust = Trust::of(pipe, total);
    let whole = Whole { total, own, unit_name, trust };
    let Some(profile) = args.profile(parts, whole, pattern.as_ref()) else {
        let what = if args.by() == By::File { "file" } else { "function" };
        pipe.note(format_args!("no {what} matches"));
        return Ok(Status::Nothing);
    };
    profile.sources.hints().into_iter().for_each(|hint| pipe.note(hint));
    if let Some(hint) = profile.own.as_ref().and_then(Own::hint) {
        pipe.note(hint);
    }
    if args.is_for_programs() && !profile.has_lines {
        pipe.note(NO_PLACES);
    }
    let text = match &args {
        Args { json: true, .. } => data::json(&profile),
        Args { tsv: true, .. } => data::tsv(&profile),
        _ => args.listing(&profile).into_bytes(),
    };
    let shown = profile.shown();
    pipe.write_lines(&text, shown)?;
    pipe.count_rest_as_dropped();
    Ok(pipe.status())
}

impl Args {
    fn by(&self) -> By {
        if self.path.is_empty() { By::Function } else { By::File }
    }

    /// Whether the answer is a table or JSON.
    fn is_for_programs(&self) -> bool {
        self.tsv || self.json
    }

    /// What the functions or files that are listed must match, if anything.
    ///
    /// # Errors
    ///
    /// A usage error that names the pattern.
    fn pattern(&self) -> Result<Option<Regex>> {
        let patterns = patterns_in(&[&self.regexp[..], &self.path].concat());
        let patterns = patterns.iter().map(Vec::as_slice);
        let is_given = patterns.len() > 0;
        is_given.then(|| compile_patterns(patterns, self.syntax.syntax())).transpose()
    }

    /// What came in, the heaviest first, what all of it weighs, and what own code is charged with.
    fn count(&self, pipe: &mut Pipe) -> Result<(Vec<Part>, u64, Option<Own>)> {
        if self.sort == Sort::Own {
            let (counts, total, own) = own::count(self.by(), &self.files, pipe)?;
            return Ok((counts.into_parts(self.sort), total, Some(own)));
        }
        let mut counts = Counts::new(self.by());
        let total = self.sum(pipe, |line| counts.add(line.stack, line.count))?;
        Ok((counts.into_parts(self.sort), total, None))
    }

    /// Passes each line to `each`, and returns the sum of the weights. Lines that do not fit into
    /// the sum are left out and reported.
    fn sum(&self, pipe: &mut Pipe, mut each: impl FnMut(&FoldedLine<'_>)) -> Result<u64> {
        let (mut all, mut overflows) = (0, Overflows::default());
        pipe.lines(&self.files).each(|line, _| {
            if overflows.add(&mut all, line.stack, line.count) {
                each(&line);
            }
            Ok(())
        })?;
        pipe.leave_out(&overflows);
        Ok(all)
    }

    /// What the user or a header line calls the unit.
    fn unit_name(&self, pipe: &Pipe) -> Option<String> {
        self.unit.clone().or_else(|| pipe.header_unit())
    }

    /// What is listed of these parts, with its sources; `None` if nothing matches.
    fn profile(
        &self,
        mut parts: Vec<Part>,
        whole: Whole,
        pattern: Option<&Regex>,
    ) -> Option<Profile> {
        let Whole { total, own, unit_name, trust } = whole;
        let has_lines = parts.iter().any(Part::has_lines);
        parts.retain(|part| pattern.is_none_or(|pattern| pattern.is_match(part.name())));
        if parts.is_empty() {
            return None;
        }
        let is_heavy = |part: &Part| part.weights.self_weight > 0;
        let all_count = pattern.is_some() || self.tsv;
        if own.is_some() && !all_count && parts.iter().any(is_heavy) {
            parts.retain(is_heavy);
        }
        // Programs add up what they get, so nothing may be missing.
        let is_listed = |part: &Part| self.is_for_programs() || part.has_lines();
        let (mut parts, without_lines): (Vec<_>, _) = parts.into_iter().partition(is_listed);
        let candidates = parts.len();
        parts.truncate(self.most(pattern));
        // By self weight, functions that only call others are not among the heaviest.
        let has_choice = self.number.is_some() || all_count;
        if !has_choice && self.sort != Sort::Total && parts.iter().any(is_heavy) {
            parts.retain(is_heavy);
        }
        let mut sources = Sources::new(self.sources.clone());
        parts.iter().for_each(|part| sources.look_for(&part.path));
        let unit = Unit::named(unit_name.as_deref().unwrap_or_default());
        Some(Profile {
            parts,
            candidates,
            without_lines,
            has_lines,
            total,
            unit,
            unit_name,
            trust,
            sources,
            own,
        })
    }

    /// How many functions or files are listed at most.
    fn most(&self, pattern: Option<&Regex>) -> usize {
        match self.number {
            Some(0) => usize::MAX,
            Some(number) => number,
            None if pattern.is_some() || self.tsv => usize::MAX,
            None => FUNCTIONS,
        }
    }

    /// The sources with what their lines weigh, for people.
    fn listing(&self, profile: &Profile) -> String {
        let usual = if self.by() == By::File { u32::MAX } else { CONTEXT };
        let context = self.context.unwrap_or(usual);
        let screen = if self.markdown { Screen::default() } else { Screen::of_stdout() };
        let is_colored = !self.markdown && self.color.is_wanted();
        let weights = profile.parts.iter().flat_map(|part| &part.lines).map(|line| line.weights);
        let heat = is_colored.then(|| Heat::of(weights));
        let (unit, word) = (&profile.unit, profile.word());
        let style = Style { unit, word, whole: profile.total, screen: &screen, heat };
        let mut text = String::new();
        for part in &profile.parts {
            let source = profile.sources.get(&part.path);
            let rows = listing::rows(&part.lines, source.map(Source::line_count), context);
            let table = style.table(&rows, source);
            let weights = style.weights(part.weights);
            let calls = profile.calls_of(part);
            text.push_str(&match self.markdown {
                true => text::markdown(&style, part, &calls, &table),
                false => {
                    let heading = style.heading(&part.function, &part.path, &weights);
                    format!("{heading}\n{}{table}", style.line_of_calls(calls))
                }
            });
            text.push('\n');
        }
        text + &profile.foot(self.by(), &style)
    }
}

impl Profile {
    /// What is listed beside the total: self, or what own code is charged with.
    fn word(&self) -> &'static str {
        if self.own.is_some() { "own" } else { "self" }
    }

    /// What own code calls, or what calls it, where it is charged with that.
    fn calls_of(&self, part: &Part) -> String {
        let charged = self.own.as_ref().and_then(|own| own.of(part));
        charged
            .map(|charged| charged.calls_or_caller(self.total, Room::default()))
            .unwrap_or_default()
    }

    /// How many parts the answer covers, and the sum of their self weights.
    fn shown(&self) -> Total {
        let mut shown = Total::default();
        let parts = self.parts.iter().chain(&self.without_lines);
        parts.for_each(|part| shown += part.weights.self_weight);
        shown
    }

    /// How much of the whole is listed, and how much has no lines.
    fn foot(&self, by: By, style: &Style<'_>) -> String {
        let own = |parts: &[Part]| parts.iter().map(|part| part.weights.self_weight).sum::<u64>();
        let plural = if by == By::File { "files" } else { "functions" };
        let mut text = style.foot([self.parts.len(), self.candidates], plural, own(&self.parts));
        if let Some(heaviest) = self.without_lines.first() {
            let own = own(&self.without_lines);
            let start = format!(
                "no line is known of {}, {} {} ({}): first ",
                counted(self.without_lines.len() as u64, plural),
                style.word,
                self.unit.number(own),
                share(own, self.total),
            );
            let name = style.screen.name(&heaviest.function, start.chars().count());
            text.push_str(&format!("{start}{name}\n"));
        }
        if !self.has_lines {
            text.push_str(NO_PLACES);
            text.push('\n');
        }
        text
    }
}
