//! Who calls a function, and what it calls.

use std::collections::{BTreeMap, HashMap};

use common::io::{Screen, Total};
use common::numbers::{grouped, share};
use common::stacks::{FrameId, SortedStack};

use crate::Answer;
use crate::asked::{Pattern, Patterns};
use crate::profile::Profile;
use crate::table::Columns;

/// What a function is to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    Caller,
    Callee,
}

impl Relation {
    /// The name for the stacks in which there is none.
    fn nobody(self) -> &'static str {
        match self {
            Relation::Caller => "[no caller]",
            Relation::Callee => "[self]",
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Relation::Caller => "caller",
            Relation::Callee => "callee",
        }
    }
}

/// The callers or the callees of one function.
pub(crate) struct Family {
    pub(crate) function: FrameId,
    pub(crate) relation: Relation,
    /// The heaviest first; `None` is a stack in which there is none: the function
    /// is the root, or it is the leaf.
    pub(crate) relatives: Vec<(Option<FrameId>, u64)>,
}

/// The families that were asked for, those of the heaviest function first.
pub(crate) struct Families {
    pub(crate) families: Vec<Family>,
    /// What the stacks weigh that hold such a function.
    weight: u64,
}

impl Families {
    /// The callers and callees that the patterns ask for, if they ask for any.
    ///
    /// Every stack that holds a function counts for one caller of it and for one
    /// callee, so that they add up to its total. In a recursion these are the caller
    /// of the outermost call and the callee of the innermost.
    pub(crate) fn of(profile: &Profile, patterns: &Patterns) -> Option<Families> {
        if patterns.callers.is_none() && patterns.callees.is_none() {
            return None;
        }
        let frames = profile.stacks.frames();
        let matches = |pattern: &Option<Pattern>| match pattern {
            Some(pattern) => pattern.matches(frames),
            None => vec![false; frames.len()],
        };
        let (callers, callees) = (matches(&patterns.callers), matches(&patterns.callees));
        let mut found: BTreeMap<(FrameId, Relation), HashMap<Option<FrameId>, u64>> =
            BTreeMap::new();
        let mut weight = 0;
        let mut seen = Seen::new(frames.len());
        for stack in profile.stacks.iter().filter(|stack| stack.weight > 0) {
            let mut add = |function, relation, other| {
                *found.entry((function, relation)).or_default().entry(other).or_default() +=
                    stack.weight;
            };
            let SortedStack { frames, .. } = stack;
            let is_callee = |&frame: &FrameId| callers[frame as usize];
            seen.first_of_each(frames.iter().copied().enumerate(), is_callee, |at, frame| {
                let caller = at.checked_sub(1).map(|caller| frames[caller]);
                add(frame, Relation::Caller, caller);
            });
            let is_caller = |&frame: &FrameId| callees[frame as usize];
            seen.first_of_each(frames.iter().copied().enumerate().rev(), is_caller, |at, frame| {
                add(frame, Relation::Callee, frames.get(at + 1).copied());
            });
            if frames.iter().any(|frame| is_callee(frame) || is_caller(frame)) {
                weight += stack.weight;
            }
        }
        let families = found.into_iter().map(|((function, relation), relatives)| {
            let mut relatives: Vec<_> = relatives.into_iter().collect();
            relatives.sort_by(|(a, one), (b, other)| other.cmp(one).then(a.cmp(b)));
            Family { function, relation, relatives }
        });
        let mut families: Vec<_> = families.collect();
        let total = |family: &Family| profile.weights[family.function as usize].total;
        // Stable, so that callers stay before callees.
        families.sort_by(|a, b| total(b).cmp(&total(a)).then(a.function.cmp(&b.function)));
        Some(Families { families, weight })
    }

    /// A table for each family, with an empty line between two.
    pub(crate) fn tables(&self, profile: &Profile, rows: usize, screen: &Screen) -> Answer {
        let mut text = Vec::new();
        for family in self.families.iter().take(rows) {
            if !text.is_empty() {
                text.push(b'\n');
            }
            family.append_table(profile, rows, screen, &mut text);
        }
        let left = self.families.len().saturating_sub(rows);
        if left > 0 {
            text.extend_from_slice(
                format!("\n{} more functions match\n", grouped(left as u64)).as_bytes(),
            );
        }
        Answer::new(text, self.shown())
    }

    /// Whether a function matches the pattern of this relation.
    pub(crate) fn has(&self, relation: Relation) -> bool {
        self.families.iter().any(|family| family.relation == relation)
    }

    /// How many families there are, and what the stacks with their functions weigh.
    pub(crate) fn shown(&self) -> Total {
        Total { lines: self.families.len() as u64, weight: self.weight.into() }
    }
}

impl Family {
    fn append_table(&self, profile: &Profile, rows: usize, screen: &Screen, out: &mut Vec<u8>) {
        let total = profile.weights[self.function as usize].total;
        let cells = |weight| [profile.unit.number(weight), share(weight, total)];
        let mut lines: Vec<([String; 2], Vec<u8>)> = self
            .relatives
            .iter()
            .take(rows)
            .map(|&(other, weight)| (cells(weight), self.name(profile, other).to_vec()))
            .collect();
        let others = self.relatives.get(rows..).unwrap_or_default();
        if !others.is_empty() {
            let weight = others.iter().map(|(_, weight)| weight).sum();
            let plural = if others.len() == 1 { "" } else { "s" };
            let name = format!("{} other{plural}", grouped(others.len() as u64));
            lines.push((cells(weight), name.into_bytes()));
        }
        let heads = ["WEIGHT", "SHARE"].map(str::to_owned);
        let columns = Columns::of(lines.iter().map(|(cells, _)| cells).chain([&heads]));
        let head = match self.relation {
            Relation::Caller => "CALLERS OF ",
            Relation::Callee => "CALLEES OF ",
        };
        let before = columns.width();
        let function = screen.name(profile.name(self.function), before + head.len());
        columns.line(&heads, &[head, &function].concat().into_bytes(), out);
        for (cells, name) in &lines {
            columns.line(cells, screen.name(name, before).as_bytes(), out);
        }
        let (of_function, all) = (profile.unit.number(total), profile.unit.words(profile.total));
        let foot = format!("{of_function} of {all} ({})\n", share(total, profile.total));
        out.extend_from_slice(foot.as_bytes());
    }

    pub(crate) fn name<'a>(&self, profile: &'a Profile, relative: Option<FrameId>) -> &'a [u8] {
        relative.map_or(self.relation.nobody().as_bytes(), |frame| profile.name(frame))
    }
}

/// Which frames of a stack were already met.
struct Seen {
    /// For each frame, the number of the last walk that met it.
    walks: Vec<u64>,
    walk: u64,
}

impl Seen {
    fn new(frames: usize) -> Seen {
        Seen { walks: vec![0; frames], walk: 0 }
    }

    /// Calls `each` with the first position of each frame that is wanted.
    fn first_of_each(
        &mut self,
        frames: impl Iterator<Item = (usize, FrameId)>,
        is_wanted: impl Fn(&FrameId) -> bool,
        mut each: impl FnMut(usize, FrameId),
    ) {
        self.walk += 1;
        for (at, frame) in frames.filter(|(_, frame)| is_wanted(frame)) {
            if std::mem::replace(&mut self.walks[frame as usize], self.walk) != self.walk {
                each(at, frame);
            }
        }
    }
}
