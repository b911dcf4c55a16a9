//! What came in: stacks, and what each of them is measured by.

mod columns;
mod path;

use common::folded::{FoldedLine, StackBuf, ThreadState};
use common::io::Files;
use common::numbers::Unit;
use common::own_code::Deepest;
use common::pipe::{Limit, Pipe};
use common::stacks::{FrameId, SortedStack, SortedStacks, StackCounts};
use common::{Result, critical::Slices};
use hashbrown::HashMap;

use crate::functions::{FunctionId, Functions};
pub(crate) use columns::{Column, Measure};
use path::Path;

/// The stacks of one profile.
pub(crate) struct Profile {
    stacks: SortedStacks,
    pub(crate) columns: Vec<Column>,
    /// The column of each root that is the name of one, not a frame.
    roots: HashMap<FrameId, usize>,
    pub(crate) deepest: Deepest,
    pub(crate) functions: Functions,
    /// How many threads the slices are of.
    pub(crate) threads: Option<usize>,
}

/// A stack of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack<'a> {
    pub(crate) column: usize,
    /// Root first.
    pub(crate) frames: &'a [FrameId],
    /// How many of the first frames are also those of the stack before, at least.
    pub(crate) shared: usize,
    /// May be 0.
    pub(crate) weight: u64,
}

/// What the lines have.
#[derive(Default)]
struct Seen {
    states: bool,
    events: bool,
    /// All slices, unless some line is none.
    slices: Option<Slices>,
}

impl Profile {
    /// Reads all lines; `None` if nothing weighs anything.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub(crate) fn read(
        files: &Files,
        unit: Option<&str>,
        pipe: &mut Pipe,
    ) -> Result<Option<Profile>> {
        let mut below = StackBuf::default();
        let mut seen = Seen { slices: Some(Slices::default()), ..Seen::default() };
        let mut counts = pipe.lines(files).sums(Limit::AllStacks, |line, buffer| {
            let Some(root) = seen.root_of(&line) else { return line.stack };
            below.set_below(root, line.stack);
            buffer.clear();
            buffer.extend_from_slice(below.as_bytes());
            buffer
        })?;
        let path = seen.slices.take().and_then(Path::of);
        path.iter().for_each(|path| path.add_to(&mut counts));
        let stacks = counts.into_sorted();
        let (columns, roots) = columns::of(&stacks, seen.states, seen.events, unit, pipe);
        let threads = path.map(|path| path.threads);
        let mut profile = Profile::of(stacks, columns, roots, threads);
        profile.rank_by_time();
        profile.rank_no_waits_without_code();
        Ok((profile.ranked_total() > 0).then_some(profile))
    }

    /// The stacks of two sides that are compared: below the root of each file, which has this measure.
    pub(crate) fn of_sides(counts: StackCounts, files: &[(&str, Measure)], unit: Unit) -> Profile {
        let stacks = counts.into_sorted();
        let (columns, roots) = columns::of_sides(&stacks, files, &unit);
        Profile::of(stacks, columns, roots, None)
    }

    fn of(
        stacks: SortedStacks,
        columns: Vec<Column>,
        roots: HashMap<FrameId, usize>,
        threads: Option<usize>,
    ) -> Profile {
        let deepest = Deepest::of(&stacks);
        let functions = Functions::of(stacks.frames());
        let mut profile = Profile { stacks, columns, roots, deepest, functions, threads };
        let mut totals = vec![0; profile.columns.len()];
        profile.stacks().for_each(|stack| totals[stack.column] += stack.weight);
        profile.columns.iter_mut().zip(totals).for_each(|(it, total)| it.total = total);
        profile
    }

    /// The stacks below this root.
    pub(crate) fn stacks_below(&self, root: &str) -> impl Iterator<Item = (&[FrameId], u64)> {
        let root = self.stacks.frames().find(root.as_bytes());
        let below = self.stacks.iter().filter(move |it| root == Some(it.frames[0]));
        below.filter(|it| it.weight > 0).map(|it| (&it.frames[1..], it.weight))
    }

    /// Where so few samples were taken of the first event that the program hardly ran, functions are
    /// ranked by the event that measures most time, such as how long threads were parked.
    fn rank_by_time(&mut self) {
        /// Fewer samples say nothing.
        const FEWEST: u64 = 30;
        let [first, others @ ..] = &self.columns[..] else { return };
        let is_few = first.unit == Unit::Things("samples".to_owned()) && first.total < FEWEST;
        let is_time = |it: &&Column| it.measure == Measure::Event && it.unit == Unit::Time(1);
        let most = others.iter().filter(is_time).max_by_key(|it| it.total);
        if let Some(most) = most.filter(|most| is_few && most.total > 0) {
            let at = self.columns.iter().position(|it| std::ptr::eq(it, most)).unwrap_or_default();
            self.columns.swap(0, at);
            for column in self.roots.values_mut() {
                *column = match *column {
                    0 => at,
                    it if it == at => 0,
                    it => it,
                };
            }
            (self.columns[0].measure, self.columns[at].measure) = (Measure::Weight, Measure::Event);
            (self.columns[0].is_ranked, self.columns[at].is_ranked) = (true, false);
        }
    }

    /// Without root, nobody records with which stacks threads wait: then only running is ranked.
    fn rank_no_waits_without_code(&mut self) {
        let mut has_code = vec![false; self.columns.len()];
        for stack in self.stacks().filter(|stack| self.columns[stack.column].is_waiting()) {
            has_code[stack.column] |= self.deepest.of_stack(stack.frames).is_some();
        }
        for (column, has_code) in self.columns.iter_mut().zip(has_code) {
            column.is_ranked &= has_code || !column.is_waiting();
        }
    }

    /// Whether threads wait, and nothing shows for what.
    pub(crate) fn lacks_waits(&self) -> bool {
        let unranked = |it: &Column| it.is_waiting() && it.total > 0 && !it.is_ranked;
        self.column(Measure::Path).is_none() && self.columns.iter().any(unranked)
    }

    /// All stacks.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = Stack<'_>> {
        self.stacks.iter().map(|stack| self.of_column(&stack))
    }

    /// The stack with this index among all stacks.
    pub(crate) fn stack(&self, index: usize) -> Option<Stack<'_>> {
        self.stacks.get(index).map(|stack| self.of_column(&stack))
    }

    /// The stack without the root that is the name of its column.
    fn of_column<'s>(&self, stack: &SortedStack<'s>) -> Stack<'s> {
        let column = match self.roots.is_empty() {
            true => None,
            false => self.roots.get(&stack.frames[0]).copied(),
        };
        let first = usize::from(column.is_some());
        Stack {
            column: column.unwrap_or_default(),
            frames: &stack.frames[first..],
            shared: stack.shared.saturating_sub(first),
            weight: stack.weight,
        }
    }

    /// The index of the frame of a function in a stack: where it is the deepest of own code, or with
    /// all it calls, the deepest of its own.
    pub(crate) fn charged_at(
        &self,
        stack: &Stack<'_>,
        function: FunctionId,
        with_calls: bool,
    ) -> Option<usize> {
        let is_this = |at: &usize| self.functions.of_frame(stack.frames[*at]) == function;
        match with_calls {
            true => self.deepest.all_of_stack(stack.frames).find(is_this),
            false => self.deepest.of_stack(stack.frames).filter(is_this),
        }
    }

    /// The name, the place and the marks of a frame.
    pub(crate) fn frame(&self, frame: FrameId) -> &[u8] {
        self.stacks.frames().name(frame)
    }

    pub(crate) fn frame_count(&self) -> usize {
        self.stacks.frames().len()
    }

    /// The sum of the columns by which functions are ranked.
    pub(crate) fn ranked_total(&self) -> u64 {
        self.columns.iter().filter(|column| column.is_ranked).map(|column| column.total).sum()
    }

    /// The weight of a stack by which functions are ranked.
    pub(crate) fn rank(&self, stack: &Stack<'_>) -> u64 {
        if self.columns[stack.column].is_ranked { stack.weight } else { 0 }
    }

    /// The column with this measure.
    pub(crate) fn column(&self, measure: Measure) -> Option<&Column> {
        self.columns.iter().find(|column| column.measure == measure)
    }
}

impl Seen {
    /// The name of the column of a line, if it has labels that say one.
    fn root_of<'l>(&mut self, line: &FoldedLine<'l>) -> Option<&'l [u8]> {
        let is_slice = self.slices.as_mut().is_some_and(|slices| slices.add(line).is_ok());
        if !is_slice {
            self.slices = None;
        }
        if line.labels.is_empty() {
            return None;
        }
        if let Some(state) = line.labels.get(b"state").and_then(ThreadState::of_label) {
            self.states = true;
            return Some(state.frame().as_bytes());
        }
        let event = line.labels.get(b"event")?;
        self.events = true;
        Some(event)
    }
}
