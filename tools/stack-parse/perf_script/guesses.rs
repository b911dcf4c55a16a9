//! What followed a frame before: the lines of the frames below it, and where
//! they led.

use common::{FrameId, NodeId};

use super::glance::Glance;
use super::recent::Place;

/// A power of two: enough for what follows the frames of one program, little
/// enough to stay in the cache.
const TURNS: usize = 8192;

/// A line that followed a node, and the node it led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    /// What the line said behind the address.
    pub(super) text: Place,
    pub(super) frame: FrameId,
    pub(super) child: NodeId,
}

/// Stands where nothing is known; no line has this frame.
const NOTHING: Guess = Guess { text: Place::FIRST, frame: FrameId::MAX, child: 0 };

/// What follows nodes; wrong where it was long ago, so that it must be checked.
pub(super) struct Guesses {
    /// For each node, what followed it last.
    last: Vec<Guess>,
    /// What followed it when it was a line of such a kind, and which node that
    /// was. Of what has the same place here the last one stays.
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

    /// What followed `node` when it was a line like this.
    #[inline]
    pub(super) fn turn(&self, node: NodeId, line: Glance) -> Option<Guess> {
        let (above, guess) = self.turns[turn(node, line)];
        (above == node).then_some(guess)
    }

    /// Remembers what `line`, which followed `node`, led to.
    pub(super) fn put(&mut self, node: NodeId, line: Glance, guess: Guess) {
        self.turns[turn(node, line)] = (node, guess);
        let node = node as usize;
        if node >= self.last.len() {
            self.last.resize(node + 1, NOTHING);
        }
        self.last[node] = guess;
    }
}

/// The place of what follows a node when it is a line like this.
#[inline]
fn turn(node: NodeId, line: Glance) -> usize {
    (line.number() ^ node as usize) % TURNS
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = b"\t    55d0c1a0f2a4 camlFoo__loop_12+0x34 (/demo)";
    const OTHER: &[u8] = b"\t    55d0c1a0f2b6 camlFoo__loop_12+0x46 (/demo)";

    fn guess(child: NodeId) -> Guess {
        Guess { text: Place::FIRST, frame: child + 100, child }
    }

    #[test]
    fn lines_that_take_turns_are_all_known() {
        let mut guesses = Guesses::new();
        assert_eq!((guesses.last(7), guesses.turn(7, Glance::of(LINE))), (None, None));
        assert!(guesses.turn(0, Glance::of(LINE)).is_none_or(|guess| guess == NOTHING));
        guesses.put(7, Glance::of(LINE), guess(1));
        guesses.put(7, Glance::of(OTHER), guess(2));
        assert_eq!(guesses.last(7), Some(guess(2)));
        assert_eq!(guesses.turn(7, Glance::of(LINE)), Some(guess(1)));
        assert_eq!(guesses.turn(7, Glance::of(OTHER)), Some(guess(2)));
        assert_eq!(guesses.turn(8, Glance::of(LINE)), None);
        assert_eq!(guesses.last(6), Some(NOTHING));
    }
}
