//! What `jfr print` prints of a Java flight recording, as text and with `--json`. Grammar from
//! OpenJDK's jdk.jfr.internal.tool (`PrettyWriter`, `JSONWriter`) and jdk.jfr.internal.util
//! (`ValueFormatter`).
//!
//! A file is read twice: the default event depends on all that there are, and an event without a
//! stack counts only if another event with its name has one.

mod event;
mod json;
mod text;

use std::collections::HashSet;
use std::io::{BufReader, Seek};

use common::{Error, Result, io::Input};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::java_events::{JavaLosses, PREFERRED, is_sample, unit};
use crate::read::json::Outline;
use crate::samples::{Samples, Weighs};
use event::{PrintedEvent, Weight};

pub(super) const FORMAT: Format = Format::new(
    "jfr-print",
    "What 'jfr print' prints of a Java flight recording, also with --json",
    detect,
    parse,
)
.weighs(Weighs::Value);

fn detect(head: &Head<'_>) -> bool {
    let is_json = |keys: &Outline| keys.has("recording") && keys.has_inside("events");
    text::is_print(head) || head.outline().is_some_and(is_json)
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where JSON is damaged, after all that came before; or what
/// adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let failed = |source| Error::Input { name: name.clone(), source };
    let is_json = input.peek(1).map_err(failed)?.starts_with(b"{");
    let mut copy = input.take_seekable().map_err(failed)?;
    let names = if is_json {
        json::names(name.clone(), &mut copy)?
    } else {
        text::names(&mut BufReader::new(&mut copy)).map_err(failed)?
    };
    copy.rewind().map_err(failed)?;
    *input = Input::from_reader(&name, copy);
    if let Some(first) = PREFERRED.iter().find(|name| names.stacked.contains(name.as_bytes())) {
        samples.events.take_first(first.as_bytes());
    }
    let mut print = Print { names, ..Print::default() };
    let read = if is_json {
        json::read(input, &mut print, samples)
    } else {
        text::read(input, &mut print, samples)
    };
    print.finish(samples);
    read
}

/// The names of events with stacks and with durations.
#[derive(Debug, Default, PartialEq)]
struct EventNames {
    /// The names of which any event has a stack.
    stacked: HashSet<Vec<u8>>,
    /// The names of which any event has a duration: text leaves out durations of 0.
    timed: HashSet<Vec<u8>>,
}

/// What was read of a print.
#[derive(Default)]
struct Print {
    names: EventNames,
    /// The names of events that were added, and whether they have a duration.
    seen: HashSet<(Vec<u8>, bool)>,
    /// Events whose weight is not a number.
    bad_weights: u64,
    /// Events without a weight, though their name has one.
    weightless: u64,
    /// Stacks that the print cut: callers are missing.
    cut: u64,
    /// Stacks with exactly as many frames as are printed by default: some may be cut.
    at_default: u64,
    /// The frames of the deepest stack.
    deepest: usize,
    losses: JavaLosses,
}

/// The most frames of a stack that are printed without `--stack-depth`.
const DEFAULT_DEPTH: usize = 5;

impl Print {
    /// Adds an event, if its name has stacks, and forgets it.
    fn add(&mut self, event: &mut PrintedEvent, samples: &mut Samples<'_>) -> Result<()> {
        if self.names.stacked.contains(&event.name) || is_sample(&event.name) {
            self.cut += u64::from(event.is_cut);
            self.at_default += u64::from(event.stack.len() == DEFAULT_DEPTH);
            self.deepest = self.deepest.max(event.stack.len());
            let name = std::mem::take(&mut event.name);
            let has_duration = event.has_duration() || self.names.timed.contains(&name);
            match event.weight(&name, has_duration) {
                Weight::Bad => self.bad_weights += 1,
                Weight::Known(weight) => event.add(&name, weight, samples)?,
                Weight::Unknown => {
                    self.weightless += 1;
                    event.add(&name, 1, samples)?;
                }
            }
            self.seen.insert((name, has_duration));
        }
        if let Some((field, amount)) = event.loss() {
            self.losses.add(field, amount);
        }
        event.clear();
        Ok(())
    }

    /// Sets the units of the weights, and notes what is wrong.
    fn finish(&self, samples: &mut Samples<'_>) {
        for (name, has_duration) in &self.seen {
            samples.events.set_unit(name, unit(name, *has_duration));
        }
        samples.note_counts(&[
            (self.bad_weights, "events have a weight that is not a number: they are left out"),
            (self.weightless, "events have no weight: each counts one"),
        ]);
        self.losses.report(samples);
        // JSON does not show where the print cut a stack.
        let is_default = self.deepest == DEFAULT_DEPTH && self.at_default > 0;
        let cut = if is_default { self.cut.max(self.at_default) } else { self.cut };
        samples.note_count(cut, "stacks may be cut: print with --stack-depth 64");
    }
}
