//! What a page says of one profile.

use std::path::PathBuf;

use common::compare::Weights;
use common::pipe::Pipe;
use common::sources::{SourceArgs, Sources};
use common::trust::{Shown, Trust};

use crate::change::Changed;
use crate::next::{self, Command, Origin};
use crate::page::{Others, Page};
use crate::profile::Profile;
use crate::rows::{self, Row};
use crate::scan::{Charged, Scan};
use crate::title::{self, KindOfTime};
use crate::width::{WIDTH, cut};
use crate::{signals, text};

/// How many rows are looked at.
const ROWS: usize = 10;

/// So many rows there are, however light they are.
const FEWEST: usize = 3;

/// A function with less than one in this many of the whole is no row.
const LEAST_PART: u64 = 200;

/// Everything that a page, or an object for programs, says.
pub(crate) struct Brief<'p> {
    pub(crate) profile: &'p Profile,
    pub(crate) title: String,
    pub(crate) kinds: Vec<KindOfTime>,
    pub(crate) signals: Vec<String>,
    /// The heaviest first.
    pub(crate) rows: Vec<Row<'p>>,
    /// All functions that could be rows.
    pub(crate) others: Others,
    /// The weight of stacks without own code.
    pub(crate) not_own: u64,
    pub(crate) sources: Sources,
    pub(crate) trust: Trust,
    pub(crate) next: Vec<Command>,
}

impl<'p> Brief<'p> {
    pub(crate) fn of(
        profile: &'p Profile,
        scan: &'p Scan,
        sources: SourceArgs,
        origin: Origin<'_>,
        pipe: &Pipe,
    ) -> Brief<'p> {
        let least = profile.ranked_total().div_ceil(LEAST_PART).max(1);
        let heaviest = scan.functions.iter().take(ROWS).enumerate();
        let is_row = |(at, it): &(usize, &Charged)| it.rank >= least || it.rank > 0 && *at < FEWEST;
        let heaviest = heaviest.filter(is_row).map(|(_, charged)| charged);
        let rows = rows::of(profile, &scan.marks, &scan.charged, heaviest);
        let sources = sources_of(&rows, sources);
        let kinds = title::kinds(profile, scan);
        let program = title::program(profile, origin.file(), pipe);
        Brief {
            title: title::title(profile, &kinds, &program, pipe),
            signals: title::of_processor(profile, &kinds)
                .into_iter()
                .chain(signals::lines(profile, scan, pipe))
                .collect(),
            trust: trust(profile, scan, &rows, pipe),
            next: next::commands(profile, rows.first(), origin),
            others: others(profile, scan),
            not_own: scan.not_own.rank,
            profile,
            kinds,
            rows,
            sources,
        }
    }

    /// What changed between two sides, which are these files.
    pub(crate) fn of_change(
        changed: &'p Changed,
        sources: SourceArgs,
        sides: [&[PathBuf]; 2],
        pipe: &Pipe,
    ) -> Brief<'p> {
        let Changed { profile, title, functions, samples, scan } = changed;
        let heaviest = functions.iter().take(ROWS);
        let rows: Vec<_> =
            heaviest.map(|changed| rows::of_change(profile, &scan.marks, changed)).collect();
        let program = title::program(profile, None, pipe);
        Brief {
            title: format!("{program}: {title}"),
            kinds: Vec::new(),
            signals: Vec::new(),
            others: Others { count: functions.len(), share: None },
            not_own: scan.not_own.rank,
            trust: Trust { samples: *samples, ..Trust::of(pipe, profile.ranked_total()) },
            next: next::of_change(sides),
            sources: sources_of(&rows, sources),
            profile,
            rows,
        }
    }

    /// The page of it.
    pub(crate) fn page(&self) -> Page {
        Page {
            title: cut(&format!("# {}", self.title), WIDTH),
            notes: self.signals.iter().map(|line| cut(line, WIDTH - 2)).collect(),
            rows: text::rows(self.profile, &self.rows, &self.sources),
            others: self.others,
            trust: self.trust.sentence(),
            next: next::lines(&self.next),
        }
    }
}

/// The functions of own code, and the share of the whole that they have together.
fn others(profile: &Profile, scan: &Scan) -> Others {
    let ranked = || scan.functions.iter().map(|it| it.rank).filter(|rank| *rank > 0);
    let share = ranked().sum::<u64>() as f64 / profile.ranked_total() as f64;
    Others { count: ranked().count(), share: Some(share) }
}

/// The sources that rows show.
pub(crate) fn sources_of(rows: &[Row<'_>], args: SourceArgs) -> Sources {
    let mut sources = Sources::new(args);
    for row in rows {
        sources.look_for(row.file);
        row.lines.first().iter().for_each(|line| sources.look_for(line.path));
    }
    sources
}

/// How far the rows can be trusted.
fn trust(profile: &Profile, scan: &Scan, rows: &[Row<'_>], pipe: &Pipe) -> Trust {
    let whole = profile.ranked_total() as f64;
    let of_rows: u64 = rows.iter().map(|row| row.charged.rank).sum();
    let of_all = |part: u64| part as f64 / whole;
    let of_rows = |part: fn(&Row<'_>) -> u64| match of_rows {
        0 => 0.0,
        of_rows => rows.iter().map(part).sum::<u64>() as f64 / of_rows as f64,
    };
    let rank = |at: usize| scan.functions.get(at).map_or(0.0, |it| of_all(it.rank));
    // The roots of other formats are the program's own.
    let is_of_perf = pipe.header_value("source").is_some_and(|it| it.starts_with(b"perf"));
    let shown = Shown {
        first: rank(0),
        second: rank(1),
        rootless: if is_of_perf { of_all(scan.rootless) } else { 0.0 },
        hidden: of_all(scan.hidden),
        cut_in_rows: of_rows(|row| row.cut),
        nameless_in_rows: of_rows(|row| row.nameless),
    };
    let trust = Trust::of(pipe, profile.columns[0].total);
    let samples = trust.samples.or_else(|| samples(profile)).filter(|_| !trust.is_measured);
    Trust { shown: Some(shown), samples, ..trust }
}

/// How many samples there are, if the weights show it.
fn samples(profile: &Profile) -> Option<u64> {
    let mut weights = Weights::default();
    let ranked = profile.stacks().filter(|stack| stack.column == 0 && stack.weight > 0);
    ranked.for_each(|stack| weights.add(stack.weight));
    weights.samples(&profile.columns[0].unit).map(|samples| samples as u64)
}
