//! A set of frame names, given by a regular expression that runs once for each
//! name.

use std::sync::LazyLock;

use common::{FrameId, FrameTable, Result, bad_pattern, pattern_text};
use regex::bytes::{Regex, RegexBuilder};

/// The largest compiled expression in bytes: room for long lists of names.
const SIZE_LIMIT: usize = 1 << 28;

/// What may follow a name of a list: the arguments of C++, as in
/// `VM_Operation::evaluate()` and `f() [clone .cold]`.
const ARGUMENTS: &str = r"(?:\(.*\)(?: const)?)?(?: \[clone [^\]]+\])*";

/// What gcc and LLVM append to a function that they copied or cut, as in
/// `mark_slice.isra.0.cold`, and the mark of `stack-parse --annotate`: `_[i]`.
const SUFFIXES: &str =
    r"(?:\.(?:constprop|part|isra|cold|lto_priv|llvm)(?:\.\d+)?)*(?:_\[[a-z]\])?$";

static SUFFIXES_REGEX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(SUFFIXES).expect("a good pattern"));

/// The frames that a pattern matches; memory grows with distinct frames only.
#[derive(Debug)]
pub(crate) struct FrameSet {
    regex: Regex,
    /// Whether the regex sees names without the [`SUFFIXES`].
    without_suffixes: bool,
    /// What is known of each frame, by its number.
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

    /// As [`FrameSet::searched`], but the pattern sees names without what gcc
    /// and LLVM append: C's `XML_Parse.part.0` has the form of an OCaml name.
    ///
    /// # Errors
    ///
    /// A usage error that names the pattern.
    pub(crate) fn searched_without_suffixes(pattern: &[u8]) -> Result<FrameSet> {
        Ok(FrameSet { without_suffixes: true, ..FrameSet::searched(pattern)? })
    }

    /// The frames whose whole name matches one of a list; names of programs,
    /// so `\w` is an ASCII letter and `.` any byte.
    ///
    /// # Errors
    ///
    /// A usage error that names the list.
    pub(crate) fn listed(list: &[Vec<u8>]) -> Result<FrameSet> {
        let texts: Vec<_> = list.iter().map(|name| pattern_text(name)).collect();
        let text = format!("^(?:{}){ARGUMENTS}{SUFFIXES}", texts.join("|"));
        FrameSet::build(&list.join(&b'|'), &text, false)
    }

    fn build(pattern: &[u8], text: &str, unicode: bool) -> Result<FrameSet> {
        let built = RegexBuilder::new(text).unicode(unicode).size_limit(SIZE_LIMIT).build();
        let regex = built.map_err(|error| bad_pattern(pattern, &error))?;
        Ok(FrameSet { regex, without_suffixes: false, verdicts: Vec::new() })
    }

    /// Whether the pattern matches the frame's name.
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
        let mut name = frames.name(frame);
        if self.without_suffixes
            && let Some(suffixes) = SUFFIXES_REGEX.find(name)
        {
            name = &name[..suffixes.start()];
        }
        let matches = self.regex.is_match(name);
        self.verdicts.resize(frames.len(), Verdict::Unknown);
        self.verdicts[frame as usize] = if matches { Verdict::In } else { Verdict::Out };
        matches
    }
}

/// Checks a single line of a list, so that the message names this line and not a
/// list of hundreds.
///
/// # Errors
///
/// A usage error that names the line.
pub(crate) fn check_listed(name: &[u8]) -> Result<()> {
    FrameSet::listed(&[name.to_vec()]).map(drop)
}
