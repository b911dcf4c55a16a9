//! What else the stacks show: one line for each thing.

use common::folded::ThreadState;
use common::names::{CodeKind, FrameParts, base_of_place, printable};
use common::numbers::{Unit, grouped};
use common::pipe::Pipe;
use common::trust::percent;
use hashbrown::HashMap;

use crate::functions::FunctionId;
use crate::marks::Marks;
use crate::names::name_text;
use crate::profile::{Column, Measure, Profile, Stack};
use crate::scan::Scan;
use crate::title;
use crate::walk::Tower;

/// What is less than this share of the whole is not worth a line.
const LEAST: f64 = 0.1;

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The lines.
pub(crate) fn lines(profile: &Profile, scan: &Scan, pipe: &Pipe) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(match profile.deepest.kind {
        CodeKind::Own => None,
        CodeKind::Library => {
            Some("no frame is known to be own code: the rows are libraries".to_owned())
        }
        _ => Some("no frame is known to be own code: the rows are what may be own".to_owned()),
    });
    if let Some([ran, seconds]) = title::waits(profile, pipe) {
        lines.push(format!(
            "it ran for {ran:.2} s of {seconds:.2} s: for what it waits is not in this recording: as \
             root, stack-flame --brief records it"
        ));
    }
    if profile.lacks_waits() {
        lines
            .push("for what threads wait is not in this recording: the rows are of CPU".to_owned());
    }
    lines.extend(events(profile));
    lines.extend(locks(profile, scan));
    lines.extend(runnable(profile));
    lines.extend(not_own(profile, scan));
    lines.extend(scan.tower.as_ref().and_then(|tower| recursion(profile, tower)));
    lines
}

/// Of so many other events there is a line.
const EVENTS: usize = 4;

/// Fewer samples of an event say nothing.
const FEWEST: u64 = 30;

/// The function with most of each other event, and its heaviest line: first what is time or memory.
fn events(profile: &Profile) -> Vec<String> {
    let is_measured = |column: &Column| matches!(column.unit, Unit::Time(_) | Unit::Bytes);
    let others = profile.columns.iter().enumerate();
    let mut others: Vec<_> = others
        .filter(|(_, it)| it.measure == Measure::Event && it.total > 0)
        .filter(|(_, it)| is_measured(it) || it.total >= FEWEST)
        .collect();
    others.sort_by_key(|(_, column)| !is_measured(column));
    let line = |(at, column): (usize, &Column)| {
        let all = format!("{} {}", column.word(), column.unit.words(column.total));
        match heaviest(profile, |stack| stack.column == at) {
            Some((share, text)) if share > 0.0 => format!("{all}: {} in {text}", percent(share)),
            _ => format!("{all}, none in own code"),
        }
    };
    others.into_iter().take(EVENTS).map(line).collect()
}

/// The function of own code with the most of these stacks, `Journal::append ingest.cpp:78` with its
/// heaviest line, and its share of them.
fn heaviest(profile: &Profile, is_meant: impl Fn(&Stack<'_>) -> bool) -> Option<(f64, String)> {
    let (mut functions, mut places, mut all) = (HashMap::new(), HashMap::new(), 0_u64);
    for stack in profile.stacks().filter(is_meant) {
        all += stack.weight;
        let Some(at) = profile.deepest.of_stack(stack.frames) else { continue };
        let frame = stack.frames[at];
        let function = profile.functions.of_frame(frame);
        *functions.entry(function).or_insert(0) += stack.weight;
        let place = FrameParts::of(profile.frame(frame)).place;
        *places.entry((function, place)).or_insert(0) += stack.weight;
    }
    let first = |(function, weight): (&FunctionId, &u64)| {
        (*weight, std::cmp::Reverse(profile.functions.name(*function).to_vec()))
    };
    let (&function, &weight) = functions.iter().max_by_key(|it| first(*it))?;
    let of_function = places.iter().filter(|((it, _), _)| *it == function);
    let place = of_function.max_by_key(|((_, place), weight)| (*weight, std::cmp::Reverse(*place)));
    let place = place.map_or(&b""[..], |((_, place), _)| base_of_place(place));
    let name = name_text(profile.functions.name(function), 40);
    let text = if place.is_empty() { name } else { format!("{name} {}", printable(place)) };
    Some((share(weight, all), text))
}

fn locks(profile: &Profile, scan: &Scan) -> Option<String> {
    let columns = profile.columns.iter().zip(&scan.kinds).filter(|(it, _)| it.is_waiting());
    let (locks, all) = columns
        .fold((0, 0), |(locks, all), (column, kinds)| (locks + kinds.locks, all + column.total));
    let share = share(locks, all);
    let is_lock = |stack: &Stack<'_>| {
        let has = |frame: &u32| scan.marks[*frame as usize].has(Marks::LOCK);
        profile.columns[stack.column].is_waiting() && stack.frames.iter().any(has)
    };
    let of_locks = |(share, text): (f64, String)| match percent(share) {
        all if all == "100.0 %" => format!("; all of it in {text}"),
        share => format!("; {share} of it in {text}"),
    };
    let unit = &profile.columns.iter().find(|it| it.is_waiting())?.unit;
    (share >= LEAST).then(|| {
        let most = heaviest(profile, is_lock).map(of_locks).unwrap_or_default();
        format!("locks: {} of waiting, {} of all{most}", unit.words(locks), percent(share))
    })
}

fn runnable(profile: &Profile) -> Option<String> {
    let runnable = profile.column(Measure::State(ThreadState::Runnable))?;
    let states = profile.columns.iter().filter(|it| matches!(it.measure, Measure::State(_)));
    let share = share(runnable.total, states.map(|it| it.total).sum());
    let why = "other programs had it, or there are too many threads";
    (share >= LEAST)
        .then(|| format!("for {} of the time no processor was free: {why}", percent(share)))
}

fn not_own(profile: &Profile, scan: &Scan) -> Option<String> {
    let share = share(scan.not_own.rank, profile.ranked_total());
    (share >= LEAST).then(|| {
        let most = heaviest_leaf(profile, scan).map(|leaf| format!(", most of it in {leaf}"));
        format!("{} is in stacks without own code{}", percent(share), most.unwrap_or_default())
    })
}

/// The function in which most of the weight of stacks without own code ends.
fn heaviest_leaf(profile: &Profile, scan: &Scan) -> Option<String> {
    let mut leaves: HashMap<FunctionId, u64> = HashMap::new();
    let without = profile.stacks().zip(&scan.charged).filter(|(_, charged)| charged.is_none());
    for (stack, _) in without {
        if let Some(leaf) = stack.frames.last() {
            *leaves.entry(profile.functions.of_frame(*leaf)).or_default() += profile.rank(&stack);
        }
    }
    let name = |function: FunctionId| profile.functions.name(function);
    let first = leaves
        .into_iter()
        .max_by(|(a, one), (b, other)| one.cmp(other).then_with(|| name(*b).cmp(name(*a))));
    let (leaf, weight) = first?;
    // Where there are many, the first says little.
    (2 * weight >= scan.not_own.rank).then(|| name_text(name(leaf), 40))
}

fn recursion(profile: &Profile, tower: &Tower) -> Option<String> {
    let share = share(tower.weight, profile.ranked_total());
    let name = name_text(profile.functions.name(tower.function), 50);
    let times = grouped(tower.height.into());
    (share >= LEAST).then(|| {
        format!(
            "recursion: {name} is up to {times} times in a stack; stacks with it are {} of all",
            percent(share)
        )
    })
}
