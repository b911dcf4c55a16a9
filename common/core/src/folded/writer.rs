//! The one writer of the folded format.

use super::{FoldedLine, clean_frame};

/// A stack under construction, root first.
///
/// Whatever bytes a frame is made of, the stack stays well-formed.
#[derive(Clone, Debug, Default)]
pub struct StackBuf {
    bytes: Vec<u8>,
    frames: usize,
}

impl StackBuf {
    /// Empties the stack, keeping its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.frames = 0;
    }

    /// Adds a leaf; bytes that would break the format are replaced, see
    /// [`clean_frame`].
    pub fn push_frame(&mut self, frame: &[u8]) {
        if self.frames > 0 {
            self.bytes.push(b';');
        }
        clean_frame(frame, &mut self.bytes);
        self.frames += 1;
    }

    /// Adds a leaf that was read from a folded line and so is clean.
    #[inline]
    pub fn push_clean_frame(&mut self, frame: &[u8]) {
        if self.frames > 0 {
            self.bytes.push(b';');
        }
        self.bytes.extend_from_slice(frame);
        self.frames += 1;
    }

    /// Replaces the stack by these frames, root first, which were read from folded lines.
    pub fn set<'f>(&mut self, frames: impl Iterator<Item = &'f [u8]>) {
        self.clear();
        frames.for_each(|frame| self.push_clean_frame(frame));
    }

    /// Replaces the stack by one that was read, below another root.
    pub fn set_below(&mut self, root: &[u8], stack: &[u8]) {
        self.set([root, stack].into_iter());
    }

    /// How many frames the stack has.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The stack as a folded line holds it, without the count.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Whether a line with this stack would be a comment.
#[inline]
pub(crate) fn would_be_comment(stack: &[u8]) -> bool {
    matches!(stack, [b'#'] | [b'#', b' ', ..])
}

/// Appends a line and its LF to `out`. All folded lines are written by this function.
///
/// A line that starts with `# ` would be a comment, so a stack such as
/// `# my thread;main` is written with a backslash before it, also after labels, which
/// another program may cut off.
#[inline]
pub fn append_folded(line: &FoldedLine<'_>, out: &mut Vec<u8>) {
    append_start(line, out);
    out.extend_from_slice(line.stack);
    append_count(line.count, out);
}

/// Appends what comes before the stack in its line.
#[inline]
pub(crate) fn append_start(line: &FoldedLine<'_>, out: &mut Vec<u8>) {
    if !line.labels.is_empty() {
        out.extend_from_slice(line.labels.as_bytes());
    }
    if would_be_comment(line.stack) {
        out.push(b'\\');
    }
}

/// Appends what comes after the stack in its line.
#[inline]
pub(crate) fn append_count(count: u64, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::super::Labels;
    use super::*;

    #[test]
    fn pushed_frames_cannot_break_the_line() {
        let mut stack = StackBuf::default();
        stack.push_frame(b"Odd.(.%(;..))");
        stack.push_frame(b"tab\there\xff\n");
        assert_eq!(stack.as_bytes(), b"Odd.(.%(:..));tab here\xff ");
        assert_eq!(stack.frames(), 2);
    }

    #[test]
    fn a_stack_is_never_written_as_a_comment() {
        let mut out = Vec::new();
        for stack in ["# my thread;main", "#", "#1", "a;# b"] {
            append_folded(&FoldedLine::new(stack.as_bytes(), 7), &mut out);
        }
        assert_eq!(out, b"\\# my thread;main 7\n\\# 7\n#1 7\na;# b 7\n");
        out.clear();
        let (labels, stack) = Labels::split(b"tid=1\t# my thread;main").expect("a label");
        append_folded(&FoldedLine { labels, stack, count: 7 }, &mut out);
        assert_eq!(out, b"tid=1\t\\# my thread;main 7\n");
    }

    #[test]
    fn an_empty_first_frame_keeps_its_separator() {
        let mut stack = StackBuf::default();
        stack.push_frame(b"");
        stack.push_frame(b"leaf");
        assert_eq!(stack.as_bytes(), b";leaf");
    }
}
