//! The formats that are written.

mod callgrind;
mod chrome;
mod d3;
mod dot;
mod firefox;
mod pprof;
mod speedscope;

use clap::ValueEnum;
use common::io::{Output, unwritten};
use common::{Error, Result};

use crate::event::ExportedEvent;
use crate::profile::Profile;
use crate::threads::THREAD_LABELS;

/// A format; its help says what opens it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// JSON for speedscope
    Speedscope,
    /// profile.proto, compressed by gzip, for 'go tool pprof' and much else
    Pprof,
    /// JSON for the Firefox Profiler
    Firefox,
    /// JSON for Chrome's tracing and Perfetto
    Chrome,
    /// JSON for d3-flame-graph
    D3,
    /// A call graph for KCachegrind and callgrind_annotate
    Callgrind,
    /// A call graph for Graphviz
    Dot,
    /// A table for pandas, DuckDB and R, a row for each line
    Tsv,
}

impl Target {
    /// The name as the user writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Target::Speedscope => "speedscope",
            Target::Pprof => "pprof",
            Target::Firefox => "firefox",
            Target::Chrome => "chrome",
            Target::D3 => "d3",
            Target::Callgrind => "callgrind",
            Target::Dot => "dot",
            Target::Tsv => "tsv",
        }
    }

    /// Whether it holds only one event.
    pub(crate) fn takes_one_event(self) -> bool {
        !matches!(self, Target::Speedscope | Target::Pprof | Target::Tsv)
    }

    /// Whether names must be UTF-8.
    pub(crate) fn is_text(self) -> bool {
        self != Target::Callgrind
    }

    /// Whether it has fields for files and lines.
    pub(crate) fn has_places(self) -> bool {
        !matches!(self, Target::Chrome | Target::D3 | Target::Dot)
    }

    /// Whether it places samples in time.
    pub(crate) fn shows_times(self) -> bool {
        matches!(self, Target::Chrome | Target::Firefox | Target::Speedscope)
    }

    /// Whether it holds the value of a label with this key. Every format needs `event`, as weights
    /// of different events cannot be added.
    pub(crate) fn wants_label(self, key: &[u8]) -> bool {
        match (self, key) {
            (_, b"event") | (Target::Pprof | Target::Tsv, _) => true,
            (target, key) => target.shows_times() && THREAD_LABELS.contains(&key),
        }
    }

    /// The largest sum of the weights of this event that it can hold.
    fn most(self, event: &ExportedEvent) -> u64 {
        match self {
            Target::Pprof => i64::MAX.unsigned_abs(),
            Target::Chrome => chrome::most(event),
            _ => u64::MAX,
        }
    }

    /// How much of the weight of this event it holds.
    fn weight(self, profile: &Profile, event: &ExportedEvent) -> u64 {
        match self {
            // This is seldom needed, so it is not computed before.
            Target::Chrome if event.total > self.most(event) => chrome::weight(profile, event),
            _ => event.total,
        }
    }

    /// Writes the profile, of one event if the format holds no more.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for weights that are too large for the format, or
    /// [`Error::Output`].
    pub(crate) fn write(self, profile: &Profile, out: &mut Output) -> Result<()> {
        let is_too_much = |event: &&ExportedEvent| self.weight(profile, event) > self.most(event);
        if let Some(event) = profile.events.iter().find(is_too_much) {
            let (format, most) = (self.name(), self.most(event));
            let total = self.weight(profile, event);
            let what = format!("{format} holds weights up to {most}, but all weigh {total}");
            return Err(Error::Usage(what));
        }
        let only = &profile.events[0];
        let written = match self {
            Target::Speedscope => speedscope::write(profile, out),
            Target::Pprof => pprof::write(profile, out),
            Target::Firefox => firefox::write(profile, only, out),
            Target::Chrome => chrome::write(profile, only, out),
            Target::D3 => d3::write(profile, only, out),
            Target::Callgrind => callgrind::write(profile, only, out),
            Target::Dot => dot::write(profile, only, out),
            Target::Tsv => unreachable!("a table is written of lines, not of their sums"),
        };
        written.map_err(unwritten)
    }
}
