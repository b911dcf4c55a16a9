//! A set of frame names, given by a regular expression that runs once for each
//! name, or by the kind of code.

use std::rc::Rc;
use std::sync::LazyLock;

use common::names::{CodeKind, FrameParts};
use common::pattern::{bad_pattern, mentions_mark, pattern_text};
use common::pipe::KindsOfFrames;
use common::stacks::{FrameId, FrameTable};
use common::{Error, Result};
use regex_automata::meta::{self, Regex};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, Look};

/// The largest compiled expression in bytes: room for long lists of names.
const SIZE_LIMIT: usize = 1 << 28;

/// What may follow a name of a list: the arguments of C++, as in
/// `VM_Operation::evaluate()` and `f() [clone .cold]`.
const ARGUMENTS: &str = r"(?:\(.*\)(?: const)?)?(?: \[clone [^\]]+\])*";

/// What gcc and LLVM append to a function that they copied or cut, as in
/// `mark_slice.isra.0.cold`.
const SUFFIXES: &str = r"(?:\.(?:constprop|part|isra|cold|lto_priv|llvm)(?:\.\d+)?)*$";

static SUFFIXES_REGEX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(SUFFIXES).expect("a good pattern"));

/// The frames that a pattern matches, or those of a kind of code; memory grows with distinct frames
/// only.
#[derive(Debug)]
pub(crate) struct FrameSet {
    what: What,
    /// What is known of each frame, by its number.
    verdicts: Vec<Verdict>,
}

#[derive(Debug)]
enum What {
    Match(Pattern),
    /// Frames of this kind, once kinds are known, see [`FrameSet::tell_kinds`].
    OfKind(CodeKind, Option<Rc<KindsOfFrames>>),
}

#[derive(Debug)]
struct Pattern {
    regex: Regex,
    /// Whether the regex sees names with their marks.
    with_marks: bool,
    /// Whether the regex sees names without the [`SUFFIXES`].
    without_suffixes: bool,
}

#[derive(Clone, Copy, Debug)]
enum Verdict {
    Unknown,
    Out,
    In,
}

impl FrameSet {
    /// The frames in whose names a pattern is found, as stack-grep finds it.
    ///
    /// # Errors
    ///
    /// A usage error that names the pattern.
    pub(crate) fn searched(pattern: &[u8]) -> Result<FrameSet> {
        Pattern::searched(pattern).map(FrameSet::matching)
    }

    /// As [`FrameSet::searched`], but the pattern sees names without what gcc
    /// and LLVM append: C's `XML_Parse.part.0` has the form of an OCaml name.
    ///
    /// # Errors
    ///
    /// A usage error that names the pattern.
    pub(crate) fn searched_without_suffixes(pattern: &[u8]) -> Result<FrameSet> {
        let pattern = Pattern { without_suffixes: true, ..Pattern::searched(pattern)? };
        Ok(FrameSet::matching(pattern))
    }

    /// The frames whose whole name matches one of a list, see [`parse_listed`].
    ///
    /// # Errors
    ///
    /// A usage error if the list is too large.
    pub(crate) fn listed(list: &[Hir]) -> Result<FrameSet> {
        let suffixes = parse(&format!("{ARGUMENTS}{SUFFIXES}"), false).expect("a good pattern");
        let any = Hir::alternation(list.to_vec());
        Pattern::compile(&Hir::concat(vec![Hir::look(Look::Start), any, suffixes]))
            .map(FrameSet::matching)
            .map_err(|error| Error::Usage(format!("list of {} names: {error}", list.len())))
    }

    fn matching(pattern: Pattern) -> FrameSet {
        FrameSet { what: What::Match(pattern), verdicts: Vec::new() }
    }

    /// The frames of a kind of code.
    pub(crate) fn of_kind(kind: CodeKind) -> FrameSet {
        FrameSet { what: What::OfKind(kind, None), verdicts: Vec::new() }
    }

    /// Whether the set must be told the kinds of frames before it holds any.
    pub(crate) fn asks_kinds(&self) -> bool {
        matches!(self.what, What::OfKind(..))
    }

    /// Tells the kinds of frames to a set that asks for them.
    pub(crate) fn tell_kinds(&mut self, told: &Rc<KindsOfFrames>) {
        if let What::OfKind(_, kinds) = &mut self.what {
            *kinds = Some(Rc::clone(told));
        }
    }

    /// Whether the frame is in the set.
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
        let matches = match &self.what {
            What::OfKind(kind, kinds) => {
                kinds.as_ref().is_some_and(|kinds| kinds.is_of(frames.name(frame), *kind))
            }
            What::Match(pattern) => pattern.matches(frames.name(frame)),
        };
        self.verdicts.resize(frames.len(), Verdict::Unknown);
        self.verdicts[frame as usize] = if matches { Verdict::In } else { Verdict::Out };
        matches
    }
}

impl Pattern {
    fn searched(pattern: &[u8]) -> Result<Pattern> {
        let parsed = parse(&pattern_text(pattern), true);
        let compiled = parsed.and_then(|parsed| Pattern::compile(&parsed));
        let compiled = compiled.map_err(|error| bad_pattern(pattern, &error))?;
        Ok(Pattern { with_marks: mentions_mark(pattern, false), ..compiled })
    }

    /// Compiles what was parsed; the error says why this is not possible.
    fn compile(pattern: &Hir) -> Result<Pattern, String> {
        let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(SIZE_LIMIT));
        let built = meta::Builder::new().configure(config).build_from_hir(pattern);
        let regex = built.map_err(|error| match error.size_limit() {
            Some(limit) => format!("over {limit} bytes when compiled"),
            None => error.to_string(),
        })?;
        Ok(Pattern { regex, with_marks: false, without_suffixes: false })
    }

    /// Whether it matches the frame's name.
    fn matches(&self, frame: &[u8]) -> bool {
        let FrameParts { mut name, marks, .. } = FrameParts::of(frame);
        let marked;
        if self.with_marks {
            marked = [name, marks].concat();
            name = &marked;
        }
        if self.without_suffixes
            && let Some(suffixes) = SUFFIXES_REGEX.find(name)
        {
            name = &name[..suffixes.start()];
        }
        self.regex.is_match(name)
    }
}

/// Parses a name of a list. Each is parsed by itself, so that a message names this line and not a
/// list of hundreds, but all are compiled together: one by one would take many times as long.
///
/// These are names of programs: `\w` is an ASCII letter, digit or `_`, and `.` any byte.
///
/// # Errors
///
/// A usage error that names the line.
pub(crate) fn parse_listed(name: &[u8]) -> Result<Hir> {
    let text = format!("(?:{})", pattern_text(name));
    parse(&text, false).map_err(|error| bad_pattern(name, &error))
}

fn parse(text: &str, unicode: bool) -> Result<Hir, String> {
    let mut parser = ParserBuilder::new().utf8(false).unicode(unicode).build();
    parser.parse(text).map_err(|error| error.to_string())
}
