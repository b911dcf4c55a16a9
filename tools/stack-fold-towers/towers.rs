//! Recursion towers in a stack, folded to one level.
//!
//! A *tower* is what a recursion leaves on the stack: repetitions of the same cycle of calls on top
//! of each other. A *repetition* is one pass through the cycle, its *period* the number of frames
//! in it.
//!
//! | rule | stack | folded |
//! |---|---|---|
//! | run | `add;add;add` | `add` |
//! | cycle | `ping;pang;pong;ping;pang;pong;busy` | `ping;pang;pong;busy` |
//! | optional frames | `rename;map;rename;map;map_dps;rename;work` | `rename;map;map_dps;rename;work` |
//!
//! The last rule joins neighbouring repetitions that start with the same frame, when the frames of
//! one are among the frames of the other in the same order, and keeps the longer. It waits for the
//! frame that starts the next repetition, because only then is it known where the repetition ends.
//!
//! What holds for every result:
//! - Two neighbours in it are caller and callee somewhere in the input: no edge is invented.
//! - The root stays the root and the leaf stays the leaf: self time belongs to the leaf, and must
//!   not move to another function.
//! - Folding it once more changes nothing.
//! - For each frame, the heights of its levels add up to the number of times it is in the input.
//!
//! # How
//!
//! Frames are pushed one by one on a stack that is folded after each push. Only what ends at the
//! top can be a new repetition, so a push looks at the top of the stack and nowhere else. When a
//! rule takes frames out below the top, those above are pushed again.
//!
//! # Cost
//!
//! A repetition has at most `max_period` frames, with and without optional ones; a recursion with
//! longer repetitions stays unfolded. A push compares its frame with the `max_period` below it, and
//! at most two repetitions with each other; the frame below knows how many equal repetitions there
//! are already. Every fold takes out at least one frame for good and pushes at most
//! `max_period + 1` again. So the time is linear in the length of the stack, whatever is in it and
//! whatever `min_height` is.
//!
//! Profiles are mostly sorted, so most stacks start like the one before them. What the frames of
//! such a start fold to is saved, and the next stack goes on from there.

mod stack;

use common::stacks::shared_prefix;

use stack::FoldingStack;

/// The longest repetition that can be folded.
pub(crate) const LONGEST_PERIOD: usize = 16;

/// One frame of a folded stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The frame, as it was given.
    pub(crate) frame: u32,
    /// Its index in the input.
    pub(crate) origin: u32,
    /// How many frames of the input it stands for: 3 for `add;add;add`. Each frame of a cycle has
    /// its own height.
    pub(crate) height: u32,
}

impl Level {
    /// Returns the greatest power of two that is not above the height: a height of 7 is `x4+`.
    ///
    /// Exact heights in a label would make stacks different again that folding has made equal.
    pub(crate) fn height_class(self) -> u32 {
        1 << self.height.max(1).ilog2()
    }
}

/// A recursion that was folded.
///
/// A tower can be inside another one, as `map` in `rename;map;map;rename;map;map;map`. The inner
/// tower then has the height of its highest instance, here 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tower {
    /// Where the cycle starts in the folded stack.
    pub(crate) start: usize,
    /// How many frames it has there.
    pub(crate) period: usize,
    /// How many repetitions the recursion took.
    pub(crate) height: u32,
}

/// Folds stacks, one after the other, in the same buffers.
pub(crate) struct Folder {
    stack: FoldingStack,
    saved: Saved,
    /// Where the frames of the current stack occur; values of other frames are out of date.
    occurrences: Vec<Occurrences>,
    pub(crate) levels: Vec<Level>,
}

/// What the first frames of the stack folded last fold to.
struct Saved {
    /// All frames of that stack, and how many of them are folded here; 0 if none are.
    frames: Vec<u32>,
    folded: usize,
    stack: FoldingStack,
}

impl Saved {
    /// Returns how many frames this stack and the last one have in common at their start. Forgets
    /// what was saved if it has more frames than these.
    fn keep_shared(&mut self, frames: &[u32]) -> usize {
        let shared = shared_prefix(&self.frames, frames);
        self.frames.truncate(shared);
        self.frames.extend_from_slice(&frames[shared..]);
        if self.folded > shared {
            self.folded = 0;
        }
        shared
    }
}

/// What [`Folder::erase`] knows of a frame.
#[derive(Clone, Copy, Default)]
struct Occurrences {
    last: usize,
    count: u32,
}

impl Folder {
    /// Folds towers of at least `min_height` repetitions of at most `max_period` frames each.
    ///
    /// A lower tower stays as it is. The repetitions of a cycle are counted, not its frames: to be
    /// folded, `ping;pong` must be there `min_height` times, however often `ping` calls itself
    /// before it calls `pong`. A `min_height` below 2 is 2. A `max_period` of 1 folds functions
    /// that call themselves, and nothing else.
    pub(crate) fn new(max_period: usize, min_height: u32) -> Self {
        assert!((1..=LONGEST_PERIOD).contains(&max_period));
        let stack = || FoldingStack::new(max_period, min_height.max(2));
        Self {
            stack: stack(),
            saved: Saved { frames: Vec::new(), folded: 0, stack: stack() },
            occurrences: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// Takes repetitions for equal only if they have exactly the same frames.
    pub(crate) fn exact(mut self) -> Self {
        self.stack.optional_frames = false;
        self.saved.stack.optional_frames = false;
        self
    }

    /// Returns `frames`, root first, with every tower folded.
    pub(crate) fn fold(&mut self, frames: &[u32]) -> &[Level] {
        let shared = self.saved.keep_shared(frames);
        let done = self.start(frames);
        for (at, &frame) in frames.iter().enumerate().skip(done) {
            // The next stack is likely to share as many frames with this one.
            if at == shared {
                self.saved.folded = at;
                self.saved.stack.copy_from(&self.stack);
            }
            self.stack.push(frame, at as u32);
        }
        self.levels.clear();
        self.levels.extend(self.stack.levels());
        &self.levels
    }

    /// Folds the first frames without pushing each, and returns how many these are.
    fn start(&mut self, frames: &[u32]) -> usize {
        if self.saved.folded > 0 {
            self.stack.copy_from(&self.saved.stack);
            return self.saved.folded;
        }
        let plain = self.stack.plain(frames);
        self.stack.start_with(&frames[..plain]);
        plain
    }

    /// Returns `frames`, root first, without loops: all frames between a frame and its last
    /// occurrence are left out.
    ///
    /// Every frame is then there once, and its height is the number of times it was in the input.
    /// This goes further than folding: `iter;f;iter;g` becomes `iter;g`, without `f`. Neither the
    /// period nor `min_height` matters. Uses memory for the greatest frame number.
    pub(crate) fn erase(&mut self, frames: &[u32]) -> &[Level] {
        self.levels.clear();
        self.stack.clear();
        let size = frames.iter().max().map_or(0, |&frame| frame as usize + 1);
        self.occurrences.resize(size.max(self.occurrences.len()), Occurrences::default());
        for &frame in frames {
            self.occurrences[frame as usize].count = 0;
        }
        for (at, &frame) in frames.iter().enumerate() {
            let occurrences = &mut self.occurrences[frame as usize];
            occurrences.last = at;
            occurrences.count += 1;
        }
        let mut at = 0;
        while let Some(&frame) = frames.get(at) {
            let Occurrences { last, count } = self.occurrences[frame as usize];
            self.levels.push(Level { frame, origin: at as u32, height: count });
            at = last + 1;
        }
        &self.levels
    }

    /// Returns the towers of the stack folded last, by their last frame; none after `erase`.
    pub(crate) fn towers(&self) -> Vec<Tower> {
        self.stack.towers().collect()
    }
}

#[cfg(test)]
mod tests;
