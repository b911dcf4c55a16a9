//! The stack that is folded at any time.

use std::ops::Range;

use super::{LONGEST_PERIOD, Storey, Tower};

/// A stack on which no tower stands: every prefix of it is folded, too.
pub(super) struct Stack {
    max_period: usize,
    min_height: u32,
    optional_frames: bool,
    frames: Vec<u32>,
    /// What is known of each frame, in the same order.
    levels: Vec<Level>,
    /// The first is for all frames that have nothing to note, which are most.
    notes: Vec<Note>,
    /// Frames to push before any other, the next at the end.
    pending: Vec<(u32, Level)>,
}

#[derive(Clone, Copy)]
struct Level {
    height: u32,
    /// Where the frame stands in the input.
    origin: u32,
    note: usize,
}

/// What is known of a frame that stands again among the `max_period` frames below it.
#[derive(Clone, Copy, Default)]
struct Note {
    /// Which of the `max_period` frames below are the same, the nearest as lowest bit.
    same: u16,
    /// How many frames in a row, this one the last, are the same as those `p` below: at `p - 1`.
    repeats: [u32; LONGEST_PERIOD],
    /// The towers that end with this frame, that with period `p` at `p - 1`.
    towers: [Turns; LONGEST_PERIOD],
    joinable: Joinable,
}

/// The turns of a tower; 0 where there is none.
#[derive(Clone, Copy, Default)]
struct Turns {
    /// Those that a turn to come adds to.
    now: u32,
    /// The most that stood on each other: `map` in `rename;map;map;map;rename;map` has 3, and a
    /// next `map` would be its second.
    greatest: u32,
}

/// The turns below a frame, all starting with it, that can go into the longest of them.
#[derive(Clone, Copy, Default)]
struct Joinable {
    turns: u32,
    lowest: usize,
    /// Start and end of the longest turn; equal if there is no turn.
    longest: (usize, usize),
}

impl Stack {
    /// Returns an empty stack for towers of at least `min_height` turns, which is 2 or more.
    pub(super) fn new(max_period: usize, min_height: u32) -> Self {
        Self {
            max_period,
            min_height,
            optional_frames: true,
            frames: Vec::new(),
            levels: Vec::new(),
            notes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Makes turns with different frames different turns.
    pub(super) fn exact(&mut self) {
        self.optional_frames = false;
    }

    /// Takes off all frames.
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.levels.clear();
        self.notes.clear();
        self.notes.push(Note::default());
    }

    /// Returns how many leading frames there are before the first that stands again among the
    /// `max_period` below it: these have nothing to fold.
    pub(super) fn plain(&self, frames: &[u32]) -> usize {
        let again = |&at: &usize| self.same_below(&frames[..at], frames[at]) != 0;
        (0..frames.len()).find(again).unwrap_or(frames.len())
    }

    /// Makes the stack hold `frames`, none of which stands again near another.
    pub(super) fn start_with(&mut self, frames: &[u32]) {
        self.clear();
        self.frames.extend_from_slice(frames);
        let levels = (0..frames.len()).map(|at| Level { height: 1, origin: at as u32, note: 0 });
        self.levels.extend(levels);
    }

    /// Puts a frame, at `origin` in the input, on the stack and folds the tower that it completes.
    pub(super) fn push(&mut self, frame: u32, origin: u32) {
        // Most towers are runs, so these do not go the whole way.
        if self.min_height == 2 && self.frames.last() == Some(&frame) {
            self.add_to_run();
            return;
        }
        self.push_level(frame, Level { height: 1, origin, note: 0 });
        while let Some((frame, level)) = self.pending.pop() {
            self.push_level(frame, level);
        }
    }

    /// Returns the frames, root first.
    pub(super) fn storeys(&self) -> impl Iterator<Item = Storey> {
        let levels = self.frames.iter().zip(&self.levels);
        levels.map(|(&frame, &Level { height, origin, .. })| Storey { frame, height, origin })
    }

    /// Returns the towers that were folded, by their last frame.
    pub(super) fn towers(&self) -> impl Iterator<Item = Tower> {
        let noted = self.levels.iter().enumerate().filter(|(_, level)| level.note > 0);
        noted.flat_map(|(at, level)| {
            let towers = (1..).zip(self.notes[level.note].towers);
            towers.filter(|(_, turns)| turns.greatest > 0).map(move |(period, turns)| Tower {
                start: at + 1 - period,
                period,
                height: turns.greatest,
            })
        })
    }

    fn push_level(&mut self, frame: u32, level: Level) {
        let top = self.frames.len();
        // Turns end or start, for each rule, with a frame that stood there a turn ago.
        let same = self.same_below(&self.frames, frame);
        self.frames.push(frame);
        self.levels.push(level);
        if same == 0 && level.note == 0 {
            return;
        }
        let note = self.note_mut(top);
        note.same = same;
        note.repeats = [0; LONGEST_PERIOD];
        note.joinable = Joinable::default();
        let mut turns_end = false;
        for at in ones(same) {
            let repeats = self.note(top - 1).repeats[at] + 1;
            self.note_mut(top).repeats[at] = repeats;
            turns_end |= repeats as usize > at;
        }
        let folded = turns_end && self.fold_cycle();
        if same != 0 && !folded && self.optional_frames {
            self.fold_optional_frames();
        }
    }

    /// Folds one more of the topmost frame.
    fn add_to_run(&mut self) {
        let top = self.frames.len() - 1;
        let turns = self.turns(top..top + 1) + 1;
        self.levels[top].height += 1;
        self.add_tower(top..top + 1, turns);
    }

    /// Returns which of the `max_period` topmost `frames` are `frame`, the nearest as lowest bit.
    #[inline]
    fn same_below(&self, frames: &[u32], frame: u32) -> u16 {
        let Some(window) = frames.last_chunk::<LONGEST_PERIOD>() else {
            return self.same_in(frames, frame);
        };
        // Most frames are none of them: to compare all takes less than to guess where to stop.
        let any = window.iter().fold(false, |any, &below| any | (below == frame));
        if any { self.same_in(window, frame) } else { 0 }
    }

    fn same_in(&self, window: &[u32], frame: u32) -> u16 {
        let bit = |same, &below: &u32| same << 1 | u16::from(below == frame);
        window.iter().fold(0, bit) & u16::MAX >> (LONGEST_PERIOD - self.max_period)
    }

    /// Folds the turns with exactly the same frames that end at the top, or returns false.
    fn fold_cycle(&mut self) -> bool {
        let Some(period) = self.shortest_tower() else { return false };
        let len = self.frames.len();
        let latest = self.note(len - 1).towers;
        let start = len - self.copies(period) * period;
        let end = start + period;
        let mut turns = self.turns(start..end);
        for dropped in (end..len).step_by(period) {
            turns += self.turns(dropped..dropped + period);
            self.absorb(dropped..dropped + period, start);
        }
        self.truncate(end);
        let towers = self.note_mut(end - 1).towers[..period].iter_mut();
        towers.zip(latest).for_each(|(tower, latest)| tower.now = latest.now);
        self.add_tower(start..end, turns);
        self.forget_towers_across_top(period);
        true
    }

    /// Returns the shortest period of which turns end at the top that are to be folded: at least
    /// `min_height`, or one more on those that have been folded.
    fn shortest_tower(&self) -> Option<usize> {
        let len = self.frames.len();
        let Note { same, repeats, .. } = self.note(len - 1);
        let turns = ones(*same).filter(|&at| repeats[at] as usize > at);
        turns.map(|at| at + 1).find(|&period| {
            let end = len - period;
            self.turns(end - period..end) >= self.min_height
                || self.copies(period) >= self.min_height as usize
        })
    }

    /// Returns how often the last `period` frames stand one above the other.
    fn copies(&self, period: usize) -> usize {
        self.note(self.frames.len() - 1).repeats[period - 1] as usize / period + 1
    }

    /// Joins the turns below the top that start with the frame at the top into the longest one.
    fn fold_optional_frames(&mut self) {
        let top = self.frames.len() - 1;
        let joinable = self.joinable_below(top);
        self.note_mut(top).joinable = joinable;
        let Joinable { turns, lowest, longest } = joinable;
        if longest == (lowest, top) || turns < self.min_height {
            return;
        }
        let mut end = top;
        while end > lowest {
            let start = self.turn_start(end);
            if start != longest.0 {
                self.absorb(start..end, longest.0);
            }
            end = start;
        }
        self.add_tower(longest.0..longest.1, turns);
        // Other frames may now stand below the longest turn, and make a cycle with it: in
        // `f;a;c;f;x;f;a;c;x;f` the turn `f;x` is gone, which leaves `f;a;c` twice.
        self.pending.push((self.frames[top], self.levels[top]));
        self.forget_towers_across_top(0);
        for at in (longest.0..longest.1).rev() {
            self.pending.push((self.frames[at], self.levels[at]));
        }
        self.truncate(lowest);
        self.forget_towers_across_top(0);
    }

    /// Returns the turn below `end`, with those below it that it can be joined with.
    fn joinable_below(&self, end: usize) -> Joinable {
        let start = self.turn_start(end);
        let below = self.note(start).joinable;
        let (turn, turns) = ((start, end), self.turns(start..end));
        if below.turns > 0 && self.is_subsequence(turn, below.longest) {
            Joinable { turns: below.turns + turns, ..below }
        } else if below.turns > 0 && self.is_subsequence(below.longest, turn) {
            Joinable { turns: below.turns + turns, longest: turn, ..below }
        } else {
            Joinable { turns, lowest: start, longest: turn }
        }
    }

    /// Returns the start of the turn that ends before `end` and starts with the frame at `end`,
    /// which stands again below.
    fn turn_start(&self, end: usize) -> usize {
        end - 1 - self.note(end).same.trailing_zeros() as usize
    }

    fn is_subsequence(&self, short: (usize, usize), long: (usize, usize)) -> bool {
        let (short, long) = (&self.frames[short.0..short.1], &self.frames[long.0..long.1]);
        let mut long_frames = long.iter();
        short.len() <= long.len() && short.iter().all(|frame| long_frames.any(|f| f == frame))
    }

    /// Returns how many turns the one at `turn` stands for.
    fn turns(&self, turn: Range<usize>) -> u32 {
        self.note(turn.end - 1).towers[turn.len() - 1].now.max(1)
    }

    fn add_tower(&mut self, turn: Range<usize>, turns: u32) {
        let tower = &mut self.note_mut(turn.end - 1).towers[turn.len() - 1];
        *tower = Turns { now: turns, greatest: turns.max(tower.greatest) };
    }

    /// Adds heights and inner towers of a turn to the one at `kept`, which has all its frames.
    fn absorb(&mut self, turn: Range<usize>, kept: usize) {
        let mut to = kept;
        let mut neighbours = 0;
        for from in turn.clone() {
            while self.frames[to] != self.frames[from] {
                to += 1;
                neighbours = 0;
            }
            neighbours += 1;
            self.levels[to].height += self.levels[from].height;
            // A tower goes over if its frames are neighbours there too.
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

    /// Forgets those towers of the frames to be pushed again that start below the last `same`
    /// frames of the stack: only these are what they were when the tower was found.
    fn forget_towers_across_top(&mut self, same: usize) {
        let pending = self.pending.iter().rev().take(LONGEST_PERIOD - same);
        for (depth, (_, level)) in pending.enumerate() {
            if level.note > 0 {
                self.notes[level.note].towers[same + depth + 1..].fill(Turns::default());
            }
        }
    }

    fn truncate(&mut self, len: usize) {
        self.frames.truncate(len);
        self.levels.truncate(len);
    }

    fn note(&self, at: usize) -> &Note {
        &self.notes[self.levels[at].note]
    }

    fn note_mut(&mut self, at: usize) -> &mut Note {
        let level = &mut self.levels[at];
        if level.note == 0 {
            level.note = self.notes.len();
            self.notes.push(Note::default());
        }
        &mut self.notes[level.note]
    }
}

/// The places of the bits that are set, the lowest first.
fn ones(mut bits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (at < u16::BITS).then_some(at as usize)
    })
}
