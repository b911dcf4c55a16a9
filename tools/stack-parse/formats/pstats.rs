//! Files of Python's cProfile and profile, and of CPython's sampling profiler with `--pstats`:
//! calls and times of each function, and the same for each of its callers. Grammar from
//! Lib/cProfile.py, Lib/profile.py and Python/marshal.c.
//!
//! ```text
//! {(file, line, name): (calls without recursion, calls, own time, time,
//!                       {(file, line, name): (calls, without recursion, own, time)})}
//! ```
//!
//! This is a call graph, not stacks: [`Graph`] describes how stacks are made from it.
//!
//! The sampling profiler (Lib/profiling/sampling/pstats_collector.py) ends the dictionary with
//! `('__sampled__',): True`. Then the numbers of calls are those of samples: first those of the
//! function itself, then those of it and its callees. A caller has one number of samples in place
//! of the four. So it is with the calls of `profile`.

mod marshal;

use std::io::Read;

use common::{Error, Result, io::Input};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::call_graph::{Caller, Graph, Own};
use crate::read::source::Place;
use crate::read::stacks::FrameNames;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use marshal::{Malformed, Marshal, Value};

/// The nanoseconds in a second.
const NANOSECONDS: f64 = 1e9;

/// More than any program ran: 570 years, which in nanoseconds fit into 64 bits.
const MOST_SECONDS: f64 = 1.8e10;

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
    let read = file.read(&mut marshal, samples);
    samples.note(
        "pstats has callers but no stacks: times are split in proportion, their sum is exact",
    );
    if !file.is_sampled {
        samples.note_lines_of_definitions("");
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
    numbers: HashMap<(Vec<u8>, i64, Vec<u8>), u32>,
    names: FrameNames,
    graph: Graph,
    /// The own time of each function, in seconds.
    own: Vec<f64>,
    /// How many functions have a negative own time.
    below_zero: u64,
    /// Whether the sampling profiler wrote the file.
    is_sampled: bool,
    /// Then the number of samples, and the seconds between two of them.
    drawn: u64,
    interval: Option<f64>,
}

impl File {
    fn read(
        &mut self,
        marshal: &mut Marshal<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<(), Malformed> {
        marshal.begin_dictionary("a dictionary of functions")?;
        while let Some(function) = marshal.next_key()? {
            if is_mark(&function) {
                self.is_sampled = true;
                marshal.value()?;
                continue;
            }
            let function = self.function(&function, samples)?;
            let time_of_call = self.read_times(function, marshal)?;
            marshal.begin_dictionary("a dictionary of callers")?;
            while let Some(caller) = marshal.next_key()? {
                let caller = self.function(&caller, samples)?;
                let (own, time) = edge(&marshal.value()?, time_of_call)?;
                self.graph
                    .add_call(function, Caller { function: caller, frame: caller, own, time });
            }
        }
        Ok(())
    }

    /// Reads the four numbers of a function before its callers; returns the mean time of its calls.
    fn read_times(&mut self, function: u32, marshal: &mut Marshal<'_>) -> Result<f64, Malformed> {
        // The dictionary of callers is the last of the five.
        let length = marshal.begin_tuple("a tuple of five")?;
        let (direct, calls) = (count(&marshal.value()?), count(&marshal.value()?));
        let (own, time) = (marshal.value()?, seconds(marshal.value()?)?);
        self.below_zero += u64::from(is_below_zero(&own));
        let own = seconds(own)?;
        self.graph.set_function(function, own, Some(time));
        self.own[function as usize] = own;
        if direct > 0 && own > 0.0 {
            self.drawn = self.drawn.saturating_add(direct);
            self.interval = Some(own / direct as f64);
        }
        if length != 5 {
            return Err(Malformed("a tuple of five"));
        }
        Ok(if calls > 0 { time / calls as f64 } else { 0.0 })
    }

    /// The id of a function, `(file, line, name)`; built-in functions have the file `~`.
    fn function(&mut self, key: &Value, samples: &mut Samples<'_>) -> Result<u32, Malformed> {
        let Value::Tuple(parts) = key else { return Err(Malformed("a function")) };
        let [Value::Text(file), Value::Integer(line), Value::Text(name)] = &parts[..] else {
            return Err(Malformed("a function"));
        };
        let next = self.names.len() as u32;
        let key = (file.to_vec(), *line, name.to_vec());
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            let mut place = match &file[..] {
                b"~" => Place::default(),
                file => Place::new(file, u64::try_from(*line).ok()),
            };
            let frame = Frame { name, source: place.text(), ..Frame::default() };
            self.names.push(&frame, samples);
            self.own.push(0.0);
        }
        Ok(number)
    }

    /// Adds the own time of all functions.
    fn add(&self, samples: &mut Samples<'_>) -> Result<()> {
        samples.events.set_measures(&[TIME]);
        // The running sum is rounded, not each weight, so that the total is exact.
        let (mut exact, mut counted) = (0.0, 0);
        let weights = self.own.iter().map(|own| {
            exact += own * NANOSECONDS;
            let weight = (exact.round() as u128).saturating_sub(counted);
            counted += weight;
            // It fits, since no function has more than `MOST_SECONDS`.
            weight as u64
        });
        let owns = (0..).zip(weights).map(|(it, weight)| Own { function: it, frame: it, weight });
        let owns: Vec<Own> = owns.collect();
        let total = owns.iter().map(|own| own.weight as f64).sum();
        let drawn = self.is_sampled.then_some(0);
        let origin = Sample { weights: &[0], drawn, ..Sample::default() };
        self.graph.add(&owns, (&origin, 0), &self.names, samples)?;
        if let Some(interval) = self.interval.filter(|_| self.is_sampled) {
            // The interval was given in microseconds.
            samples.facts.note_interval(((interval * 1e6).round() as u64).saturating_mul(1000));
            samples.draw(TIME.name, total, Some(self.drawn));
        }
        Ok(())
    }
}

/// Whether this is the key `('__sampled__',)`.
fn is_mark(key: &Value) -> bool {
    let Value::Tuple(parts) = key else { return false };
    matches!(&parts[..], [Value::Text(text)] if text[..] == *SAMPLED)
}

/// The own time and the time of a function below one caller: `(calls, calls without recursion, own
/// time, time)`, or only the number of its calls there, or of samples.
fn edge(value: &Value, time_of_call: f64) -> Result<(f64, f64), Malformed> {
    match value {
        Value::Tuple(parts) => match &parts[..] {
            [_, _, own, time] => Ok((seconds(own.clone())?, seconds(time.clone())?)),
            _ => Err(Malformed("a tuple of four")),
        },
        // The own time is split as the time is.
        Value::Integer(calls) => Ok((0.0, (*calls).max(0) as f64 * time_of_call)),
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

fn seconds(value: Value) -> Result<f64, Malformed> {
    match value {
        Value::Float(number) if number < MOST_SECONDS => Ok(number.max(0.0)),
        Value::Integer(number) if (number as f64) < MOST_SECONDS => Ok(number.max(0) as f64),
        _ => Err(Malformed("a time")),
    }
}
