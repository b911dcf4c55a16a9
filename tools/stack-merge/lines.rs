//! The lines in the source that frames keep: for each function the one in which it weighs most, or
//! none.

use std::cmp::Reverse;

use clap::ValueEnum;
use common::folded::{Frames, StackBuf};
use common::names::{FrameParts, file_and_line};
use common::stacks::{FrameId, FrameTable, StackIds};
use hashbrown::HashMap;

/// Which lines stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lines {
    /// Every line
    All,
    /// For each function of a file, the line in which it weighs most
    Heaviest,
    /// The same for functions that are marked as own code, and no lines elsewhere
    Own,
    /// No line
    None,
}

/// What the frames weigh. Memory grows with distinct frames only.
#[derive(Default)]
pub(crate) struct LineWeights {
    frames: FrameTable,
    ids: StackIds,
    /// By the numbers of frames.
    weights: Vec<Weight>,
    /// How many stacks were added.
    stacks: u64,
    /// The frames of the last stack.
    open: Vec<FrameId>,
}

/// The weight of the stacks with a frame.
#[derive(Clone, Copy, Default)]
struct Weight {
    sum: u64,
    /// The number of the last of these stacks, counted from 1.
    last: u64,
}

/// A line of a function, and what it weighs. The heaviest is the greatest; of equal ones, that with
/// the lowest number. Code that belongs to no line has the number 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Line<'a> {
    is_known: bool,
    weight: u64,
    number: Reverse<u32>,
    /// Places of one line may differ in the column.
    place: Reverse<&'a [u8]>,
}

/// The frames that replace others.
pub(crate) struct Replaced(HashMap<Vec<u8>, Vec<u8>>);

impl LineWeights {
    /// Adds a stack, each frame once.
    pub(crate) fn add(&mut self, stack: &[u8], weight: u64) {
        self.ids.of(stack, &mut self.frames);
        self.open.truncate(self.ids.kept());
        self.open.extend(self.ids.fresh().map(|(frame, _)| frame));
        self.weights.resize(self.frames.len(), Weight::default());
        self.stacks += 1;
        for &frame in &self.open {
            let Weight { sum, last } = &mut self.weights[frame as usize];
            if std::mem::replace(last, self.stacks) != self.stacks {
                *sum = sum.saturating_add(weight);
            }
        }
    }

    /// What frames become where only these lines stay. Code of no line gets the line of its
    /// function, too, where all lines of that name are in one file.
    pub(crate) fn replaced(&self, lines: Lines) -> Replaced {
        let heaviest = self.heaviest();
        let mut of_name: HashMap<&[u8], Option<Line<'_>>> = HashMap::new();
        for ((name, _), line) in &heaviest {
            of_name.entry(name).and_modify(|it| *it = None).or_insert(Some(*line));
        }
        let replaced = self.parts().map(|(parts, _)| {
            let FrameParts { name, place, marks } = parts;
            let line = match place {
                [] => of_name.get(name).copied().flatten(),
                place => heaviest.get(&(name, file_and_line(place).0)).copied(),
            };
            let stays = match lines {
                Lines::None => false,
                Lines::Own => parts.has_mark(b'o'),
                Lines::Heaviest | Lines::All => true,
            };
            let with = |place: &[u8]| match place {
                [] => [name, marks].concat(),
                place => [name, b" (", place, b")", marks].concat(),
            };
            (with(place), with(line.filter(|_| stays).map_or(b"", |line| line.place.0)))
        });
        Replaced(replaced.filter(|(frame, other)| frame != other).collect())
    }

    /// The heaviest line of each function, by its name and file.
    fn heaviest(&self) -> HashMap<(&[u8], &[u8]), Line<'_>> {
        let mut sums: HashMap<(&[u8], &[u8], u32), Line<'_>> = HashMap::new();
        for (parts, weight) in self.parts().filter(|(parts, _)| !parts.place.is_empty()) {
            let (path, number) = file_and_line(parts.place);
            let (is_known, place) = (number > 0, Reverse(parts.place));
            let line = Line { is_known, weight: 0, number: Reverse(number), place };
            let sum = sums.entry((parts.name, path, number)).or_insert(line);
            sum.weight = sum.weight.saturating_add(weight);
            sum.place = sum.place.max(place);
        }
        let mut heaviest = HashMap::new();
        for ((name, path, _), line) in sums {
            let best = heaviest.entry((name, path)).or_insert(line);
            *best = line.max(*best);
        }
        heaviest
    }

    /// All frames, and what they weigh.
    fn parts(&self) -> impl Iterator<Item = (FrameParts<'_>, u64)> {
        let parts = |frame| FrameParts::of(self.frames.name(frame));
        self.weights.iter().zip(0..).map(move |(weight, frame)| (parts(frame), weight.sum))
    }
}

impl Replaced {
    /// Writes a stack to `out`, with the lines that stay.
    pub(crate) fn replace(&self, stack: &[u8], out: &mut StackBuf) {
        out.set(Frames::new(stack).map(|frame| self.0.get(frame).map_or(frame, Vec::as_slice)));
    }
}
