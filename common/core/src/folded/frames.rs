//! The frames of a stack.

use memchr::{memchr, memrchr};

/// The frames of a folded stack, root first.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Frames<'a> {
    /// Splits a folded stack, as [`crate::folded::FoldedLine::stack`] holds it.
    #[must_use]
    pub fn new(stack: &'a [u8]) -> Frames<'a> {
        Frames { rest: Some(stack) }
    }

    /// The frames that were not returned yet, as folded text; `None` when there
    /// are none left.
    #[must_use]
    pub fn rest(&self) -> Option<&'a [u8]> {
        self.rest
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        match memchr(b';', rest) {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Some(&rest[..end])
            }
            None => self.rest.take(),
        }
    }
}

/// From the back: the leaf first.
impl<'a> DoubleEndedIterator for Frames<'a> {
    #[inline]
    fn next_back(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        match memrchr(b';', rest) {
            Some(end) => {
                self.rest = Some(&rest[..end]);
                Some(&rest[end + 1..])
            }
            None => self.rest.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_frames_are_frames() {
        let frames: Vec<&[u8]> = Frames::new(b"a;;b;").collect();
        assert_eq!(frames, [&b"a"[..], b"", b"b", b""]);
        let backwards: Vec<&[u8]> = Frames::new(b"a;;b;").rev().collect();
        assert_eq!(backwards, [&b""[..], b"b", b"", b"a"]);
    }

    #[test]
    fn the_rest_is_what_was_not_returned() {
        let mut frames = Frames::new(b"a;b;c;");
        frames.next();
        assert_eq!(frames.rest(), Some(&b"b;c;"[..]));
        frames.next_back();
        assert_eq!(frames.rest(), Some(&b"b;c"[..]));
        assert_eq!(frames.by_ref().count(), 2);
        assert_eq!(frames.rest(), None);
    }
}
