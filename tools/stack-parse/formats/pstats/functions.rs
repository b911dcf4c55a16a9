//! The functions of a pstats file.

use hashbrown::HashMap;

use super::marshal::{Malformed, Value};
use crate::frame::Frame;
use crate::read::call_graph::{Caller, Graph, Own};
use crate::read::same_names::SameNames;
use crate::read::source::Place;
use crate::read::stacks::FrameNames;
use crate::samples::Samples;

/// How often the times of calls are scaled.
const FITS: usize = 50;

/// Functions by number.
#[derive(Default)]
pub(super) struct Functions {
    numbers: HashMap<Key, u32>,
    functions: Vec<Function>,
}

/// `(file, line, name)`; built-in functions have the file `~`.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Key {
    file: Vec<u8>,
    line: i64,
    name: Vec<u8>,
}

/// A function; times are in nanoseconds.
#[derive(Default)]
struct Function {
    key: Key,
    own: f64,
    time: f64,
    calls: u64,
    /// Whether it was called while it was active.
    is_recursive: bool,
    callers: Vec<Edge>,
}

/// What a function took when one caller called it, in nanoseconds.
pub(super) struct Edge {
    pub(super) caller: u32,
    /// 0 if the file does not have it.
    pub(super) own: f64,
    pub(super) time: f64,
    pub(super) calls: u64,
}

impl Functions {
    /// The number of a function.
    pub(super) fn number(&mut self, key: &Value) -> Result<u32, Malformed> {
        let Value::Tuple(parts) = key else { return Err(Malformed("a function")) };
        let [Value::Text(file), Value::Integer(line), Value::Text(name)] = &parts[..] else {
            return Err(Malformed("a function"));
        };
        let key = Key { file: file.to_vec(), line: *line, name: name.to_vec() };
        let next = self.functions.len() as u32;
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.functions.push(Function { key, ..Function::default() });
        }
        Ok(number)
    }

    /// Sets the times of a function, and its calls without and with recursion.
    pub(super) fn set(&mut self, function: u32, (own, time): (f64, f64), calls: [u64; 2]) {
        let function = &mut self.functions[function as usize];
        (function.own, function.time, function.calls) = (own, time, calls[1]);
        function.is_recursive = calls[0] != calls[1];
    }

    pub(super) fn add_caller(&mut self, function: u32, edge: Edge) {
        self.functions[function as usize].callers.push(edge);
    }

    /// The own time of each function. The running sum is rounded, not each weight, so that the
    /// total is exact.
    pub(super) fn own_times(&self) -> Vec<Own> {
        let (mut exact, mut counted) = (0.0, 0);
        self.owns(|function| {
            exact += function.own;
            let weight = (exact.round() as u128).saturating_sub(counted);
            counted += weight;
            weight as u64
        })
    }

    /// The calls of each function.
    pub(super) fn own_calls(&self) -> Vec<Own> {
        self.owns(|function| function.calls)
    }

    fn owns(&self, mut weight: impl FnMut(&Function) -> u64) -> Vec<Own> {
        let functions = (0..).zip(&self.functions);
        let own = |(it, function)| Own { function: it, frame: it, weight: weight(function) };
        functions.map(own).collect()
    }

    /// Estimates the times of calls, where only their numbers are known: `profile` saves no more.
    /// At first each call of a function takes the same time. Then the times are scaled so that those
    /// of each caller add up to what its callees took, and those of each function to its time.
    pub(super) fn fit_times_of_calls(&mut self) {
        for _ in 0..FITS {
            let mut sums = vec![0.0; self.functions.len()];
            for edge in self.functions.iter().flat_map(|function| &function.callers) {
                sums[edge.caller as usize] += edge.time;
            }
            let by = |(function, sum): (&Function, f64)| match function.time - function.own {
                callees if sum > 0.0 && !function.is_recursive && function.calls > 0 => {
                    callees / sum
                }
                _ => 1.0,
            };
            let by: Vec<f64> = self.functions.iter().zip(sums).map(by).collect();
            for Function { time, calls, callers, is_recursive, .. } in &mut self.functions {
                callers.iter_mut().for_each(|edge| edge.time *= by[edge.caller as usize]);
                let sum: f64 = callers.iter().map(|edge| edge.time).sum();
                let called: u64 = callers.iter().map(|edge| edge.calls).sum();
                if sum > 0.0 && !*is_recursive {
                    let by = *time * (called as f64 / (*calls).max(1) as f64).min(1.0) / sum;
                    callers.iter_mut().for_each(|edge| edge.time *= by);
                }
            }
        }
    }

    /// The graph of times, or of calls.
    pub(super) fn graph(&self, is_of_calls: bool) -> Graph {
        let mut graph = Graph::new(is_of_calls);
        for (number, function) in (0..).zip(&self.functions) {
            let Function { own, time, calls, callers, .. } = function;
            // What `profile` adds as the root was never called and has no time.
            let total = Some(*time).filter(|_| !is_of_calls && *calls > 0);
            let (own, callees) = match is_of_calls {
                true => (*calls as f64, *time),
                // Without own times of callers, the times of calls have them.
                false if callers.iter().any(|edge| edge.own > 0.0) => (*own, time - own),
                false => (*own, *time),
            };
            graph.set_function(number, own, callees, total);
            for edge in callers {
                let (own, callees) = match is_of_calls {
                    true => (edge.calls as f64, edge.time),
                    false => (edge.own, (edge.time - edge.own).max(0.0)),
                };
                let (function, frame) = (edge.caller, edge.caller);
                graph.add_call(number, Caller { function, frame, own, callees });
            }
        }
        graph
    }

    /// The names of the functions. Those that share a name have their places after it:
    /// `__init__ (shop.py:12)`.
    pub(super) fn names(&self, samples: &mut Samples<'_>) -> FrameNames {
        let same = SameNames::new(self.functions.iter().map(|it| &it.key.name[..]));
        let mut names = FrameNames::default();
        for Function { key: Key { file, line, name }, .. } in &self.functions {
            let mut source = match &file[..] {
                b"~" => Place::default(),
                file => Place::new(file, u64::try_from(*line).ok()),
            };
            let source = source.text();
            // A place that is asked for is written anyway.
            let place = if samples.wants.frames.srcline() { b"" } else { source };
            let name = same.told_apart(name, place);
            names.push(&Frame { name: &name, source, ..Frame::default() }, samples);
        }
        names
    }
}
