//! The rows: what is known of the functions with the most charged to them.

use common::stacks::FrameId;
use hashbrown::HashMap;

use crate::chains::{Callers, Calls};
use crate::change::ChangedFunction;
use crate::functions::{FunctionId, place};
use crate::marks::Marks;
use crate::part::Part;
use crate::profile::{Profile, Stack};
use crate::scan::Charged;

/// A function of own code, and what is known of the stacks that are charged to it.
pub(crate) struct Row<'p> {
    pub(crate) charged: &'p Charged,
    /// How much more or less is charged than before, if that is what a page is about.
    pub(crate) change: Option<String>,
    pub(crate) name: &'p [u8],
    /// The file in which most of it is, as recorded; empty if none is known.
    pub(crate) file: &'p [u8],
    /// The heaviest first.
    pub(crate) lines: Vec<Line<'p>>,
    pub(crate) callers: Callers<'p>,
    /// Of the time for which threads wait with it, where that is another chain.
    pub(crate) waiters: Option<Callers<'p>>,
    pub(crate) calls: Calls<'p>,
    /// The ranked weight of its stacks that are cut, broken or without a root.
    pub(crate) cut: u64,
    /// The ranked weight of its stacks with a frame without a name that it calls.
    pub(crate) nameless: u64,
}

/// A line of a function, and what is charged to it.
#[derive(Clone, Debug)]
pub(crate) struct Line<'p> {
    pub(crate) path: &'p [u8],
    pub(crate) number: u32,
    pub(crate) rank: u64,
    /// By column.
    pub(crate) weights: Vec<u64>,
}

/// The rows of some functions, in their order. `charged` has the function to which each stack is
/// charged.
pub(crate) fn of<'p>(
    profile: &'p Profile,
    marks: &[Marks],
    charged: &[Option<FunctionId>],
    functions: impl Iterator<Item = &'p Charged>,
) -> Vec<Row<'p>> {
    // One row after the other, since each may have most of all stacks.
    let row = |function: &'p Charged| {
        let of_function = charged.iter().enumerate().filter(|(_, it)| **it == function.function);
        let part = |(index, _)| {
            let stack = profile.stack(index)?;
            Some(Part::of(&stack, profile.deepest.of_stack(stack.frames)?))
        };
        let parts: Vec<Part<'p>> = of_function.filter_map(part).collect();
        Row::of(profile, marks, function, &parts)
    };
    functions.map(row).collect()
}

/// The row of a function that changed, which may be of all it calls.
pub(crate) fn of_change<'p>(
    profile: &'p Profile,
    marks: &[Marks],
    changed: &'p ChangedFunction,
) -> Row<'p> {
    let ChangedFunction { charged, with_calls, words } = changed;
    let function = charged.function.unwrap_or_default();
    let part = |stack: Stack<'p>| {
        Some(Part::of(&stack, profile.charged_at(&stack, function, *with_calls)?))
    };
    let parts: Vec<Part<'p>> = profile.stacks().filter_map(part).collect();
    Row { change: Some(words.clone()), ..Row::of(profile, marks, charged, &parts) }
}

impl<'p> Row<'p> {
    fn of(
        profile: &'p Profile,
        marks: &[Marks],
        charged: &'p Charged,
        parts: &[Part<'p>],
    ) -> Row<'p> {
        let function = charged.function.unwrap_or_default();
        let lines = lines(profile, parts);
        let file = lines.first().map_or_else(
            || {
                parts
                    .first()
                    .map_or(&b""[..], |part| place(profile.frame(part.frames[part.at()])).0)
            },
            |line| line.path,
        );
        let rank_if = |is_so: &dyn Fn(&Part<'_>) -> bool| {
            parts.iter().filter(|part| is_so(part)).map(|part| part.rank(profile)).sum()
        };
        let has = |frames: &[FrameId], mark: Marks| {
            frames.iter().any(|frame| marks[*frame as usize].has(mark))
        };
        let callers =
            Callers::of(profile, function, parts.iter().map(|part| (*part, part.rank(profile))));
        let waits = |part: &&Part<'_>| profile.columns[part.column()].is_waiting();
        let waiting = parts.iter().filter(waits).map(|part| (*part, part.weight));
        let waiters = Callers::of(profile, function, waiting);
        let is_other = |it: &Callers<'_>| {
            it.whole > 0 && (it.chain != callers.chain || it.split.len() != callers.split.len())
        };
        let waiters = Some(waiters).filter(is_other);
        Row {
            charged,
            change: None,
            name: profile.functions.name(function),
            file,
            lines,
            callers,
            waiters,
            calls: Calls::of(profile, parts),
            cut: rank_if(&|part| has(part.frames, Marks::CUT)),
            nameless: rank_if(&|part| has(&part.frames[part.at() + 1..], Marks::NAMELESS)),
        }
    }
}

/// The lines that have a number, the heaviest first.
fn lines<'p>(profile: &'p Profile, parts: &[Part<'p>]) -> Vec<Line<'p>> {
    let columns = profile.columns.len();
    let mut sums: HashMap<(&[u8], u32), Line<'p>> = HashMap::new();
    for part in parts {
        let (path, number) = place(profile.frame(part.frames[part.at()]));
        if number > 0 {
            let line = sums.entry((path, number)).or_insert_with(|| Line {
                path,
                number,
                rank: 0,
                weights: vec![0; columns],
            });
            line.rank += part.rank(profile);
            line.weights[part.column()] += part.weight;
        }
    }
    let mut lines: Vec<Line<'p>> = sums.into_values().collect();
    let total = |line: &Line<'_>| line.weights.iter().map(|it| u128::from(*it)).sum::<u128>();
    lines.sort_by(|a, b| {
        let place = (a.path, a.number).cmp(&(b.path, b.number));
        b.rank.cmp(&a.rank).then(total(b).cmp(&total(a))).then(place)
    });
    lines
}
