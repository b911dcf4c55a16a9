//! The stack that is folded after each push.

use std::ops::Range;

use super::{LONGEST_PERIOD, Level, Tower};

/// A stack without towers: every prefix of it is folded, too.
#[derive(Default)]
pub(super) struct FoldingStack {
    max_period: usize,
    min_height: u32,
    /// Whether repetitions are joined that do not have exactly the same frames.
    pub(super) optional_frames: bool,
    frames: Vec<u32>,
    /// What is known of each frame, in the same order.
    entries: Vec<FrameEntry>,
    /// The first note is empty and shared by all frames without one of their own, which are most.
    notes: Vec<Note>,
    /// Frames that were taken off and must be pushed again, the next one last.
    pending: Vec<(u32, FrameEntry)>,
}

#[derive(Clone, Copy)]
struct FrameEntry {
    height: u32,
    /// The frame's index in the input.
    origin: u32,
    note: usize,
}

/// What is known of a frame that is also among the `max_period` frames below it.
#[derive(Clone, Copy, Default)]
struct Note {
    /// Which of the `max_period` frames below are the same; the lowest bit is the nearest.
    same: u16,
    /// At `p - 1`: how many frames in a row, ending with this one, equal the frames `p` below.
    repeats: [u32; LONGEST_PERIOD],
    /// At `p - 1`: the tower with period `p` that ends with this frame.
    towers: [Repetitions; LONGEST_PERIOD],
    joinable: Joinable,
}

/// The repetitions of a tower; 0 where there is none.
#[derive(Clone, Copy, Default)]
struct Repetitions {
    /// Those that are there now, to which a further repetition is added.
    now: u32,
    /// The most that followed each other at any time: `map` in `rename;map;map;map;rename;map` has
    /// 3, though only 1 is there now.
    greatest: u32,
}

/// The repetitions below a frame that start with it and can be joined into the longest of them.
#[derive(Clone, Copy, Default)]
struct Joinable {
    repetitions: u32,
    lowest: usize,
    /// Start and end of the longest repetition; equal if there is no repetition.
    longest: (usize, usize),
}

impl FoldingStack {
    /// Returns an empty stack for towers of at least `min_height` repetitions, which is 2 or more.
    pub(super) fn new(max_period: usize, min_height: u32) -> Self {
        Self { max_period, min_height, optional_frames: true, ..Self::default() }
    }

    /// Removes all frames.
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.entries.clear();
        self.notes.clear();
        self.notes.push(Note::default());
    }

    /// Makes the stack the same as `other`, whose options are the same, and keeps its own memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.frames.clone_from(&other.frames);
        self.entries.clone_from(&other.entries);
        self.notes.clone_from(&other.notes);
    }

    /// Returns how many leading frames have nothing to fold: those before the first frame that is
    /// also among the `max_period` below it.
    pub(super) fn plain(&self, frames: &[u32]) -> usize {
        let again = |&at: &usize| self.same_below(&frames[..at], frames[at]) != 0;
        (0..frames.len()).find(again).unwrap_or(frames.len())
    }

    /// Makes the stack hold `frames`, which have nothing to fold.
    pub(super) fn start_with(&mut self, frames: &[u32]) {
        self.clear();
        self.frames.extend_from_slice(frames);
        let entries =
            (0..frames.len()).map(|at| FrameEntry { height: 1, origin: at as u32, note: 0 });
        self.entries.extend(entries);
    }

    /// Puts a frame, at `origin` in the input, on the stack and folds the tower that it completes.
    pub(super) fn push(&mut self, frame: u32, origin: u32) {
        // Most towers are functions that call themselves, so these take a short path.
        if self.min_height == 2 && self.frames.last() == Some(&frame) {
            self.add_to_run();
            return;
        }
        self.push_entry(frame, FrameEntry { height: 1, origin, note: 0 });
        while let Some((frame, entry)) = self.pending.pop() {
            self.push_entry(frame, entry);
        }
    }

    /// Returns the frames, root first.
    pub(super) fn levels(&self) -> impl Iterator<Item = Level> {
        let entries = self.frames.iter().zip(&self.entries);
        entries.map(|(&frame, &FrameEntry { height, origin, .. })| Level { frame, height, origin })
    }

    /// Returns the towers that were folded, by their last frame.
    pub(super) fn towers(&self) -> impl Iterator<Item = Tower> {
        let noted = self.entries.iter().enumerate().filter(|(_, entry)| entry.note > 0);
        noted.flat_map(|(at, entry)| {
            let towers = (1..).zip(self.notes[entry.note].towers);
            towers.filter(|(_, repetitions)| repetitions.greatest > 0).map(
                move |(period, repetitions)| Tower {
                    start: at + 1 - period,
                    period,
                    height: repetitions.greatest,
                },
            )
        })
    }

    fn push_entry(&mut self, frame: u32, entry: FrameEntry) {
        let top = self.frames.len();
        // All rules need a frame that was there one repetition before.
        let same = self.same_below(&self.frames, frame);
        self.frames.push(frame);
        self.entries.push(entry);
        if same == 0 && entry.note == 0 {
            return;
        }
        let note = self.note_mut(top);
        note.same = same;
        note.repeats = [0; LONGEST_PERIOD];
        note.joinable = Joinable::default();
        let mut repetitions_end = false;
        for at in ones(same) {
            let repeats = self.note(top - 1).repeats[at] + 1;
            self.note_mut(top).repeats[at] = repeats;
            repetitions_end |= repeats as usize > at;
        }
        let folded = repetitions_end && self.fold_cycle();
        if same != 0 && !folded && self.optional_frames {
            self.fold_optional_frames();
        }
    }

    /// Folds one more of the topmost frame.
    fn add_to_run(&mut self) {
        let top = self.frames.len() - 1;
        let repetitions = self.repetitions(top..top + 1) + 1;
        self.entries[top].height += 1;
        self.add_tower(top..top + 1, repetitions);
    }

    /// Returns which of the `max_period` topmost `frames` are `frame`, the nearest as lowest bit.
    #[inline]
    fn same_below(&self, frames: &[u32], frame: u32) -> u16 {
        let Some(window) = frames.last_chunk::<LONGEST_PERIOD>() else {
            return self.same_in(frames, frame);
        };
        // Mostly none is the same, so comparing all of them is faster than stopping early.
        let any = window.iter().fold(false, |any, &below| any | (below == frame));
        if any { self.same_in(window, frame) } else { 0 }
    }

    fn same_in(&self, window: &[u32], frame: u32) -> u16 {
        let bit = |same, &below: &u32| same << 1 | u16::from(below == frame);
        window.iter().fold(0, bit) & u16::MAX >> (LONGEST_PERIOD - self.max_period)
    }

    /// Folds the repetitions with exactly the same frames that end at the top; returns false if
    /// there are too few.
    fn fold_cycle(&mut self) -> bool {
        let Some(period) = self.shortest_tower() else { return false };
        let len = self.frames.len();
        let latest = self.note(len - 1).towers;
        let start = len - self.copies(period) * period;
        let end = start + period;
        let mut repetitions = self.repetitions(start..end);
        for dropped in (end..len).step_by(period) {
            repetitions += self.repetitions(dropped..dropped + period);
            self.absorb(dropped..dropped + period, start);
        }
        self.truncate(end);
        let towers = self.note_mut(end - 1).towers[..period].iter_mut();
        towers.zip(latest).for_each(|(tower, latest)| tower.now = latest.now);
        self.add_tower(start..end, repetitions);
        self.forget_towers_across_top(period);
        true
    }

    /// Returns the shortest period whose repetitions end at the top and are foldable: at least
    /// `min_height` of them, or one more on top of those that were folded before.
    fn shortest_tower(&self) -> Option<usize> {
        let len = self.frames.len();
        let Note { same, repeats, .. } = self.note(len - 1);
        let repetitions = ones(*same).filter(|&at| repeats[at] as usize > at);
        repetitions.map(|at| at + 1).find(|&period| {
            let end = len - period;
            self.repetitions(end - period..end) >= self.min_height
                || self.copies(period) >= self.min_height as usize
        })
    }

    /// Returns how many copies of the last `period` frames are on top of each other.
    fn copies(&self, period: usize) -> usize {
        self.note(self.frames.len() - 1).repeats[period - 1] as usize / period + 1
    }

    /// Joins the repetitions below the top into the longest of them; all start with the frame at the
    /// top.
    fn fold_optional_frames(&mut self) {
        let top = self.frames.len() - 1;
        let joinable = self.joinable_below(top);
        self.note_mut(top).joinable = joinable;
        let Joinable { repetitions, lowest, longest } = joinable;
        if longest == (lowest, top) || repetitions < self.min_height {
            return;
        }
        let mut end = top;
        while end > lowest {
            let start = self.repetition_start(end);
            if start != longest.0 {
                self.absorb(start..end, longest.0);
            }
            end = start;
        }
        self.add_tower(longest.0..longest.1, repetitions);
        // Other frames may now be below the longest repetition and make a cycle with it: in
        // `f;a;c;f;x;f;a;c;x;f` the repetition `f;x` is gone, which leaves `f;a;c` twice.
        self.pending.push((self.frames[top], self.entries[top]));
        self.forget_towers_across_top(0);
        for at in (longest.0..longest.1).rev() {
            self.pending.push((self.frames[at], self.entries[at]));
        }
        self.truncate(lowest);
        self.forget_towers_across_top(0);
    }

    /// Returns the repetition below `end`, with those below it that it can be joined with.
    fn joinable_below(&self, end: usize) -> Joinable {
        let start = self.repetition_start(end);
        let below = self.note(start).joinable;
        let (repetition, repetitions) = ((start, end), self.repetitions(start..end));
        if below.repetitions > 0 && self.is_subsequence(repetition, below.longest) {
            Joinable { repetitions: below.repetitions + repetitions, ..below }
        } else if below.repetitions > 0 && self.is_subsequence(below.longest, repetition) {
            Joinable { repetitions: below.repetitions + repetitions, longest: repetition, ..below }
        } else {
            Joinable { repetitions, lowest: start, longest: repetition }
        }
    }

    /// Returns the start of the repetition that ends before `end`: the nearest frame below `end`
    /// that is the same as the one at `end`.
    fn repetition_start(&self, end: usize) -> usize {
        end - 1 - self.note(end).same.trailing_zeros() as usize
    }

    fn is_subsequence(&self, short: (usize, usize), long: (usize, usize)) -> bool {
        let (short, long) = (&self.frames[short.0..short.1], &self.frames[long.0..long.1]);
        let mut long_frames = long.iter();
        short.len() <= long.len() && short.iter().all(|frame| long_frames.any(|f| f == frame))
    }

    /// Returns how many repetitions the one at `repetition` stands for.
    fn repetitions(&self, repetition: Range<usize>) -> u32 {
        self.note(repetition.end - 1).towers[repetition.len() - 1].now.max(1)
    }

    fn add_tower(&mut self, repetition: Range<usize>, repetitions: u32) {
        let tower = &mut self.note_mut(repetition.end - 1).towers[repetition.len() - 1];
        *tower = Repetitions { now: repetitions, greatest: repetitions.max(tower.greatest) };
    }

    /// Adds the heights and inner towers of a repetition to the one that starts at `kept`, which has
    /// all its frames.
    fn absorb(&mut self, repetition: Range<usize>, kept: usize) {
        let mut to = kept;
        let mut neighbours = 0;
        for from in repetition.clone() {
            while self.frames[to] != self.frames[from] {
                to += 1;
                neighbours = 0;
            }
            neighbours += 1;
            self.entries[to].height += self.entries[from].height;
            // An inner tower is kept if its frames are neighbours there, too.
            let towers = self.note(from).towers;
            let inner = &towers[..neighbours];
            if inner.iter().any(|tower| tower.greatest > 0) {
                for (kept, dropped) in self.note_mut(to).towers.iter_mut().zip(inner) {
                    kept.greatest = dropped.greatest.max(kept.greatest);
                }
            }
            to += 1;
        }
    }

    /// Forgets towers of the frames to be pushed again, if they start below the last `same` frames
    /// of the stack: the frames further below have changed since the tower was found.
    fn forget_towers_across_top(&mut self, same: usize) {
        let pending = self.pending.iter().rev().take(LONGEST_PERIOD - same);
        for (depth, (_, entry)) in pending.enumerate() {
            if entry.note > 0 {
                self.notes[entry.note].towers[same + depth + 1..].fill(Repetitions::default());
            }
        }
    }

    fn truncate(&mut self, len: usize) {
        self.frames.truncate(len);
        self.entries.truncate(len);
    }

    fn note(&self, at: usize) -> &Note {
        &self.notes[self.entries[at].note]
    }

    fn note_mut(&mut self, at: usize) -> &mut Note {
        let entry = &mut self.entries[at];
        if entry.note == 0 {
            entry.note = self.notes.len();
            self.notes.push(Note::default());
        }
        &mut self.notes[entry.note]
    }
}

/// The indices of the bits that are set, the lowest first.
fn ones(mut bits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (at < u16::BITS).then_some(at as usize)
    })
}
