//! Labels that show the height of a folded frame: `add (x4+)`.

use common::{names::FrameParts, numbers::decimal};

/// A frame's name and what was appended to it.
pub(crate) struct Labelled<'a> {
    pub(crate) name: &'a [u8],
    /// How many frames it stands for at least; 1 without a label.
    pub(crate) least: u32,
    /// Its place and its marks, ` (demo.c:14)_[i]`, or nothing.
    pub(crate) tail: &'a [u8],
}

impl<'a> Labelled<'a> {
    /// Splits a frame such as `walk (x4+)_[k]`.
    pub(crate) fn parse(frame: &'a [u8]) -> Labelled<'a> {
        let (name, tail) = frame.split_at(FrameParts::of(frame).name.len());
        let (name, least) = split_height(name).unwrap_or((name, 1));
        Labelled { name, least, tail }
    }

    /// Appends the frame to `out` with a label for `height`, or with its own if that is higher.
    ///
    /// The label becomes a part of the name: place and marks stay at the end.
    pub(crate) fn append_with(&self, height: u32, out: &mut Vec<u8>) {
        out.extend_from_slice(self.name);
        out.extend_from_slice(format!(" (x{}+)", height.max(self.least)).as_bytes());
        out.extend_from_slice(self.tail);
    }
}

fn split_height(name: &[u8]) -> Option<(&[u8], u32)> {
    let before = name.strip_suffix(b"+)")?;
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, digits) = before.split_at(before.len() - digits);
    let height = u32::try_from(decimal(digits)?).ok()?;
    Some((before.strip_suffix(b" (x")?, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_apart_and_together() {
        for (frame, name, least, tail) in [
            ("add", "add", 1, ""),
            ("add (x4+)", "add", 4, ""),
            ("walk_[k]", "walk", 1, "_[k]"),
            ("walk (x16+)_[k]", "walk", 16, "_[k]"),
            ("walk (a.c:3)_[i]", "walk", 1, " (a.c:3)_[i]"),
            ("walk (x2+) (a.c:3)", "walk", 2, " (a.c:3)"),
            ("f (x+)", "f (x+)", 1, ""),
            ("f (x4)", "f (x4)", 1, ""),
            ("f (x99999999999+)", "f (x99999999999+)", 1, ""),
            ("", "", 1, ""),
        ] {
            let parsed = Labelled::parse(frame.as_bytes());
            assert_eq!(parsed.name, name.as_bytes());
            assert_eq!((parsed.least, parsed.tail), (least, tail.as_bytes()));
        }
        let mut out = Vec::new();
        Labelled::parse(b"walk (x4+)_[k]").append_with(2, &mut out);
        Labelled::parse(b";walk_[k]").append_with(2, &mut out);
        Labelled::parse(b";walk (a.c:3)").append_with(2, &mut out);
        assert_eq!(out, b"walk (x4+)_[k];walk (x2+)_[k];walk (x2+) (a.c:3)");
    }
}
