//! What callgrind writes, and what other programs write in its format: Xdebug's profiler,
//! `go tool pprof -callgrind`, `stack-export --to callgrind`. Grammar from
//! <https://valgrind.org/docs/manual/cl-format.html> and callgrind's dump.c.
//!
//! ```text
//! positions: line
//! events: Ir Dr
//!
//! ob=(1) /usr/bin/demo
//! fl=(1) demo.c            the file of the functions that follow
//! fn=(1) main              a number stands for the name from now on
//! 16 20 3                  line 16 took 20 instructions and 3 reads
//! fi=(2) list.h            code of this file, inlined into main
//! +4 7
//! fe=(1)
//! cfi=(2)
//! cfn=(2) push
//! calls=3 20               main calls push, which is at line 20, three times,
//! * 400 9                  from the last line; this is what push took with its callees
//! ```
//!
//! This is a graph of calls, not stacks: [`crate::read::call_graph`] says how stacks are
//! made of it.

mod graph;
mod names;

use bstr::ByteSlice;
use common::{Error, Result, io::Input};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::call_graph::Accuracy;
use crate::read::costs::{Costs, unsigned, words};
use crate::read::lines::for_each_line;
use crate::read::paths::file_name;
use crate::samples::{Root, Samples};
use graph::{AllNames, Function, Functions, Site, Thread, Weigh};
use names::{Name, Names};

pub(super) const FORMAT: Format = Format::new(
    "callgrind",
    "Callgrind's call graphs: valgrind, Xdebug, pprof -callgrind",
    detect,
    parse,
)
.root(&Root::Tid);

/// What was expected where a number has no name yet.
const NO_NAME: &str = "a number that has a name";

/// Whether the input begins with a header that names the events, and functions or the totals
/// follow: a part that callgrind wrote before the program did anything has no function.
fn detect(head: &Head<'_>) -> bool {
    let (mut has_events, mut has_command, mut is_ours) = (false, false, false);
    let mut has_totals = false;
    for line in head.lines().filter(|line| !line.is_empty()) {
        if line.starts_with(b"# callgrind format") {
            return true;
        }
        let (key, separator) = key(line);
        match separator {
            _ if line.starts_with(b"#") => {}
            Some(b':') if is_header(key) => {
                has_events |= key == b"events";
                has_command |= key == b"cmd";
                has_totals |= key == b"totals";
                // Cachegrind writes these, too.
                is_ours |= !matches!(key, b"desc" | b"cmd" | b"events");
            }
            Some(b'=') if is_name(key) => {
                let is_call = |line: &[u8]| line.starts_with(b"calls=");
                return has_events && (is_ours || !has_command || head.lines().any(is_call));
            }
            _ => return false,
        }
    }
    head.is_whole && has_events && is_ours && has_totals
}

fn is_header(key: &[u8]) -> bool {
    matches!(key, b"version" | b"creator" | b"pid" | b"thread" | b"part" | b"cmd" | b"desc")
        || matches!(key, b"event" | b"events" | b"positions" | b"summary" | b"totals")
}

fn is_name(key: &[u8]) -> bool {
    matches!(key, b"ob" | b"fl" | b"fi" | b"fe" | b"fn" | b"cob" | b"cfi" | b"cfl" | b"cfn")
}

/// The word before `:` or `=`, and which of these follows.
fn key(line: &[u8]) -> (&[u8], Option<u8>) {
    let end = line.iter().position(|byte| !byte.is_ascii_lowercase()).unwrap_or(line.len());
    (&line[..end], line.get(end).copied())
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Unknown`] if the end is missing, after all before it was added; or
/// what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut file = File::new(samples.wants.frames.srcline());
    let mut last = 0;
    let read = for_each_line(input, |number, line| {
        last = number;
        if let Err(expected) = file.line(line, samples) {
            samples.malformed(number, format_args!("expected {expected}"));
        }
        Ok(())
    });
    file.add(samples)?;
    read?;
    if let Some(end) = file.missing_end {
        let what = format!("line {last}: expected '{end}' at the end; what came before is kept");
        return Err(Error::Unknown { name, what });
    }
    Ok(())
}

/// What was read of a file so far.
#[derive(Default)]
struct File {
    costs: Costs,
    /// The number of positions before the costs, and the index of the line among them.
    positions: usize,
    line_position: Option<usize>,
    /// Whether frames have source lines.
    by_line: bool,
    names: AllNames,
    functions: Functions,
    /// The name of the program in the last header.
    comm: Vec<u8>,
    pid: Vec<u8>,
    tid: Vec<u8>,
    threads: Vec<Thread>,
    /// The number of the thread whose calls are being read.
    thread: Option<usize>,
    /// What the next costs belong to.
    object: Name,
    file: Name,
    function: u32,
    line: u64,
    site: Option<u32>,
    called: Called,
    /// The called function and how often, if the next line has the cost of these calls.
    call: Option<(u32, u64)>,
    /// How many calls there were.
    calls: u64,
    /// The sum of the totals that the parts give.
    said: Option<i128>,
    /// The line that must still come at the end of a part: `totals:` of Valgrind's, `summary:` of
    /// Xdebug's.
    missing_end: Option<&'static str>,
    is_valgrind: bool,
}

/// The target of the next call, as far as it was given.
#[derive(Default)]
struct Called {
    object: Option<Name>,
    file: Option<Name>,
    name: Name,
}

impl File {
    fn new(by_line: bool) -> File {
        let none = Names::NONE;
        let mut file = File { positions: 1, line_position: Some(0), by_line, ..File::default() };
        let function = Function { object: none, file: none, name: none };
        file.function = file.functions.number(function);
        file
    }

    /// Reads a line; the error is what was expected.
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<(), &'static str> {
        if let Some(b'0'..=b'9' | b'+' | b'-' | b'*') = line.first() {
            return self.costs(line);
        }
        let (key, separator) = key(line);
        let value = line.get(key.len() + 1..).unwrap_or_default();
        match separator {
            Some(b'=') => self.specification(key, value),
            Some(b':') => {
                self.header(key, value.trim_ascii(), samples);
                Ok(())
            }
            _ if line.trim_ascii().is_empty() || line.starts_with(b"#") => Ok(()),
            _ => Err("a line of callgrind"),
        }
    }

    fn header(&mut self, key: &[u8], value: &[u8], samples: &mut Samples<'_>) {
        match key {
            b"events" => self.costs.set_events(value, samples),
            b"positions" => {
                let mut positions = words(value);
                self.line_position = positions.position(|word| word == b"line");
                self.positions = words(value).count();
            }
            b"creator" => {
                self.is_valgrind = value.starts_with(b"callgrind-");
                // HHVM calls itself xdebug, too, but does not name PHP.
                let is_xdebug = value.starts_with(b"xdebug ") && value.contains_str(" (PHP ");
                self.missing_end = is_xdebug.then_some("summary:");
            }
            b"pid" => self.set_thread(|file| &mut file.pid, value),
            b"thread" => self.set_thread(|file| &mut file.tid, value),
            b"cmd" => {
                self.comm = file_name(words(value).next().unwrap_or_default()).to_vec();
                samples.facts.program = Some(self.comm.clone()).filter(|it| !it.is_empty());
            }
            b"part" if self.is_valgrind => self.missing_end = Some("totals:"),
            // The time of Xdebug's includes its own, and is more than the sum of the costs.
            b"summary" if !self.is_valgrind => self.missing_end = None,
            b"totals" => {
                self.missing_end = None;
                if let Some(total) = self.costs.wanted(value) {
                    *self.said.get_or_insert(0) += total;
                }
            }
            _ => {}
        }
    }

    fn set_thread(&mut self, id: fn(&mut File) -> &mut Vec<u8>, value: &[u8]) {
        *id(self) = value.to_vec();
        self.thread = None;
    }

    /// `fn=(12) main`, `calls=3 20`
    fn specification(&mut self, key: &[u8], value: &[u8]) -> Result<(), &'static str> {
        let AllNames { objects, files, functions } = &mut self.names;
        let names = match key {
            b"ob" | b"cob" => objects,
            b"fl" | b"fi" | b"fe" | b"cfi" | b"cfl" | b"jfi" => files,
            b"fn" | b"cfn" | b"jfn" => functions,
            b"calls" => return self.begin_call(value),
            // How often code jumped from one line to another: jcnd=597/600 +44 3338
            b"jump" | b"jcnd" => return Ok(()),
            _ => return Err("a line of callgrind"),
        };
        let read = names.read(value);
        let name = read.unwrap_or(Names::NONE);
        match key {
            b"ob" => self.object = name,
            b"cob" => self.called.object = Some(name),
            b"cfi" | b"cfl" => self.called.file = Some(name),
            b"cfn" => self.called.name = name,
            b"fn" => {
                let function = Function { object: self.object, file: self.file, name };
                self.function = self.functions.number(function);
                (self.call, self.called) = (None, Called::default());
            }
            // Where a jump goes to.
            b"jfi" | b"jfn" => return read.map(drop).ok_or(NO_NAME),
            _ => self.file = name,
        }
        self.site = None;
        read.map(drop).ok_or(NO_NAME)
    }

    /// `calls=3 20`: how often, and where the function is. It is in the object and the file of its
    /// caller, unless `cob=` or `cfi=` came before.
    fn begin_call(&mut self, value: &[u8]) -> Result<(), &'static str> {
        let Called { object, file, name } = std::mem::take(&mut self.called);
        let (object, file) = (object.unwrap_or(self.object), file.unwrap_or(self.file));
        let function = self.functions.called(Function { object, file, name }, self.by_line);
        let count = words(value).next().and_then(unsigned);
        self.call = Some((function, count.unwrap_or(0)));
        self.calls = self.calls.saturating_add(count.unwrap_or(0));
        count.map(drop).ok_or("calls, a number")
    }

    /// `+3 20 1`: positions and costs.
    fn costs(&mut self, line: &[u8]) -> Result<(), &'static str> {
        const EXPECTED: &str = "costs, each a number";
        let call = self.call.take();
        let costs = self.positions(line).ok_or("a line of code")?;
        if !self.costs.has_events() {
            return Err("'events:' before costs");
        }
        let site = self.site();
        let thread = self.thread();
        let is_added = match call {
            Some((function, count)) => {
                let cost = self.costs.wanted_or_first(costs).ok_or(EXPECTED)?;
                self.threads[thread].add_call(site, function, cost, count)
            }
            None => {
                let cost = self.costs.add(costs).ok_or(EXPECTED)?;
                self.threads[thread].add_own(site, cost)
            }
        };
        if is_added { Ok(()) } else { Err("a sum that fits into 64 bits") }
    }

    /// Reads the positions, of which only the line matters; returns what follows them.
    fn positions<'l>(&mut self, line: &'l [u8]) -> Option<&'l [u8]> {
        let mut rest = line;
        for place in 0..self.positions {
            let start = rest.iter().position(|&byte| byte != b' ').unwrap_or(rest.len());
            let length = rest[start..].iter().position(|&byte| byte == b' ');
            let end = length.map_or(rest.len(), |length| start + length);
            if self.by_line && self.line_position == Some(place) {
                let line = moved(self.line, &rest[start..end])?;
                if line != self.line {
                    (self.line, self.site) = (line, None);
                }
            }
            rest = &rest[end..];
        }
        Some(rest)
    }

    /// The number of the current site: function, file and line.
    fn site(&mut self) -> u32 {
        if let Some(site) = self.site {
            return site;
        }
        let file = if self.by_line { self.file } else { Names::NONE };
        let line = if self.by_line { self.line } else { 0 };
        let site = self.functions.site(Site { function: self.function, file, line });
        self.site = Some(site);
        site
    }

    fn thread(&mut self) -> usize {
        if let Some(thread) = self.thread {
            return thread;
        }
        let is_same = |thread: &Thread| thread.pid == self.pid && thread.tid == self.tid;
        let known = self.threads.iter().position(is_same);
        let thread = known.unwrap_or(self.threads.len());
        if known.is_none() {
            let (pid, tid) = (self.pid.clone(), self.tid.clone());
            self.threads.push(Thread::new(pid, tid));
        }
        self.thread = Some(thread);
        thread
    }

    /// Adds all threads.
    fn add(&self, samples: &mut Samples<'_>) -> Result<()> {
        if self.threads.len() < 2 {
            samples.set_one_thread();
        }
        let names = self.functions.frames(&self.names, samples);
        let (mut weights, place) = self.costs.declare(self.calls, samples);
        place.into_iter().for_each(|place| weights[place] = 0);
        let is_event = place.is_none() || place == self.costs.place();
        let weigh = if is_event { Weigh::Costs } else { Weigh::Calls };
        let (mut accuracy, mut left_out) = (Accuracy::default(), 0);
        for thread in &self.threads {
            let weights_at = (&weights[..], place.unwrap_or(0));
            let of = (&self.comm[..], weigh);
            let (this, below_zero) =
                thread.add(of, &self.functions, weights_at, &names, samples)?;
            accuracy = accuracy.and(this);
            left_out += below_zero;
            weights.fill(0);
        }
        if self.threads.iter().any(Thread::has_calls) {
            samples.note(format_args!("callgrind has callers but no stacks: {accuracy}"));
        }
        if left_out < 0 {
            samples.note(format_args!(
                "costs of {left_out} are left out: functions freed more than they took"
            ));
        }
        if let Some(said) = self.said {
            if said == 0 && self.threads.is_empty() {
                samples.note("an empty recording: its totals are 0");
            }
            self.costs.compare(said, samples);
        }
        Ok(())
    }
}

/// The line at a position: `12` and `0xc` are absolute; `+3`, `-3` and `*` are relative to `from`.
fn moved(from: u64, position: &[u8]) -> Option<u64> {
    match position {
        b"*" => Some(from),
        [b'+', by @ ..] => from.checked_add(unsigned(by)?),
        [b'-', by @ ..] => from.checked_sub(unsigned(by)?),
        to => unsigned(to),
    }
}
