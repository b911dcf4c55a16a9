//! What massif writes: the memory in use at some times and, for some of these, the stacks that
//! allocated it. Grammar from <https://valgrind.org/docs/manual/ms-manual.html> and massif's
//! ms_main.c.
//!
//! ```text
//! desc: --stacks=yes
//! cmd: ./demo 1
//! time_unit: i
//! #-----------
//! snapshot=9
//! #-----------
//! time=2233479                    instructions, milliseconds or bytes
//! mem_heap_B=135800
//! mem_heap_extra_B=9008
//! mem_stacks_B=672
//! heap_tree=peak                  or detailed, or empty: no tree
//! n2: 135800 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
//!  n1: 135000 0x10B5F6: allocate (new_allocator.h:137)      below it is its caller
//!   n0: 135000 0x10B600: main (demo.c:7)
//!  n0: 800 in 3 places, all below massif's threshold (1.00%)
//! ```

use common::numbers::{decimal, seconds};
use common::{Error, Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::frame::Frame;
use crate::options::{Live, Options};
use crate::read::lines::for_each_line;
use crate::read::outline::Outline;
use crate::read::own_labels::OwnLabels;
use crate::read::valgrind_frame::{frame, is_inlined};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time};

pub(super) const FORMAT: Format =
    Format::new("massif", "Massif's snapshots of memory in use: valgrind", detect, parse)
        .extras(&[Extra::Live, Extra::Indented(has_lost_blanks)]);

/// Nodes stand below their parent, each a blank further in: only a root has none.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    let is_root = |line: &[u8]| {
        let number = line.strip_prefix(b"n").unwrap_or_default();
        let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && number[digits..].starts_with(b": ")
    };
    is_root(above) && is_root(line)
}

fn detect(head: &Head<'_>) -> bool {
    let mut lines = head.lines().filter(|line| !line.is_empty());
    ["desc:", "cmd:", "time_unit:"]
        .iter()
        .all(|key| lines.next().is_some_and(|line| line.starts_with(key.as_bytes())))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Usage`] if `--live` asks for what the file does not have;
/// [`Error::Unknown`] if the end of a tree is missing, after all before it was added; or what
/// adding samples returns.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let live = options.objects.live();
    let (mut file, mut last) = (File { name: name.clone(), live, ..File::default() }, 0);
    file.takes_all = samples.wants.times() && live.is_none();
    for_each_line(input, |number, line| {
        last = number;
        if !file.line(line, samples)? {
            samples.malformed(number, "expected a line of massif");
        }
        Ok(())
    })?;
    let is_cut = file.snapshot.is_cut();
    file.end_snapshot(samples)?;
    file.finish(samples)?;
    if !is_cut {
        return Ok(());
    }
    let what = format!("line {last}: expected more of a snapshot; what came before is kept");
    Err(Error::Unknown { name, what })
}

#[derive(Default)]
struct File {
    name: String,
    live: Option<Live>,
    /// The unit of times: `ms`, `i` for instructions, `B` for bytes.
    time_unit: Vec<u8>,
    /// Whether all snapshots with trees are samples: each has its own time, or its own event.
    takes_all: bool,
    /// Whether it is Valgrind's own report of memory, which has no times.
    is_report: bool,
    /// Whether the event of trees is known.
    has_event: bool,
    snapshot: Snapshot,
    /// When the first snapshot was taken.
    begun: Option<u64>,
    /// The best choice among the snapshots so far.
    chosen: Option<Snapshot>,
    /// The peak among the snapshots with trees so far, with only the first line of its tree.
    peak: Option<Snapshot>,
    snapshots: u64,
}

/// The memory in use at some time, in bytes.
#[derive(Clone, Default)]
struct Snapshot {
    number: Vec<u8>,
    time: Option<u64>,
    heap: u64,
    /// The overhead of the allocator itself.
    extra: u64,
    stacks: u64,
    is_peak: bool,
    has_tree: bool,
    /// The lines of the tree.
    tree: Vec<Vec<u8>>,
    /// How many lines of the tree are still to come.
    missing: u64,
}

impl File {
    /// Reads a line; false if it is not one of massif's.
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        if let Some((_, children, _, _)) = node(line) {
            let snapshot = &mut self.snapshot;
            if snapshot.missing == 0 {
                return Ok(false);
            }
            snapshot.missing = (snapshot.missing - 1).saturating_add(children);
            snapshot.tree.push(line.to_vec());
            return Ok(true);
        }
        if let Some(number) = line.strip_prefix(b"snapshot=") {
            self.end_snapshot(samples)?;
            self.snapshot = Snapshot { number: number.to_vec(), missing: 1, ..Snapshot::default() };
            self.snapshots += 1;
            return Ok(true);
        }
        Ok(self.snapshot.set(line) || self.header(line))
    }

    fn header(&mut self, line: &[u8]) -> bool {
        if let Some(unit) = line.strip_prefix(b"time_unit:") {
            self.time_unit = unit.trim_ascii().to_vec();
            return true;
        }
        if let Some(options) = line.strip_prefix(b"desc:") {
            // Each snapshot of a report is another event.
            self.is_report = options.trim_ascii().starts_with(b"xtree.");
            self.takes_all |= self.is_report;
            return true;
        }
        line.starts_with(b"cmd:") || line.starts_with(b"#") || line.trim_ascii().is_empty()
    }

    fn end_snapshot(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let snapshot = std::mem::take(&mut self.snapshot);
        if !snapshot.number.is_empty() {
            self.check_live()?;
            self.begun = self.begun.or(snapshot.time);
        }
        if snapshot.has_tree && !std::mem::replace(&mut self.has_event, true) {
            // The heap may be 0 in the first snapshots while the stacks are not, so it is chosen
            // here.
            samples.events.take_first(snapshot.event().0);
        }
        if snapshot.is_higher_than(self.peak.as_ref()) {
            let tree = snapshot.tree.first().cloned().into_iter().collect();
            self.peak = Some(Snapshot { tree, number: snapshot.number.clone(), ..snapshot });
        }
        if self.takes_all && snapshot.has_tree {
            return snapshot.add(self.clock(), samples);
        }
        if self.is_asked_for(&snapshot) {
            self.chosen = Some(snapshot);
        }
        Ok(())
    }

    /// Refuses `--live` for moments that the file's times do not allow.
    fn check_live(&self) -> Result<()> {
        let name = &self.name;
        match self.live {
            Some(_) if self.is_report => Err(Error::Usage(format!(
                "--live needs snapshots of massif: {name} is a report of --xtree-memory"
            ))),
            Some(Live::At(_) | Live::End) if self.time_unit != b"ms" => Err(Error::Usage(format!(
                "the times of {name} are not milliseconds: only --live=peak is possible; record \
                 with 'valgrind --tool=massif --time-unit=ms' for the others"
            ))),
            _ => Ok(()),
        }
    }

    /// Whether a snapshot is a better choice than those before.
    fn is_asked_for(&self, snapshot: &Snapshot) -> bool {
        match (self.live, &self.chosen) {
            (None, Some(chosen)) => snapshot.has_tree && (snapshot.is_peak || !chosen.is_peak),
            (None, None) => snapshot.has_tree || snapshot.time.is_some(),
            (Some(Live::Peak), chosen) => snapshot.is_higher_than(chosen.as_ref()),
            (Some(Live::End), _) => snapshot.has_tree,
            (Some(Live::At(moment)), _) => {
                let since = self.clock().since(snapshot.time);
                snapshot.has_tree && since.is_some_and(|since| since <= moment)
            }
        }
    }

    fn clock(&self) -> Clock<'_> {
        Clock { unit: &self.time_unit, begun: self.begun.unwrap_or_default() }
    }

    /// Adds the snapshot that was chosen, and notes the peak.
    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if let Some(chosen) = self.chosen.take().filter(|_| !self.takes_all) {
            let number = String::from_utf8_lossy(&chosen.number);
            let (which, others) = match self.live {
                None if chosen.is_peak => ("the peak", ": --from and --to choose others"),
                None => ("the last with a tree", ": --from and --to choose others"),
                Some(Live::Peak) if chosen.is_peak => ("the peak", ""),
                Some(Live::Peak) => ("the largest with a tree, as none is marked as the peak", ""),
                Some(Live::At(_)) => ("the last with a tree until then", ""),
                Some(Live::End) => ("the last with a tree", ""),
            };
            samples.note(format_args!(
                "snapshot {number} of {} is taken, {which}{others}",
                self.snapshots
            ));
            chosen.add(self.clock(), samples)?;
        } else if self.live.is_some() {
            samples.note("no snapshot until then has a tree");
        }
        if let Some(peak) = &self.peak {
            let when = self.clock().text(peak.time.unwrap_or_default());
            samples.events.note_peak(peak.event().0, peak.heap, &when);
        }
        Ok(())
    }
}

/// The unit of times, and their start.
#[derive(Clone, Copy)]
struct Clock<'a> {
    /// `ms`, `i` for instructions, `B` for bytes.
    unit: &'a [u8],
    /// When the first snapshot was taken.
    begun: u64,
}

impl Clock<'_> {
    /// Nanoseconds since the first snapshot, if times are milliseconds.
    fn since(&self, time: Option<u64>) -> Option<u64> {
        let time = time.filter(|_| self.unit == b"ms")?;
        time.saturating_sub(self.begun).checked_mul(1_000_000)
    }

    /// A time for people: seconds since the first snapshot, or a number and its unit.
    fn text(&self, time: u64) -> Vec<u8> {
        match self.since(Some(time)) {
            Some(since) => seconds(since).into_bytes(),
            None => [time.to_string().as_bytes(), b" ", self.unit].concat(),
        }
    }
}

impl Snapshot {
    /// Reads `mem_heap_B=135800`; false if it is another line.
    fn set(&mut self, line: &[u8]) -> bool {
        let Some(at) = line.iter().position(|&byte| byte == b'=') else { return false };
        let (key, value) = (&line[..at], line[at + 1..].trim_ascii());
        if key == b"heap_tree" {
            self.is_peak = value == b"peak";
            self.has_tree = value != b"empty";
            self.missing = u64::from(self.has_tree);
            return true;
        }
        let place = match key {
            b"time" => self.time.insert(0),
            b"mem_heap_B" => &mut self.heap,
            b"mem_heap_extra_B" => &mut self.extra,
            b"mem_stacks_B" => &mut self.stacks,
            _ => return false,
        };
        let number = decimal(value);
        *place = number.unwrap_or_default();
        number.is_some()
    }

    /// Whether this is the peak or, as long as no snapshot is marked as the peak, has more in use.
    fn is_higher_than(&self, other: Option<&Snapshot>) -> bool {
        let is_more = |other: &Snapshot| !other.is_peak && self.heap > other.heap;
        self.has_tree && (self.is_peak || other.is_none_or(is_more))
    }

    /// Whether the end is missing.
    fn is_cut(&self) -> bool {
        self.missing > 0
    }

    fn add(&self, clock: Clock<'_>, samples: &mut Samples<'_>) -> Result<()> {
        // Instructions and bytes are not times: each counts as a nanosecond.
        let nanoseconds = if clock.unit == b"ms" { 1_000_000 } else { 1 };
        let since = clock.since(self.time).and_then(|since| i64::try_from(since).ok());
        let time = self.time.and_then(|time| time.checked_mul(nanoseconds));
        let time = time.map(Time::Nanoseconds);
        let (event, unit) = self.event();
        samples.events.announce(event, unit);
        let mut labels = OwnLabels::default();
        labels.add_known(FORMAT.name, "snapshot", &self.number);
        if let Some(time) = self.time.filter(|_| clock.unit != b"ms") {
            samples.window.set_unclocked();
            labels.add_known(FORMAT.name, "time", &clock.text(time));
        }
        let labels = &labels.list();
        let origin = Sample { time, since, labels, ..Sample::default() };
        self.add_tree(&Sample { event, ..origin }, samples)?;
        for (event, frame, bytes) in [
            (&b"heap-extra"[..], &b"[heap extra]"[..], self.extra),
            (b"stacks", b"[stacks]", self.stacks),
        ] {
            if bytes > 0 {
                samples.events.announce(event, b"bytes");
                let frame = samples.frame(frame);
                let sample = Sample { event, weights: &[bytes], ..origin };
                samples.add(&sample, &[frame])?;
            }
        }
        Ok(())
    }

    /// The event and the unit of the tree, by its first line:
    /// `(heap allocation functions) malloc/...`, `(page allocation syscalls) mmap/...`, or
    /// `totBk : total allocated Blocks` in Valgrind's own report.
    fn event(&self) -> (&[u8], &[u8]) {
        let top = self.tree.first().and_then(|line| node(line)).map_or(&b""[..], |it| it.3);
        if top.starts_with(b"(page ") {
            return (b"pages", b"bytes");
        }
        match top.iter().position(|&byte| byte == b' ') {
            Some(end) if top[end..].starts_with(b" : ") => {
                (&top[..end], if top.ends_with(b"Blocks") { b"blocks" } else { b"bytes" })
            }
            _ => (b"heap", b"bytes"),
        }
    }

    /// Adds the tree. Its top is the allocating functions, and callers are below.
    fn add_tree(&self, origin: &Sample<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let nodes: Vec<_> = self.tree.iter().filter_map(|line| node(line)).collect();
        let Some(&(_, _, total, top)) = nodes.first() else {
            let sample = Sample { weights: &[self.heap], ..*origin };
            return samples.add(&sample, &[]);
        };
        let mut outline = Outline::default();
        outline.is_inverted = true;
        let mut below = 0u64;
        for (number, &(indent, _, bytes, text)) in nodes.iter().enumerate().skip(1) {
            let next = nodes.get(number + 1);
            let caller = next.filter(|(next_indent, ..)| *next_indent > indent);
            let inlined = caller.is_some_and(|(_, _, _, caller)| is_inlined(text, caller));
            let frame = match text {
                [b'i', b'n', b' ', b'0'..=b'9', ..] => {
                    Frame { name: b"[below massif's threshold]", ..Frame::default() }
                }
                _ => Frame { inlined, ..frame(text) },
            };
            if indent == 1 {
                below = below.saturating_add(bytes);
            }
            outline.enter(indent, &frame, (bytes, None), origin, samples)?;
        }
        outline.finish(origin, samples)?;
        let own = total.saturating_sub(below);
        if own == 0 {
            return Ok(());
        }
        let frame = samples.frame(top);
        samples.add(&Sample { weights: &[own], ..*origin }, &[frame])
    }
}

/// ` n1: 135000 0x10B5F6: main (demo.c:7)`: its depth, the number of lines directly below it, bytes
/// and text.
fn node(line: &[u8]) -> Option<(usize, u64, u64, &[u8])> {
    let indent = line.iter().position(|&byte| byte != b' ')?;
    let rest = line[indent..].strip_prefix(b"n")?;
    let colon = rest.iter().position(|&byte| byte == b':')?;
    let (children, rest) = (&rest[..colon], rest[colon..].strip_prefix(b": ")?);
    let space = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
    let (bytes, text) = (&rest[..space], rest.get(space + 1..).unwrap_or_default());
    if children.is_empty() || bytes.is_empty() {
        return None;
    }
    Some((indent, decimal(children)?, decimal(bytes)?, text))
}
