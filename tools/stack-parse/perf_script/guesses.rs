//! What followed a frame before: the lines of the frames below it, and where
//! they led.

use common::{FrameId, NodeId};

use super::frame_line::PADDED_IP;
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
    turns: Vec<(NodeId, Guess)>,
}

impl Guesses {
    pub(super) fn new() -> Guesses {
        Guesses { last: Vec::new(), turns: vec![(0, NOTHING); TURNS] }
    }

    /// What followed `node` last.
    #[inline]
    pub(super) fn last(&self, node: NodeId) -> Option<Guess> {
        self.last.get(node as usize).copied()
    }

    /// What followed `node` when it was a line like this.
    #[inline]
    pub(super) fn turn(&self, node: NodeId, line: &[u8]) -> Option<Guess> {
        let (above, guess) = self.turns[turn(node, line)?];
        (above == node).then_some(guess)
    }

    /// Remembers what `line`, which followed `node`, led to.
    pub(super) fn put(&mut self, node: NodeId, line: &[u8], guess: Guess) {
        if let Some(turn) = turn(node, line) {
            self.turns[turn] = (node, guess);
        }
        let node = node as usize;
        if node >= self.last.len() {
            self.last.resize(node + 1, NOTHING);
        }
        self.last[node] = guess;
    }
}

/// The place of a node and what is quickly seen of a line: its length, the
/// start of its name and the last digits of the address, which are the same
/// wherever the object is mapped. Without a name the digits mean nothing.
#[inline]
fn turn(node: NodeId, line: &[u8]) -> Option<usize> {
    const DIGITS: usize = 3;
    let seen = line.get(PADDED_IP - 1 - DIGITS..)?.first_chunk()?;
    let is_named = line.get(PADDED_IP).is_some_and(|&byte| byte != b'[');
    let seen = if is_named { u64::from_le_bytes(*seen) } else { 0 };
    let key = seen ^ (line.len() as u64) << 16 ^ u64::from(node) << 32 ^ u64::from(node);
    let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Some((mixed >> 48) as usize % TURNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = b"\t    55d0c1a0f2a4 camlFoo__loop_12+0x34 (/demo)";
    const ELSEWHERE: &[u8] = b"\t    7f6a2b90d2a4 camlFoo__loop_12+0x34 (/demo)";
    const OTHER: &[u8] = b"\t    55d0c1a0f2b6 camlFoo__loop_12+0x46 (/demo)";

    fn guess(child: NodeId) -> Guess {
        Guess { text: Place::FIRST, frame: child + 100, child }
    }

    #[test]
    fn lines_that_take_turns_are_all_known() {
        let mut guesses = Guesses::new();
        assert_eq!((guesses.last(7), guesses.turn(7, LINE)), (None, None));
        assert!(guesses.turn(0, LINE).is_none_or(|guess| guess == NOTHING));
        guesses.put(7, LINE, guess(1));
        guesses.put(7, OTHER, guess(2));
        assert_eq!(guesses.last(7), Some(guess(2)));
        assert_eq!(guesses.turn(7, LINE), Some(guess(1)));
        assert_eq!(guesses.turn(7, ELSEWHERE), Some(guess(1)), "the object may be anywhere");
        assert_eq!(guesses.turn(7, OTHER), Some(guess(2)));
        assert_eq!(guesses.turn(8, LINE), None);
        assert_eq!(guesses.last(6), Some(NOTHING));
    }

    #[test]
    fn the_address_of_the_unknown_means_nothing() {
        let [one, other] = [
            "\t               1 [unknown] ([unknown])",
            "\t            2734 [unknown] ([unknown])",
        ];
        let mut guesses = Guesses::new();
        guesses.put(7, one.as_bytes(), guess(1));
        assert_eq!(guesses.turn(7, other.as_bytes()), Some(guess(1)));
    }

    #[test]
    fn what_is_no_line_is_never_known() {
        let mut guesses = Guesses::new();
        for line in [&b""[..], b"\t", &LINE[..PADDED_IP]] {
            guesses.put(7, line, guess(1));
            assert_eq!(guesses.turn(7, line), None, "{line:?}");
        }
    }
}
