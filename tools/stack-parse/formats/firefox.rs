//! Profiles of the Firefox profiler, which samply and CPython's sampling profiler
//! write, too: Gecko's own (a table is a schema and rows), and processed ones (a
//! table is a list of columns). Tables are read by the names of their columns,
//! since these come and go with versions. Grammar from docs-developer of the
//! Firefox profiler.
//!
//! ```text
//! {"meta":{"interval":1,"startTime":1460221352723.4,"version":3},"threads":[
//!  {"name":"GeckoMain","samples":{"schema":{"stack":0,"time":1},"data":[[1,0]]},
//!   "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},
//!   "frameTable":{"schema":{"location":0},"data":[[0],[1]]},
//!   "stringTable":["(root)","f (a.js:3)"]}]}
//! {"meta":{"preprocessedProfileVersion":57},"shared":{"stringArray":["main"]},
//!  "threads":[{"name":"t","samples":{"stack":[0],"time":[0.5]},
//!   "stackTable":{"prefix":[null],"frame":[0]},"frameTable":{"func":[0]},
//!   "funcTable":{"name":[0]}}]}
//! {"label":"a recording","duration":274.2,"profile":{"meta":{..},"threads":[..]}}
//! ```
//!
//! JSON has no order: rows may come before the schema that says what is in them, and
//! tables before or after what refers to them.

mod cpu;
mod libs;
mod markers;
mod names;
mod native;
mod saved_symbols;
mod table;
mod thread;

use std::io::Read;

use common::{Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::read::documents::{Document, read_documents};
use crate::read::held::Held;
use crate::read::json::{Json, Kind, Outline};
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::{Facts, Root, Samples, Weighs};
use cpu::CpuUnit;
use libs::{Lib, read_lib};
use names::{Both, Tables};
use native::Natives;
use saved_symbols::SavedSymbols;
use thread::Thread;

pub(super) const FORMAT: Format = Format::new(
    "firefox",
    "Profiles of the Firefox profiler (JSON): Gecko's, processed, samply",
    detect,
    parse,
)
.root(&Root::Comm)
.weighs(Weighs::Value)
.extras(&[Extra::Spans]);

fn detect(head: &Head<'_>) -> bool {
    let is_profile = |keys: &Outline| {
        let has_meta = ["preprocessedProfileVersion", "processType", "sampleUnits", "stackwalk"];
        let has_thread = ["stackTable", "frameTable", "stringTable", "stringArray"];
        keys.has("meta") && has_meta.iter().any(|key| keys.has_inside(key))
            || keys.has("threads") && has_thread.iter().any(|key| keys.has_inside(key))
            || keys.has("profile") && keys.has_inside("meta") && keys.has_inside("threads")
    };
    head.outline().is_some_and(is_profile)
}

fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let saved = SavedSymbols::beside(input.path());
    if let Some(trouble) = &saved.trouble {
        samples.note(trouble);
    }
    let wants_spans = samples.wants.spans;
    let new = || Profile { saved: &saved, options, wants_spans, processes: Vec::new() };
    read_documents(input, new, samples)
}

/// A profile. All of it is held, as samples come before the tables that name their frames.
struct Profile<'a> {
    /// Names from the file that samply saved beside the profile.
    saved: &'a SavedSymbols,
    options: &'a Options,
    wants_spans: bool,
    processes: Vec<Process>,
}

/// A process; processed profiles have one for all.
#[derive(Default)]
struct Process {
    /// When its clock was 0, in nanoseconds.
    start: i64,
    /// The version of the format of a processed profile; 0 for Gecko's.
    version: u64,
    /// Nanoseconds from one sample to the next.
    interval: Option<u64>,
    /// The unit of the processor's time of samples.
    cpu: Option<CpuUnit>,
    libs: Vec<Lib>,
    shared: Tables,
    threads: Vec<Thread>,
}

/// The first version in which a caller's address is that of the call, not the return address.
const FIRST_WITH_CALLS: u64 = 38;

/// The deepest level that is read: a process is nested in the process that started it.
const DEEPEST: usize = 8;

impl Profile<'_> {
    fn read_process<R: Read>(&mut self, json: &mut Json<R>, depth: usize) -> Result<()> {
        if depth == DEEPEST || !json.begin_object()? {
            return Ok(());
        }
        self.read_keys(json, depth)
    }

    /// Reads the keys of a process.
    fn read_keys<R: Read>(&mut self, json: &mut Json<R>, depth: usize) -> Result<()> {
        let place = self.processes.len();
        self.processes.push(Process::default());
        while let Some(key) = json.next_key()? {
            let process = &mut self.processes[place];
            match key {
                b"meta" => process.read_meta(json)?,
                b"libs" => json.for_each(|json| read_lib(json, &mut process.libs))?,
                b"shared" => process.shared.read_all(json)?,
                b"threads" => json.for_each(|json| self.read_thread(json, place, depth))?,
                b"processes" => json.for_each(|json| self.read_process(json, depth + 1))?,
                // Old developer tools of Firefox wrote the profile inside a recording.
                b"profile" => self.read_process(json, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The names of all addresses.
    fn natives(&self, samples: &mut Samples<'_>) -> Natives<'_> {
        let mut all = native::Unnamed::default();
        for process in &self.processes {
            for thread in &process.threads {
                process.tables(thread).for_each_native(|lib, address| all.add(lib, address));
            }
        }
        all.name(self.saved, self.options, samples)
    }

    /// Reads a thread of a process. If it is cut short, what was read of it counts. Until 2017 an
    /// entry could be another process instead, as a string with JSON.
    fn read_thread<R: Read>(
        &mut self,
        json: &mut Json<R>,
        process: usize,
        depth: usize,
    ) -> Result<()> {
        if json.kind()? == Kind::Text {
            let text = json.text()?.unwrap_or_default().to_vec();
            let mut json = json.inside(&text);
            return if json.next_document()? {
                self.read_process(&mut json, depth + 1)
            } else {
                Ok(())
            };
        }
        let mut thread = Thread::default();
        let read = thread.read(json, self.wants_spans);
        self.processes[process].threads.push(thread);
        read
    }
}

impl Document for Profile<'_> {
    const WHAT: &'static str = "a profile of Firefox";

    fn read(&mut self, json: &mut Json<&mut Input>, _: &mut Samples<'_>) -> Result<()> {
        self.read_keys(json, 0)
    }

    fn finish(self, samples: &mut Samples<'_>) -> Result<()> {
        if self.wants_spans {
            markers::list_spans(&self.processes, samples);
            return Ok(());
        }
        let (mut stacks, mut names) = (Stacks::default(), FrameNames::default());
        let mut held = Held::default();
        let mut troubles = thread::Troubles::default();
        let natives = self.natives(samples);
        for process in &self.processes {
            let mut shared_callerless = 0;
            for thread in &process.threads {
                let tables = process.tables(thread);
                let (ids, callerless) = tables.stacks(&natives, &mut stacks, &mut names, samples);
                if thread.tables.has_stacks() {
                    troubles.callerless += callerless;
                } else {
                    shared_callerless = callerless;
                }
                thread.hold(process, &ids, &mut held, &mut troubles);
            }
            process.note_rate(&mut samples.facts);
            troubles.callerless += shared_callerless;
            process.shared.all().iter().for_each(|table| troubles.add(table));
        }
        troubles.report(samples);
        held.finish(&mut stacks, &names, samples)
    }
}

impl Process {
    fn read_meta<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"startTime" => self.start = table::read_time(json)?.unwrap_or_default(),
                b"interval" => {
                    let interval = table::read_time(json)?;
                    self.interval = interval.and_then(|it| u64::try_from(it).ok());
                }
                b"sampleUnits" => self.cpu = CpuUnit::read(json)?,
                b"preprocessedProfileVersion" => {
                    self.version = json.integer()?.unwrap_or_default();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes how often the samples of each thread were to be taken.
    fn note_rate(&self, facts: &mut Facts) {
        for is_by_clock in self.threads.iter().filter_map(Thread::is_by_clock) {
            match self.interval.filter(|_| is_by_clock) {
                Some(interval) => facts.note_interval(interval),
                None => facts.note_rate(None),
            }
        }
    }

    fn tables<'a>(&'a self, thread: &'a Thread) -> Both<'a> {
        // Before version 41 each thread had its own libraries.
        let libs = if thread.libs.is_empty() { &self.libs } else { &thread.libs };
        let has_return_addresses = self.version < FIRST_WITH_CALLS;
        Both { own: &thread.tables, shared: &self.shared, libs, has_return_addresses }
    }
}
