//! What followed a frame before: the lines of the frames below it, and where
//! they led.

use common::{FrameId, NodeId};

use super::line_hash::LineHash;

/// A power of two: enough for what follows the frames of one program, little
/// enough to stay in the cache.
const TURNS: usize = 4096;

/// A line that followed a node, and the node it led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) line: LineHash,
    pub(super) frame: FrameId,
    pub(super) child: NodeId,
}

/// Stands where nothing is known; no line has this frame.
const NOTHING: Guess = Guess { line: LineHash::NONE, frame: FrameId::MAX, child: 0 };

/// What follows nodes; wrong where it was long ago, so that it must be checked.
pub(super) struct Guesses {
    /// For each node, what followed it last.
    last: Vec<Guess>,
    /// What followed it before that, when it was a line of such a kind, and
    /// which node that was. Of what has the same place here the last one stays.
    turns: Box<[(NodeId, Guess); TURNS]>,
}

impl Guesses {
    pub(super) fn new() -> Guesses {
        let turns = vec![(0, NOTHING); TURNS].try_into().expect("as many as there are");
        Guesses { last: Vec::new(), turns }
    }

    /// What followed `node` last.
    #[inline]
    pub(super) fn last(&self, node: NodeId) -> Option<Guess> {
        self.last.get(node as usize).copied()
    }

    /// What followed `node` when it was a line like this, and not the last.
    #[inline]
    pub(super) fn turn(&self, node: NodeId, line: LineHash) -> Option<Guess> {
        let (above, guess) = self.turns[turn(node, line)];
        (above == node).then_some(guess)
    }

    /// Remembers that `guess` follows `node` now; true if something else did.
    #[inline]
    pub(super) fn put(&mut self, node: NodeId, guess: Guess) -> bool {
        let index = node as usize;
        if index >= self.last.len() {
            self.last.resize(index + 1, NOTHING);
        }
        let before = std::mem::replace(&mut self.last[index], guess);
        if before.frame == NOTHING.frame {
            return false;
        }
        self.turns[turn(node, before.line)] = (node, before);
        before != guess
    }
}

/// The place of what follows a node when it is a line like this.
#[inline]
fn turn(node: NodeId, line: LineHash) -> usize {
    (line.number() ^ node as usize) % TURNS
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = b"\t    55d0c1a0f2a4 camlFoo__loop_12+0x34 (/demo)";
    const OTHER: &[u8] = b"\t    55d0c1a0f2b6 camlFoo__loop_12+0x46 (/demo)";

    fn guess(line: &[u8], child: NodeId) -> Guess {
        Guess { line: LineHash::of(line), frame: child + 100, child }
    }

    #[test]
    fn lines_that_take_turns_are_all_known() {
        let mut guesses = Guesses::new();
        let (one, other) = (guess(LINE, 1), guess(OTHER, 2));
        assert_eq!((guesses.last(7), guesses.turn(7, one.line)), (None, None));
        assert!(guesses.turn(0, one.line).is_none_or(|guess| guess == NOTHING));
        assert!(!guesses.put(7, one));
        assert_eq!((guesses.last(7), guesses.turn(7, one.line)), (Some(one), None));
        assert!(guesses.put(7, other));
        assert_eq!((guesses.last(7), guesses.turn(7, one.line)), (Some(other), Some(one)));
        assert!(guesses.put(7, one));
        assert_eq!((guesses.last(7), guesses.turn(7, other.line)), (Some(one), Some(other)));
        assert!(!guesses.put(7, one));
        assert_eq!(guesses.turn(8, one.line), None);
        assert_eq!(guesses.last(6), Some(NOTHING));
    }
}
