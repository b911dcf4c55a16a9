//! The text of `perf script`.
//!
//! `event line LF { frame line LF } LF` is a sample with its call chain, leaf first; a sample
//! without a call chain is one line. A sample is read as a whole where it has only frames between
//! two blank lines ([`chains`]), and line by line ([`lines`]) where it has other lines: source
//! lines, side records, one-line samples, CRLF, perf's own messages.

mod beside;
mod chains;
mod detect;
mod event_line;
mod fields;
mod frame_line;
mod glued;
mod header_cache;
mod line_cache;
mod line_hash;
mod lines;
mod newlines;
mod object_file;
mod one_line;
mod parallel;
mod source_line;
mod symbols;
mod tokens;

use common::io::{Blocks, Input, without_cr};
use common::{Error, Result, folded::Label};
use memchr::{memchr, memmem, memrchr, memrchr_iter};

use crate::format::{Extra, Format};
use crate::options::Options;
use crate::read::perf_health;
use crate::samples::sample::{OpenSample, Sample, Time};
use crate::samples::{Loss, Root, Samples, Weighs};
use chains::{Body, Chain};
use frame_line::{FrameLine, is_chain_frame};
use header_cache::{HeaderCache, Known};
use lines::{Lines, is_certain_frame, is_frame};
use newlines::Newlines;

pub(super) use beside::is_call_trace;
pub(crate) use event_line::EventLine;

pub(super) const FORMAT: Format =
    Format::new("perf-script", "The text that perf script prints", detect::detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Period)
        .extras(&[Extra::Advice(perf_health::advise), Extra::Wakers]);

/// The length in bytes at which text without a blank line is cut, even if that is within a call
/// chain.
const LONGEST_WAIT: usize = 512 * 1024;

/// How much of a block is read at once, in bytes.
const PIECE: usize = 64 * 1024;

/// Reads one input to its end, with several threads if possible.
///
/// # Errors
///
/// [`Error::Input`], or an error of writing.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let threads = options.threads();
    let name = input.name().to_owned();
    let mut reader = PerfScriptReader {
        newlines: Newlines::default(),
        headers: HeaderCache::default(),
        chain: Chain::new(samples.wants.frames.need_address()),
        lines: Lines::default(),
    };
    let mut blocks = Blocks::cut_by(input, end_of_samples);
    let mut can_split = false;
    let ended = loop {
        if threads > 1
            && can_split
            && samples.can_fork()
            && let Some(ended) = parallel::read(&mut blocks, &mut reader, threads, samples)?
        {
            break ended;
        }
        match blocks.next_block() {
            Ok(Some(block)) => {
                reader.block(block, samples)?;
                can_split = ends_a_sample(block) && reader.lines.has_nothing_to_learn();
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    // All samples before a read error count.
    reader.lines.close(samples)?;
    samples.skipped.set_read(reader.lines.number());
    // Without --show-lost-events, the text does not say what was lost.
    if reader.lines.lost > 0 {
        samples.note_loss(Loss {
            count: reader.lines.lost,
            of: "samples or other records",
            recorded: None,
            remedy: "use a larger 'perf record -m'",
            is_exact: true,
        });
    }
    ended.map_err(|source| Error::Input { name, source })
}

/// Where the last whole sample of `text` ends. The result does not depend on where blocks are cut:
/// the text before a cut is understood without what follows, and [`Lines`] keeps what is needed
/// after it.
fn end_of_samples(text: &[u8]) -> Option<usize> {
    let mut ends = memrchr_iter(b'\n', text).map(|newline| newline + 1);
    match ends.find(|&end| ends_a_sample(&text[..end])) {
        None if text.len() >= LONGEST_WAIT || ends_without_frames(text) => end_of_lines(text),
        found => found,
    }
}

/// Where the first piece of `block` ends: after a blank line, and short enough to stay in the
/// processor's cache when its lines are read a second time.
fn end_of_piece(block: &[u8]) -> usize {
    let blank = block.get(PIECE..).and_then(|rest| memmem::find(rest, b"\n\n"));
    blank.map_or(block.len(), |blank| PIECE + blank + 2)
}

/// Whether the last lines of `text` are not frames: samples without call chains have no blank lines
/// between them, and the next ones may come much later.
fn ends_without_frames(text: &[u8]) -> bool {
    let Some(end) = memrchr(b'\n', text) else { return false };
    let mut last_lines = text[..end].rsplit(|&byte| byte == b'\n').take(2);
    last_lines.all(|line| !is_frame(line))
}

/// Whether `text` ends in a frame and a blank line. Then no sample is open, whatever came before,
/// so another thread can read what follows.
fn ends_a_sample(text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b"\n\n") else { return false };
    let start = memrchr(b'\n', text).map_or(0, |newline| newline + 1);
    is_certain_frame(&text[start..])
}

/// Where `text` without blank lines can be cut: before the last line that does not change the
/// meaning of the line above it. A frame below it makes a line such as `my demo ` an event, but not
/// another frame.
fn end_of_lines(text: &[u8]) -> Option<usize> {
    let whole = &text[..memrchr(b'\n', text)?];
    let mut next: Option<&[u8]> = None;
    let mut end = whole.len();
    for line in whole.rsplit(|&byte| byte == b'\n') {
        let is_cut = |next| !is_frame(next) || is_certain_frame(line);
        if next.is_some_and(is_cut) {
            return Some(end + 1);
        }
        next = Some(line);
        end = end.saturating_sub(line.len() + 1);
    }
    None
}

/// The two ways to read, and their shared state.
struct PerfScriptReader {
    /// The newlines in the current piece of a block.
    newlines: Newlines,
    headers: HeaderCache,
    chain: Chain,
    lines: Lines,
}

impl PerfScriptReader {
    /// A reader for another thread, with what this one knows about the input.
    fn fork(&self) -> PerfScriptReader {
        let (chain, lines) = (self.chain.fork(), self.lines.fork());
        let (newlines, headers) = Default::default();
        PerfScriptReader { newlines, headers, chain, lines }
    }

    /// Reads the next block of the input.
    fn block(&mut self, block: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let mut rest = block;
        while !rest.is_empty() {
            let piece;
            (piece, rest) = rest.split_at(end_of_piece(rest));
            self.piece(piece, samples)?;
        }
        Ok(())
    }

    /// Reads a piece of a block.
    fn piece(&mut self, piece: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        self.newlines.find(piece);
        let mut start = 0;
        for number in 0..self.newlines.doubled().len() {
            let blank = self.newlines.doubled()[number];
            if blank < start + 2 {
                // The second of two blank lines, or a blank line at the start of a block.
                self.lines.text(&piece[start..=blank], samples)?;
            } else {
                self.whole_sample(&piece[start..blank - 1], start, samples)?;
                self.lines.blank_line(samples)?;
            }
            start = blank + 1;
        }
        self.lines.text(&piece[start..], samples)
    }

    /// Reads the text between two blank lines; `start` is its offset in the block.
    fn whole_sample(&mut self, text: &[u8], start: usize, samples: &mut Samples<'_>) -> Result<()> {
        let Some((sample, body)) = self.open(text, samples)? else {
            return self.lines.text(text, samples);
        };
        self.lines.skip_lines(1);
        let Some(sample) = sample else {
            if self.lines.skip_frames(body) {
                return Ok(());
            }
            self.lines.pass();
            return self.lines.text(body, samples);
        };
        let start = start + text.len() - body.len();
        let chain = Body { text: body, start, newlines: &self.newlines };
        if !self.chain.read(sample, chain, samples) {
            self.lines.continue_sample(sample);
            return self.lines.text(body, samples);
        }
        self.lines.skip_lines(self.chain.lines());
        self.chain.add(sample, samples)
    }

    /// Opens the sample whose event line is the first line of `text`, and returns it, if it is
    /// wanted, with the text of its frames; `None` if `text` begins with another line.
    #[inline]
    fn open<'b>(
        &mut self,
        text: &'b [u8],
        samples: &mut Samples<'_>,
    ) -> Result<Option<(Option<OpenSample>, &'b [u8])>> {
        if let Some(Known { sample, time, body }) = self.headers.find(text)
            && body.starts_with(b"\t")
        {
            self.lines.close(samples)?;
            return Ok(Some((samples.reopen(sample, time).then_some(sample), body)));
        }
        let end = memchr(b'\n', text).unwrap_or(text.len());
        let (header, body) = (&text[..end], text.get(end + 1..).unwrap_or_default());
        let header = without_cr(header);
        // Blank lines may come between a header and its frames.
        if !body.starts_with(b"\t") || matches!(header, [] | [b'\t', ..]) {
            return Ok(None);
        }
        let is_sample = |event: &EventLine<'_>| {
            is_sample(event, header, body)
                && self.lines.is_event(event, || is_frame(first_line(body)))
        };
        let Some(event) = EventLine::parse(header).filter(is_sample) else { return Ok(None) };
        self.lines.close(samples)?;
        self.lines.note_header(&event);
        let leaf = LeafObject::of(Some(first_line(body)), samples);
        let sample = samples.open(&Sample { labels: leaf.labels(), ..Sample::from(&event) });
        if let Some(sample) = sample.filter(|_| samples.can_reopen()) {
            self.headers.keep(header, &event, sample);
        }
        Ok(Some((sample, body)))
    }
}

/// Whether `header` opens a sample whose call chain is `body`.
fn is_sample(event: &EventLine<'_>, header: &[u8], body: &[u8]) -> bool {
    // Nearly always an event ends the line.
    if event.text().is_empty() && event.time.is_some() {
        return !beside::is_record(event.event);
    }
    if beside::is_side_record(header) || event.is_deferred_chain() {
        return false;
    }
    let has_chain = || is_chain_frame(first_line(body));
    one_line::only_frame(event).is_none() || has_chain()
}

fn first_line(text: &[u8]) -> &[u8] {
    &text[..memchr(b'\n', text).unwrap_or(text.len())]
}

/// The object file of a sample's leaf, as its label.
struct LeafObject<'a>([Label<'a>; 1]);

impl<'a> LeafObject<'a> {
    /// The label of the sample with this leaf line, if any, where it is wanted.
    fn of(leaf: Option<&'a [u8]>, samples: &Samples<'_>) -> LeafObject<'a> {
        let key = b"object";
        let leaf = leaf.filter(|_| samples.wants.label(key)).and_then(FrameLine::parse);
        let value = leaf.map_or(&b""[..], |leaf| leaf.dso);
        LeafObject([Label { key, value }])
    }

    /// Empty where the object is unknown.
    fn labels(&self) -> &[Label<'a>] {
        let [label] = &self.0;
        if label.value.is_empty() { &[] } else { &self.0 }
    }
}

impl<'a> From<&'a EventLine<'_>> for Sample<'a> {
    fn from(event: &'a EventLine<'_>) -> Sample<'a> {
        Sample {
            comm: event.comm,
            pid: event.pid,
            tid: event.tid,
            cpu: event.cpu,
            time: event.time.map(Time::Text),
            event: event.event,
            weights: event.period.as_slice(),
            count: 1,
            text: event.text(),
            ..Sample::default()
        }
    }
}
