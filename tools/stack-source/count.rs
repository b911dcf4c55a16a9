//! What each line of the source weighs, by itself and with all that it calls.

mod no_line;

use std::cmp::Reverse;

use common::names::{FrameParts, file_and_line};
use common::stacks::{FrameTable, FrameWeights, Room, StackIds, with_room};

use crate::Sort;

/// What is listed: functions, or whole files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum By {
    #[default]
    Function,
    File,
}

/// A function in one file, or a whole file, and what its lines weigh.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Empty where it is a whole file.
    pub(crate) function: Vec<u8>,
    /// The file as it was recorded; empty where no line is known.
    pub(crate) path: Vec<u8>,
    pub(crate) weights: FrameWeights,
    /// In the order of their numbers.
    pub(crate) lines: Vec<Line>,
}

/// A line that is in a stack. Compilers give code that belongs to no line the number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) number: u32,
    pub(crate) weights: FrameWeights,
}

/// Sums the weights of lines; memory grows with distinct frames only.
///
/// Most stacks begin like the one before. So a frame is counted when it is no longer in the next
/// stack, with the weight of all stacks that it was in until then.
#[derive(Default)]
pub(crate) struct Counts {
    tables: Tables,
    frames: FrameTable,
    ids: StackIds,
    /// The part and the line of each frame, by its number in `frames`.
    rows: Vec<Row>,
    /// The frames of the last stack.
    open: Vec<OpenFrame>,
    /// Of each function, in all its files.
    functions: Tally,
    parts: Tally,
    lines: Tally,
}

/// The functions, parts and lines that frames belong to, as numbers.
#[derive(Default)]
struct Tables {
    by: By,
    functions: FrameTable,
    /// The function and the path of each part, an LF between them.
    parts: FrameTable,
    /// The part of each line and its number, as bytes.
    lines: FrameTable,
}

/// The numbers of the function, the part and the line that a frame belongs to.
#[derive(Clone, Copy, Debug)]
struct Row {
    function: u32,
    part: u32,
    line: u32,
}

/// A frame of the last stack, and the weight of the stacks that had it until now.
struct OpenFrame {
    row: Row,
    weight: u64,
}

/// The weights of parts, or of lines, by their numbers.
#[derive(Default)]
struct Tally {
    weights: Vec<FrameWeights>,
    /// How often each is in the last stack: recursion must count once.
    depths: Vec<u32>,
}

impl Counts {
    pub(crate) fn new(by: By) -> Counts {
        Counts { tables: Tables { by, ..Tables::default() }, ..Counts::default() }
    }

    /// Adds a folded stack. The sum of all weights must fit into 64 bits.
    pub(crate) fn add(&mut self, stack: &[u8], weight: u64) {
        self.enter(stack, weight);
        self.charge(self.open.len().checked_sub(1), weight);
    }

    /// Adds a folded stack whose weight is not its leaf's, but that of the frame at this index, or
    /// of no frame.
    pub(crate) fn add_charged(&mut self, stack: &[u8], weight: u64, charged: Option<usize>) {
        self.enter(stack, weight);
        self.charge(charged, weight);
    }

    fn charge(&mut self, charged: Option<usize>, weight: u64) {
        let Some(OpenFrame { row, .. }) = charged.and_then(|at| self.open.get(at)) else { return };
        self.parts.weights[row.part as usize].self_weight += weight;
        self.lines.weights[row.line as usize].self_weight += weight;
    }

    fn enter(&mut self, stack: &[u8], weight: u64) {
        self.ids.of(stack, &mut self.frames);
        self.leave_to(self.ids.kept());
        for (frame, range) in self.ids.fresh() {
            // New frames are numbered in the order in which they are seen here.
            if frame as usize == self.rows.len() {
                self.rows.make_room(1);
                self.rows.push(self.tables.row_of(&stack[range]));
            }
            let row = self.rows[frame as usize];
            self.functions.enter(row.function);
            self.parts.enter(row.part);
            self.lines.enter(row.line);
            self.open.push(OpenFrame { row, weight: 0 });
        }
        if let Some(leaf) = self.open.last_mut() {
            leaf.weight += weight;
        }
    }

    /// Counts all frames but the first `kept`, which are also in the next stack.
    fn leave_to(&mut self, kept: usize) {
        while self.open.len() > kept {
            let Some(OpenFrame { row, weight }) = self.open.pop() else { return };
            self.functions.leave(row.function, weight);
            self.parts.leave(row.part, weight);
            self.lines.leave(row.line, weight);
            if let Some(caller) = self.open.last_mut() {
                caller.weight += weight;
            }
        }
    }

    /// All parts with a weight, the heaviest first. Equal ones are in the order of the other
    /// weight, then of their names.
    pub(crate) fn into_parts(mut self, sort: Sort) -> Vec<Part> {
        self.leave_to(0);
        let mut parts: Vec<Part> = with_room(self.tables.parts.len());
        for (&weights, number) in self.parts.weights.iter().zip(0..) {
            let name = self.tables.parts.name(number);
            let end = name.iter().position(|&byte| byte == b'\n').unwrap_or(name.len());
            let (function, path) = (name[..end].to_vec(), name[end + 1..].to_vec());
            parts.push(Part { function, path, weights, lines: Vec::new() });
        }
        for (&weights, line) in self.lines.weights.iter().zip(0..).filter(|(it, _)| it.total > 0) {
            let ([part, number], _) = self.tables.lines.name(line).as_chunks() else { continue };
            let [part, number] = [part, number].map(|bytes| u32::from_le_bytes(*bytes));
            parts[part as usize].lines.push(Line { number, weights });
        }
        parts.retain(|part| part.weights.total > 0);
        parts.iter_mut().for_each(|part| part.lines.sort_unstable_by_key(|line| line.number));
        parts.sort_by(|a, b| (&a.function, &a.path).cmp(&(&b.function, &b.path)));
        let total_of = |function: &[u8]| {
            let number = self.tables.functions.find(function);
            number.map_or(0, |number| self.functions.weights[number as usize].total)
        };
        if self.tables.by == By::Function {
            parts = no_line::added(parts, total_of);
        }
        parts.sort_by(|a, b| a.key(sort).cmp(&b.key(sort)));
        parts
    }
}

impl Tables {
    /// The row of a frame that was not seen before.
    fn row_of(&mut self, frame: &[u8]) -> Row {
        let FrameParts { name, place, .. } = FrameParts::of(frame);
        let (path, number) = file_and_line(place);
        // For whole files, all frames have the same empty name.
        let name = if self.by == By::Function { name } else { b"" };
        let function = self.functions.intern(name);
        let part = self.parts.intern(&part_key(name, path));
        let line = self.lines.intern([part.to_le_bytes(), number.to_le_bytes()].as_flattened());
        Row { function, part, line }
    }
}

/// What tells parts apart: the function and the path. A name has no line feed.
pub(crate) fn part_key(function: &[u8], path: &[u8]) -> Vec<u8> {
    [function, b"\n", path].concat()
}

impl Tally {
    /// Counts a frame of the next stack that belongs to this part or line. A new one has the next
    /// number.
    fn enter(&mut self, number: u32) {
        let number = number as usize;
        if number >= self.depths.len() {
            self.depths.make_room(1);
            self.depths.push(0);
            self.weights.make_room(1);
            self.weights.push(FrameWeights::default());
        }
        self.depths[number] += 1;
    }

    /// A frame is not in the next stack. A part that is in a stack twice counts at its first frame.
    fn leave(&mut self, number: u32, weight: u64) {
        let number = number as usize;
        self.depths[number] -= 1;
        if self.depths[number] == 0 {
            self.weights[number].total += weight;
        }
    }
}

impl Part {
    /// What parts are sorted by.
    fn key(&self, sort: Sort) -> (Reverse<(u64, u64)>, &[u8], &[u8]) {
        let weights = match sort {
            Sort::SelfWeight | Sort::Own => self.weights.by_self(),
            Sort::Total => self.weights.by_total(),
        };
        (weights, &self.function, &self.path)
    }

    /// What patterns match: the function, or the path of a whole file.
    pub(crate) fn name(&self) -> &[u8] {
        if self.function.is_empty() { &self.path } else { &self.function }
    }

    /// Whether its frames have a file or a line.
    pub(crate) fn has_lines(&self) -> bool {
        !self.path.is_empty() || self.lines.iter().any(|line| line.number > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use bstr::ByteSlice;
    use common::folded::Frames;
    use proptest::prelude::*;

    use super::*;

    /// Of each function, path and line: self and total.
    type Weights = BTreeMap<(String, String, u32), (u64, u64)>;

    fn counted(by: By, stacks: &[(String, u64)]) -> Weights {
        let mut counts = Counts::new(by);
        stacks.iter().for_each(|(stack, weight)| counts.add(stack.as_bytes(), *weight));
        let parts = counts.into_parts(Sort::SelfWeight);
        let of_part = |part: Part| {
            let name = [part.function, part.path].map(|it| it.to_str_lossy().into_owned());
            part.lines.into_iter().map(move |Line { number, weights }| {
                let [function, path] = name.clone();
                ((function, path, number), (weights.self_weight, weights.total))
            })
        };
        parts.into_iter().flat_map(of_part).collect()
    }

    /// The weights that [`counted`] must find, counted one stack at a time. All frames must have
    /// places.
    fn expected(by: By, stacks: &[(String, u64)]) -> Weights {
        let key = |frame: &[u8]| {
            let FrameParts { name, place, .. } = FrameParts::of(frame);
            let (path, line) = file_and_line(place);
            let name = if by == By::Function { name } else { b"" };
            (name.to_str_lossy().into_owned(), path.to_str_lossy().into_owned(), line)
        };
        let mut weights = Weights::new();
        for (stack, weight) in stacks.iter().filter(|(_, weight)| *weight > 0) {
            let frames: Vec<_> = Frames::new(stack.as_bytes()).map(key).collect();
            for frame in frames.iter().collect::<BTreeSet<_>>() {
                weights.entry(frame.clone()).or_default().1 += weight;
            }
            let leaf = frames.last().expect("a frame");
            weights.entry(leaf.clone()).or_default().0 += weight;
        }
        weights
    }

    #[test]
    fn recursion_and_lines_of_one_function_count_once() {
        let stacks = [
            ("main (a.c:9);f (a.c:2);f (a.c:3);f (a.c:2)", 5),
            ("main (a.c:9);f (a.c:2);g (b.h:1)_[i]", 7),
            ("main (a.c:9);f (a.c:0)", 1),
        ]
        .map(|(stack, weight)| (stack.to_owned(), weight));
        let mut counts = Counts::new(By::Function);
        stacks.iter().for_each(|(stack, weight)| counts.add(stack.as_bytes(), *weight));
        let parts = counts.into_parts(Sort::Total);
        let names: Vec<_> = parts.iter().map(|part| part.function.as_bstr()).collect();
        assert_eq!(names, ["f", "main", "g"].map(|it| it.as_bytes().as_bstr()));
        assert_eq!(parts[0].weights, FrameWeights { self_weight: 6, total: 13 });
        let lines: Vec<_> = parts[0].lines.iter().map(|it| (it.number, it.weights.total)).collect();
        assert_eq!(lines, [(0, 1), (2, 12), (3, 5)]);
    }

    #[test]
    fn code_of_no_line_is_in_the_file_of_its_function() {
        let stacks = [("f (a.c:2)", 5), ("f (a.c:2);f", 3), ("g (a.c:1);f", 1), ("g;h (b.c:1)", 1)];
        let parts = |more: Option<(&str, u64)>| {
            let mut counts = Counts::new(By::Function);
            let stacks = stacks.into_iter().chain(more);
            stacks.for_each(|(stack, weight)| counts.add(stack.as_bytes(), weight));
            let parts = counts.into_parts(Sort::SelfWeight);
            let shown = |part: &Part| {
                let weights = |it: FrameWeights| format!("{}/{}", it.self_weight, it.total);
                let line = |line: &Line| format!("{} {}", line.number, weights(line.weights));
                let lines: Vec<_> = part.lines.iter().map(line).collect();
                let [name, path] = [&part.function, &part.path].map(|it| it.to_str_lossy());
                format!("{name} {path} {}: {}", weights(part.weights), lines.join(", "))
            };
            parts.iter().map(shown).collect::<Vec<_>>()
        };
        let expected = ["f a.c 9/9: 0 4/4, 2 5/8", "h b.c 1/1: 1 1/1", "g a.c 0/2: 0 0/1, 1 0/1"];
        assert_eq!(parts(None), expected);
        // Which of two files it is in is not known.
        let two_files = ["f a.c 5/8: 2 5/8", "f  4/4: 0 4/4", "f b.c 1/1: 7 1/1"];
        assert_eq!(parts(Some(("f (b.c:7)", 1)))[..3], two_files);
    }

    proptest! {
        #[test]
        fn weights_are_those_of_one_stack_after_the_other(
            stacks in prop::collection::vec(
                (prop::collection::vec("[ab] \\([xy]:[0-3]\\)(_\\[i\\])?", 1..7), 0..9u64),
                0..40,
            )
        ) {
            let stacks: Vec<_> =
                stacks.into_iter().map(|(frames, weight)| (frames.join(";"), weight)).collect();
            for by in [By::Function, By::File] {
                prop_assert_eq!(counted(by, &stacks), expected(by, &stacks));
            }
        }
    }
}
