//! Files of Python's cProfile and profile, and of CPython's sampling profiler with `--pstats`:
//! calls and times of each function, and the same for each of its callers. Grammar from
//! Lib/cProfile.py, Lib/profile.py and Python/marshal.c.
//!
//! ```text
//! {(file, line, name): (calls without recursion, calls, own time, time,
//!                       {(file, line, name): (calls, without recursion, own, time)})}
//! ```
//!
//! This is a call graph, not stacks: [`crate::read::call_graph`] describes how stacks are made from
//! it.
//!
//! The sampling profiler (Lib/profiling/sampling/pstats_collector.py) ends the dictionary with
//! `('__sampled__',): True`. Then the numbers of calls are those of samples: first those of the
//! function itself, then those of it and its callees. A caller has one number of samples in place
//! of the four. So it is with the calls of `profile`.

mod functions;
mod marshal;

use std::io::Read;

use common::{Error, Result, io::Input};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::call_graph::Own;
use crate::read::costs::CALLS;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use functions::{Edge, Functions};
use marshal::{Malformed, Marshal, Value};

/// More nanoseconds than any program ran: 570 years, which fit into 64 bits.
const MOST_NANOSECONDS: f64 = 1.8e19;

pub(super) const FORMAT: Format =
    Format::new("pstats", "Python's pstats: cProfile, profile", detect, parse);

const TIME: Measure<'static> = Measure { name: b"time", unit: b"ns" };

/// The only part of the key that a sampling profiler adds.
const SAMPLED: &[u8] = b"__sampled__";

/// Whether this is a dictionary whose first key is a tuple of three. If nothing was sampled, the
/// first key is the one that the sampling profiler adds.
fn detect(head: &Head<'_>) -> bool {
    match head.bytes {
        [b'{' | 0xfb, b'(' | 0xa8, 3, 0, 0, 0, ..] | [b'{' | 0xfb, b')' | 0xa9, 3, ..] => true,
        [b'{' | 0xfb, b')' | 0xa9, 1, _, _, text @ ..] => text.starts_with(SAMPLED),
        _ => false,
    }
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where the file is damaged, after all that came before;
/// or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|source| Error::Input { name: name.clone(), source })?;
    let mut marshal = Marshal::new(&bytes);
    let mut file = File::default();
    let read = file.read(&mut marshal);
    if !file.is_sampled {
        samples.note_lines_of_definitions("");
    }
    if file.has_only_calls && !file.is_sampled {
        file.functions.fit_times_of_calls();
    }
    file.add(samples)?;
    samples.note_count(file.below_zero, "functions have a negative own time: it counts as 0");
    read.map_err(|Malformed(expected)| {
        let at = marshal.at();
        let what = format!("byte {at}: expected {expected}; what came before is kept");
        Error::Unknown { name, what }
    })
}

#[derive(Default)]
struct File {
    functions: Functions,
    /// How many functions have a negative own time.
    below_zero: u64,
    /// Whether the sampling profiler wrote the file.
    is_sampled: bool,
    /// Whether callers have only the number of their calls.
    has_only_calls: bool,
    /// Then the number of samples, and the nanoseconds between two of them.
    drawn: u64,
    interval: Option<f64>,
}

impl File {
    fn read(&mut self, marshal: &mut Marshal<'_>) -> Result<(), Malformed> {
        marshal.begin_dictionary("a dictionary of functions")?;
        while let Some(function) = marshal.next_key()? {
            if is_mark(&function) {
                self.is_sampled = true;
                marshal.value()?;
                continue;
            }
            let function = self.functions.number(&function)?;
            let time_of_call = self.read_times(function, marshal)?;
            marshal.begin_dictionary("a dictionary of callers")?;
            while let Some(caller) = marshal.next_key()? {
                let caller = self.functions.number(&caller)?;
                let value = marshal.value()?;
                self.has_only_calls |= matches!(value, Value::Integer(_));
                let edge = edge(caller, &value, time_of_call)?;
                self.functions.add_caller(function, edge);
            }
        }
        Ok(())
    }

    /// Reads the four numbers of a function before its callers; returns the mean time of its calls.
    fn read_times(&mut self, function: u32, marshal: &mut Marshal<'_>) -> Result<f64, Malformed> {
        // The dictionary of callers is the last of the five.
        let length = marshal.begin_tuple("a tuple of five")?;
        let (direct, calls) = (count(&marshal.value()?), count(&marshal.value()?));
        let (own, time) = (marshal.value()?, nanoseconds(marshal.value()?)?);
        self.below_zero += u64::from(is_below_zero(&own));
        let own = nanoseconds(own)?;
        self.functions.set(function, (own, time), [direct, calls]);
        if direct > 0 && own > 0.0 {
            self.drawn = self.drawn.saturating_add(direct);
            self.interval = Some(own / direct as f64);
        }
        if length != 5 {
            return Err(Malformed("a tuple of five"));
        }
        Ok(if calls > 0 { time / calls as f64 } else { 0.0 })
    }

    /// Adds the own time of all functions, or their calls.
    fn add(&self, samples: &mut Samples<'_>) -> Result<()> {
        let owns = [self.functions.own_times(), self.functions.own_calls()];
        let totals = owns.each_ref().map(|owns| total(owns));
        let has_calls = !self.is_sampled && totals[1] > 0;
        let measures = if has_calls { &[TIME, CALLS][..] } else { &[TIME] };
        let place = samples.events.set_measures(measures);
        let mut weights = totals[..measures.len()].to_vec();
        place.into_iter().for_each(|place| weights[place] = 0);
        let place = place.unwrap_or(0);
        let names = self.functions.names(samples);
        let drawn = self.is_sampled.then_some(0);
        let origin = Sample { weights: &weights, drawn, ..Sample::default() };
        let graph = self.functions.graph(place == 1);
        let accuracy = graph.add(&owns[place], (&origin, place), &names, samples)?;
        samples.note(format_args!("pstats has callers but no stacks: {accuracy}"));
        if let Some(interval) = self.interval.filter(|_| self.is_sampled) {
            // The interval was given in microseconds.
            samples.facts.note_interval(((interval / 1e3).round() as u64).saturating_mul(1000));
            samples.draw(TIME.name, totals[0] as f64, Some(self.drawn));
        }
        Ok(())
    }
}

fn total(owns: &[Own]) -> u64 {
    owns.iter().fold(0, |sum: u64, own| sum.saturating_add(own.weight))
}

/// Whether this is the key `('__sampled__',)`.
fn is_mark(key: &Value) -> bool {
    let Value::Tuple(parts) = key else { return false };
    matches!(&parts[..], [Value::Text(text)] if text[..] == *SAMPLED)
}

/// The times of a function below one caller: `(calls, calls without recursion, own time, time)`, or
/// only the number of its calls there, or of samples.
fn edge(caller: u32, value: &Value, time_of_call: f64) -> Result<Edge, Malformed> {
    match value {
        Value::Tuple(parts) => match &parts[..] {
            [calls, _, own, time] => Ok(Edge {
                caller,
                own: nanoseconds(own.clone())?,
                time: nanoseconds(time.clone())?,
                calls: count(calls),
            }),
            _ => Err(Malformed("a tuple of four")),
        },
        // The own time is split as the time is.
        Value::Integer(_) => {
            let calls = count(value);
            Ok(Edge { caller, own: 0.0, time: calls as f64 * time_of_call, calls })
        }
        _ => Err(Malformed("a tuple of four")),
    }
}

fn count(value: &Value) -> u64 {
    match value {
        Value::Integer(count) => u64::try_from(*count).unwrap_or_default(),
        _ => 0,
    }
}

fn is_below_zero(value: &Value) -> bool {
    match value {
        Value::Float(number) => *number < 0.0,
        Value::Integer(number) => *number < 0,
        _ => false,
    }
}

/// A time in seconds, in nanoseconds; 0 if it is negative.
fn nanoseconds(value: Value) -> Result<f64, Malformed> {
    let seconds = match value {
        Value::Float(seconds) => seconds,
        Value::Integer(seconds) => seconds as f64,
        _ => return Err(Malformed("a time")),
    };
    let nanoseconds = seconds.max(0.0) * 1e9;
    if seconds.is_nan() || nanoseconds > MOST_NANOSECONDS {
        return Err(Malformed("a time"));
    }
    Ok(nanoseconds)
}
