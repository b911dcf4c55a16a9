//! A set of frame names, told by a regular expression once for each name.

use common::{FrameId, FrameTable, Result, bad_pattern, pattern_text};
use regex::bytes::{Regex, RegexBuilder};

/// Room for long lists of names.
const SIZE_LIMIT: usize = 1 << 28;

/// What may stand behind a name of a list: the arguments of C++
/// (`VM_Operation::evaluate()`), what gcc and LLVM append to a function that
/// they copied or cut (`mark_slice.isra.0.cold`, `f() [clone .cold]`), and
/// what `stack-parse --annotate` says of a frame (`_[i]`).
const NAME_ENDS: &str = concat!(
    r"(?:\(.*\)(?: const)?)?(?: \[clone [^\]]+\])*",
    r"(?:\.(?:constprop|part|isra|cold|lto_priv|llvm)(?:\.\d+)?)*(?:_\[[a-z]\])?",
);

/// The frames that a pattern matches; memory grows with distinct frames only.
#[derive(Debug)]
pub(crate) struct FrameSet {
    regex: Regex,
    /// What is known, by frame number.
    verdicts: Vec<Verdict>,
}

#[derive(Clone, Copy, Debug)]
enum Verdict {
    Unknown,
    Out,
    In,
}

impl FrameSet {
    /// The frames in which a pattern is found, as grep finds it.
    ///
    /// # Errors
    ///
    /// A usage error that names the pattern.
    pub(crate) fn searched(pattern: &[u8]) -> Result<FrameSet> {
        FrameSet::build(pattern, &pattern_text(pattern), true)
    }

    /// The frames whose whole name matches one of a list; names of programs,
    /// so `\w` is an ASCII letter and `.` any byte.
    ///
    /// # Errors
    ///
    /// A usage error that names the list.
    pub(crate) fn listed(list: &[Vec<u8>]) -> Result<FrameSet> {
        let texts: Vec<_> = list.iter().map(|name| pattern_text(name)).collect();
        let text = format!("^(?:{}){NAME_ENDS}$", texts.join("|"));
        FrameSet::build(&list.join(&b'|'), &text, false)
    }

    fn build(pattern: &[u8], text: &str, unicode: bool) -> Result<FrameSet> {
        let built = RegexBuilder::new(text).unicode(unicode).size_limit(SIZE_LIMIT).build();
        let regex = built.map_err(|error| bad_pattern(pattern, &error))?;
        Ok(FrameSet { regex, verdicts: Vec::new() })
    }

    /// True if and only if the pattern matches the frame's name.
    #[inline]
    pub(crate) fn holds(&mut self, frame: FrameId, frames: &FrameTable) -> bool {
        match self.verdicts.get(frame as usize) {
            Some(Verdict::In) => true,
            Some(Verdict::Out) => false,
            Some(Verdict::Unknown) | None => self.judge(frame, frames),
        }
    }

    #[cold]
    fn judge(&mut self, frame: FrameId, frames: &FrameTable) -> bool {
        let matches = self.regex.is_match(frames.name(frame));
        self.verdicts.resize(frames.len(), Verdict::Unknown);
        self.verdicts[frame as usize] = if matches { Verdict::In } else { Verdict::Out };
        matches
    }
}

/// Says why a line of a list is no pattern, if it is none: in a list of
/// hundreds, nobody finds it otherwise.
///
/// # Errors
///
/// A usage error that names the line.
pub(crate) fn check_listed(name: &[u8]) -> Result<()> {
    FrameSet::listed(&[name.to_vec()]).map(drop)
}
