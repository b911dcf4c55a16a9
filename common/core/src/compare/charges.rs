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
    /// How many frames of the last stack there are to the deepest of own code, with this; 0 if there
    /// is none.
    own: usize,
}

impl Charges {
    /// Adds the next frame; they have numbers from 0 on.
    pub(super) fn add(&mut self, frame: &[u8]) {
        if frame == SEPARATOR {
            self.separator = Some(self.is_own.len() as FrameId);
        }
        let parts = FrameParts::of(frame);
        let is_own = parts.has_mark(b'o') && !parts.has_mark(b'w');
        self.is_own.push(is_own);
        self.has_own |= is_own;
    }

    /// The deepest frame of own code in the next stack, if it calls something. The first frames, as
    /// many as `kept`, are those of the stack before.
    pub(super) fn caller(&mut self, stack: &[FrameId], kept: usize) -> Option<FrameId> {
        if !self.has_own {
            return None;
        }
        // What woke a waiting thread is other code, below the stack of that thread.
        let waker = self.separator.and_then(|it| stack.iter().position(|frame| *frame == it));
        let end = waker.unwrap_or(stack.len());
        let kept = kept.min(end);
        let is_own = |frame: &FrameId| self.is_own[*frame as usize];
        self.own = match stack[kept..end].iter().rposition(is_own) {
            Some(at) => kept + at + 1,
            None if self.own <= kept => self.own,
            None => stack[..kept].iter().rposition(is_own).map_or(0, |at| at + 1),
        };
        (self.own > 0 && self.own < stack.len()).then(|| stack[self.own - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_own_frame_is_charged_if_it_calls_something() {
        let mut charges = Charges::default();
        let frames = ["main_[o]", "flush_[o]_[i]", "write_[l]", "--", "wake_[o]_[w]", "f (a.c:1)"];
        assert_eq!(charges.caller(&[], 0), None);
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
            assert_eq!(charges.caller(stack, 0), caller, "{stack:?}");
        }
        // What is kept of the stack before is not read again.
        for (stack, kept, caller) in [
            (&[0, 1, 2, 3][..], 0, Some(1)),
            (&[0, 1, 2, 3, 1], 3, Some(1)),
            (&[0, 1, 2, 3, 1, 1], 5, Some(1)),
            (&[0, 1, 2, 5], 3, Some(1)),
            (&[0, 2, 2], 1, Some(0)),
            (&[0, 2, 1], 2, None),
            (&[0, 2, 5], 2, Some(0)),
            (&[2, 2], 0, None),
            (&[2, 5], 1, None),
        ] {
            assert_eq!(charges.caller(stack, kept), caller, "{stack:?}");
        }
    }
}
