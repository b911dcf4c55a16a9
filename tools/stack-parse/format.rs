//! What a format is: a line in the table of [`crate::formats`].

use std::cell::OnceCell;
use std::fmt;
use std::mem::discriminant;

use common::Result;
use common::io::{Input, lines};
use memchr::memrchr;

use crate::options::Options;
use crate::read::json::Outline;
use crate::samples::{Advice, Root, Samples, Weighs};

/// A format that can be read.
pub(crate) struct Format {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// Its description in `--list-formats`.
    pub(crate) about: &'static str,
    /// Whether an input that begins like this is in this format. False as long as too little of it
    /// is seen.
    pub(crate) detect: Detect,
    /// Reads an input to its end.
    pub(crate) parse: Parse,
    /// The default of `--root`.
    pub(crate) root: &'static Root,
    /// What the weights of samples mean.
    pub(crate) weighs: Weighs,
    /// Optional features.
    pub(crate) extras: &'static [Extra],
}

/// The function that detects a format.
type Detect = fn(&Head<'_>) -> bool;

/// The function that reads a format.
type Parse = fn(&mut Input, &Options, &mut Samples<'_>) -> Result<()>;

/// A feature that only few formats have.
#[derive(Clone, Copy)]
pub(crate) enum Extra {
    /// Reports from the stacks what is wrong with a recording.
    Advice(Advice),
    /// Gives for each sample how many threads ran: `--weight latency`.
    Parallelism,
    /// Gives what threads did, and which woke which: `--wall`, `--wakers`.
    Wakers,
    /// Has spans of its own beside or in place of samples: `--spans`.
    Spans,
    /// Gives when memory was in use: `--live`.
    Live,
    /// Gives the heap of each object: `--major`, `--promoted`.
    Heaps,
    /// Its lines begin with blanks that say who called whom. This knows a line that lost them, as
    /// when it was pasted, by the line above it.
    Indented(LostBlanks),
}

/// Whether the second of two lines lost the blanks before it.
type LostBlanks = fn(&[u8], &[u8]) -> bool;

impl Format {
    /// A format without a root frame, whose weights are sums, and which has no optional feature.
    pub(crate) const fn new(
        name: &'static str,
        about: &'static str,
        detect: Detect,
        parse: Parse,
    ) -> Format {
        Format { name, about, detect, parse, root: &Root::None, weighs: Weighs::Sum, extras: &[] }
    }

    /// The format with this default of `--root`.
    pub(crate) const fn root(self, root: &'static Root) -> Format {
        Format { root, ..self }
    }

    /// The format whose weights mean this.
    pub(crate) const fn weighs(self, weighs: Weighs) -> Format {
        Format { weighs, ..self }
    }

    /// The format with these optional features.
    pub(crate) const fn extras(self, extras: &'static [Extra]) -> Format {
        Format { extras, ..self }
    }

    /// The function that reports what is wrong with a recording, if the format has one.
    pub(crate) fn advice(&self) -> Option<Advice> {
        self.extras.iter().find_map(|extra| match extra {
            Extra::Advice(advice) => Some(*advice),
            _ => None,
        })
    }

    /// Whether a text in this format lost the blanks at the start of its lines, so that it cannot be
    /// read any more.
    pub(crate) fn has_lost_blanks(&self, start: &[u8]) -> bool {
        let is_lost = self.extras.iter().find_map(|extra| match extra {
            Extra::Indented(is_lost) => Some(*is_lost),
            _ => None,
        });
        let pairs = || lines(start).zip(lines(start).skip(1));
        is_lost.is_some_and(|is_lost| pairs().any(|(above, line)| is_lost(above, line)))
    }

    /// Whether it has a feature.
    pub(crate) fn has(&self, extra: Extra) -> bool {
        self.extras.iter().any(|known| discriminant(known) == discriminant(&extra))
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The start of an input.
pub(crate) struct Head<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether the input ends here.
    pub(crate) is_whole: bool,
    /// Whether this is the last attempt to detect the format: no more bytes will be shown.
    pub(crate) is_last: bool,
    /// Made at most once, for all formats in JSON.
    outline: OnceCell<Option<Outline>>,
    /// The keys of a JSON text of which more than its first bytes were read.
    read_on: Option<&'a Outline>,
}

impl<'a> Head<'a> {
    pub(crate) fn new(bytes: &'a [u8], is_whole: bool, is_last: bool) -> Head<'a> {
        Head { bytes, is_whole, is_last, outline: OnceCell::new(), read_on: None }
    }

    /// The start of a JSON text whose first bytes do not show its format. Formats see only its
    /// keys, which were read from more of the text.
    pub(crate) fn of_keys(outline: &'a Outline) -> Head<'a> {
        Head { read_on: Some(outline), ..Head::new(b"", false, true) }
    }

    /// The keys of its outer objects, if it is JSON.
    pub(crate) fn outline(&self) -> Option<&Outline> {
        self.read_on.or_else(|| self.outline.get_or_init(|| Outline::of(self.bytes)).as_ref())
    }

    /// Whether the only control bytes are those found in text.
    pub(crate) fn is_text(&self) -> bool {
        let is_control =
            |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
        !self.bytes.iter().any(is_control)
    }

    /// The first line that is not empty; empty if there is none.
    pub(crate) fn first_line(&self) -> &'a [u8] {
        self.lines().find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// The bytes, without a last line that is cut short.
    pub(crate) fn text(&self) -> &'a [u8] {
        match memrchr(b'\n', self.bytes) {
            Some(end) if !self.is_whole => &self.bytes[..end],
            _ => self.bytes,
        }
    }

    /// The lines of [`text`](Head::text), without LF and CR.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        lines(self.text())
    }
}
