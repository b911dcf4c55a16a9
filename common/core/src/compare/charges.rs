//! What is charged to own code where profiles are compared: the code of others that it calls.

use crate::names::FrameParts;
use crate::own_code::SEPARATOR;
use crate::stacks::FrameId;

/// Finds the deepest frame of own code in stacks, by the marks of frames.
#[derive(Debug, Default)]
pub(super) struct Charges {
    /// Whether each frame is marked as own code.
    is_own: Vec<bool>,
    /// Whether any frame is.
    has_own: bool,
    separator: Option<FrameId>,
}

impl Charges {
    /// Adds the next frame; they have numbers from 0 on.
    pub(super) fn add(&mut self, frame: &[u8]) {
        if frame == SEPARATOR {
            self.separator = Some(self.is_own.len() as FrameId);
        }
        let parts = FrameParts::of(frame);
        // What woke a waiting thread is other code, below the stack of that thread.
        let is_own = parts.has_mark(b'o') && !parts.has_mark(b'w');
        self.is_own.push(is_own);
        self.has_own |= is_own;
    }

    /// The deepest frame of own code in a stack, if it calls something.
    pub(super) fn caller(&self, stack: &[FrameId]) -> Option<FrameId> {
        if !self.has_own {
            return None;
        }
        let is_separator = |frame: &FrameId| Some(*frame) == self.separator;
        let waker = self.separator.and_then(|_| stack.iter().position(is_separator));
        let mut callers = stack[..waker.unwrap_or(stack.len())].iter();
        let at = callers.rposition(|&frame| self.is_own[frame as usize])?;
        (at + 1 < stack.len()).then(|| stack[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_own_frame_is_charged_if_it_calls_something() {
        let mut charges = Charges::default();
        let frames = ["main_[o]", "flush_[o]_[i]", "write_[l]", "--", "wake_[o]_[w]", "f (a.c:1)"];
        assert_eq!(charges.caller(&[]), None);
        for frame in frames {
            charges.add(frame.as_bytes());
        }
        for (stack, caller) in [
            (&[0, 1, 2][..], Some(1)),
            (&[0, 1], None),
            (&[0, 2, 1], None),
            (&[0, 1, 2, 2], Some(1)),
            (&[0, 5], Some(0)),
            (&[5, 2], None),
            (&[0, 2, 3, 1], Some(0)),
            (&[0, 2, 4], Some(0)),
            (&[], None),
        ] {
            assert_eq!(charges.caller(stack), caller, "{stack:?}");
        }
    }
}
