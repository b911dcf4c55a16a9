//! The first line: of what the profile is, and how the time is spent.

use common::folded::ThreadState;
use common::names::{FrameParts, printable, printable_name};
use common::numbers::{Unit, counted};
use common::pipe::Pipe;
use common::trust::percent;

use crate::profile::{Column, Measure, Profile};
use crate::scan::{Kinds, Scan};

/// A kind of time with less than this share is not named.
const LEAST: f64 = 0.05;

/// A program that runs for less than this share of the seconds that passed mostly waits.
const MOSTLY: f64 = 0.5;

/// A kind of time, and how much of a column it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindOfTime {
    /// `collecting garbage`
    pub(crate) words: &'static str,
    /// For programs: `garbage`.
    pub(crate) name: &'static str,
    /// Whether it is what threads do, or else how processors work.
    pub(crate) is_of_threads: bool,
    pub(crate) weight: u64,
    /// What it is a part of.
    pub(crate) whole: u64,
}

/// The kinds of time, the most first; none where the input cannot tell.
pub(crate) fn kinds(profile: &Profile, scan: &Scan) -> Vec<KindOfTime> {
    let mut kinds = match has_states(profile) {
        true => states(profile),
        false => Vec::new(),
    };
    let of_processor = profile.columns.iter().position(Column::is_of_processor);
    if let Some(at) = of_processor.or_else(|| profile.columns[0].is_of_time().then_some(0)) {
        let whole = profile.columns[at].total;
        let Kinds { garbage, faults, allocation, kernel, .. } = scan.kinds[at];
        // Where no stack shows the kernel, it was not recorded.
        let others = garbage + faults + allocation + kernel;
        let knows_kernel = of_processor.is_some() && kernel + faults > 0;
        let rest = if knows_kernel { whole - others } else { 0 };
        for (words, name, weight) in [
            ("computing", "computing", rest),
            ("collecting garbage", "garbage", garbage),
            ("faulting pages", "faults", faults),
            ("allocating", "allocation", allocation),
            ("in the kernel", "kernel", kernel),
        ] {
            kinds.push(KindOfTime { words, name, is_of_threads: false, weight, whole });
        }
    }
    kinds.retain(|kind| kind.weight > 0);
    kinds
}

fn has_states(profile: &Profile) -> bool {
    profile.columns.iter().any(|column| matches!(column.measure, Measure::State(_)))
}

fn states(profile: &Profile) -> Vec<KindOfTime> {
    let of = |state| profile.column(Measure::State(state)).map_or(0, |column| column.total);
    let whole = ThreadState::ALL.into_iter().map(of).sum();
    let waiting = of(ThreadState::Waiting) + of(ThreadState::WaitingOrRunnable);
    [
        ("waiting", "waiting", waiting),
        ("running", "running", of(ThreadState::Running)),
        ("without a processor", "runnable", of(ThreadState::Runnable)),
    ]
    .map(|(words, name, weight)| KindOfTime { words, name, is_of_threads: true, weight, whole })
    .to_vec()
}

/// What the profile is called: the program that was recorded, or the only root, or the file.
pub(crate) fn program(profile: &Profile, file: Option<String>, pipe: &Pipe) -> String {
    let recorded = pipe.header_value("program").map(printable);
    recorded.or_else(|| only_root(profile)).or(file).unwrap_or_else(|| "profile".to_owned())
}

/// The root of all stacks, if there is only one, which may be the name of a program.
fn only_root(profile: &Profile) -> Option<String> {
    let weighty = profile.stacks().filter(|stack| stack.weight > 0);
    let mut roots = weighty.filter_map(|stack| stack.frames.first().copied());
    let first = roots.next()?;
    let parts = FrameParts::of(profile.frame(first));
    let is_program = parts.place.is_empty() && parts.marks.is_empty();
    (is_program && roots.all(|root| root == first)).then(|| printable_name(parts.name))
}

/// `ingest: 9.57 s; its 5 threads are 92.1 % waiting`, `app: 9.12 s of CPU: 41.3 % in the kernel`.
pub(crate) fn title(profile: &Profile, kinds: &[KindOfTime], program: &str, pipe: &Pipe) -> String {
    if has_states(profile) {
        let states = said(kinds.iter().filter(|kind| kind.is_of_threads));
        let threads = match profile.threads {
            Some(1) => "its thread is".to_owned(),
            Some(threads) => format!("its {} are", counted(threads as u64, "threads")),
            None => "its threads are".to_owned(),
        };
        let path = profile.column(Measure::Path);
        let elapsed = path.map(|path| format!("{}; ", path.unit.number(path.total)));
        let elapsed = elapsed.unwrap_or_default();
        return format!("{program}: {elapsed}{threads} {}", states.join(", "));
    }
    let all = amount(profile, pipe);
    let kinds = said(kinds.iter());
    match kinds.is_empty() {
        true => format!("{program}: {all}"),
        false => format!("{program}: {all}: {}", kinds.join(", ")),
    }
}

/// `of CPU: 63.5 % collecting garbage`, where the first line says what threads do.
pub(crate) fn of_processor(profile: &Profile, kinds: &[KindOfTime]) -> Option<String> {
    let kinds = kinds.iter().filter(|kind| !kind.is_of_threads && kind.name != "computing");
    let kinds = Some(said(kinds)).filter(|kinds| has_states(profile) && !kinds.is_empty());
    kinds.map(|kinds| format!("of CPU: {}", kinds.join(", ")))
}

/// The kinds that are worth it, the most first: `63.5 % collecting garbage`.
fn said<'k>(kinds: impl Iterator<Item = &'k KindOfTime>) -> Vec<String> {
    let share = |kind: &KindOfTime| kind.weight as f64 / kind.whole as f64;
    let mut kinds: Vec<&KindOfTime> = kinds.filter(|kind| share(kind) >= LEAST).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.weight));
    kinds.into_iter().map(|kind| format!("{} {}", percent(share(kind)), kind.words)).collect()
}

/// `9.12 s of CPU`, `12,345 page-faults`, `41 samples`
fn amount(profile: &Profile, pipe: &Pipe) -> String {
    let column = &profile.columns[0];
    if let Some(seconds) = seconds_run(column, pipe) {
        return format!("{seconds:.2} s of {}", column.word());
    }
    let words = column.unit.words(column.total);
    if column.event.is_some() { format!("{words} of {}", column.word()) } else { words }
}

/// How long it ran, where samples are counted at a known rate.
pub(crate) fn seconds_run(column: &Column, pipe: &Pipe) -> Option<f64> {
    let samples = matches!(&column.unit, Unit::Things(name) if name == "samples");
    let rate = number(pipe.header_value("rate")?)?;
    (samples && column.is_of_processor()).then(|| column.total as f64 / rate)
}

/// `9.57 s`, `999 Hz`
fn number(value: &[u8]) -> Option<f64> {
    let first = bstr::ByteSlice::fields(value).next()?;
    std::str::from_utf8(first).ok()?.replace(',', "").parse().ok()
}

/// How long one program ran, and how long it took, if it mostly waited.
pub(crate) fn waits(profile: &Profile, pipe: &Pipe) -> Option<[f64; 2]> {
    pipe.header_value("program")?;
    let ran = seconds_run(&profile.columns[0], pipe)?;
    let seconds = number(pipe.header_value("seconds")?)?;
    (ran < MOSTLY * seconds).then_some([ran, seconds])
}
