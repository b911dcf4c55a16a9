//! Recordings of `perf record`: perf.data files and the same as a stream.
//!
//! ```text
//! perf record -g -o - -- ./prog | stack-parse
//! ```
//!
//! `stack_perf_data` reads them and finds the stacks of samples. Here the stacks become locations
//! in object files ([`stacks`]), and each location is named once ([`locations`]). Samples wait in a
//! [`batch`] until their locations are named.

mod batch;
mod changed;
mod labels;
mod lacking;
mod listed_files;
mod locations;
mod messages;
mod process_runtimes;
mod program;
mod sections;
mod simpleperf;
mod stacks;
mod threads;

use std::time::SystemTime;

use common::{Result, io::Input};
use stack_perf_data::{
    MapRecord, Processes, RawSample, Record, RecordedEvent, Recording, Unwinder,
};
use symbolize::{Detail, MappedObject, ObjectId, Objects};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::read::perf_health;
use crate::samples::{Root, Samples, ThreadNews, Turn, Weighs};
use crate::symbolize_args::SymbolizeArgs;
use batch::Batch;
use changed::RecordedFiles;
use locations::Locations;
use process_runtimes::ProcessRuntimes;
use program::{FORKED, Program};
use stacks::Stacks;

pub(super) const FORMAT: Format =
    Format::new("perf-data", "What perf record writes, as a file or a stream", detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Period)
        .extras(&[Extra::Advice(perf_health::advise), Extra::Parallelism, Extra::Wakers]);

/// Whether a file that begins like this is a recording that can be read.
fn detect(head: &Head<'_>) -> bool {
    head.bytes.starts_with(b"PERFILE2")
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`] or [`Error::Unknown`] where something cannot be read, after all records before
/// it were read; or an error of writing.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let written = input.written();
    let mut recording = open(input).map_err(|error| messages::error(&name, error))?;
    if samples.wants.latency() {
        recording.count_running();
    }
    if samples.wants.switches {
        recording.pass_switches();
    }
    let mut join = Join::new(options, samples, written);
    join.has_switches = recording.has_switches();
    let summary = recording.read(|record| join.record(&record, &name, samples))?;
    // What came before a broken end counts.
    let flushed = join.flush(samples);
    join.report(&options.symbolize, samples);
    messages::report(&summary, join.is_sampled, join.program.has_large_buffers(), samples);
    messages::unread(&name, summary).and(flushed)
}

/// Opens the input as a stream if it is one, and as a file otherwise.
fn open(input: &mut Input) -> Result<Recording<'_>, stack_perf_data::Error> {
    match Recording::is_stream(input.peek(Recording::HEAD)?)? {
        true => Recording::from_stream(input),
        false => Recording::from_file(input.take_seekable()?),
    }
}

/// Joins the records of one recording.
struct Join {
    processes: Processes<ObjectId>,
    objects: Objects,
    stacks: Stacks,
    locations: Locations,
    batch: Batch,
    program: Program,
    runtimes: ProcessRuntimes,
    /// `None` if files are not looked for where they were recorded.
    files: Option<RecordedFiles>,
    /// Whether the user asked for data that not all recordings have.
    is_demanding: bool,
    /// Whether the switches of threads were recorded in records of their own.
    has_switches: bool,
    /// Whether there is a sample of an event that was not recorded each time.
    is_sampled: bool,
}

impl Join {
    fn new(options: &Options, samples: &Samples<'_>, written: Option<SystemTime>) -> Join {
        let names = &samples.wants.frames;
        let detail = Detail { inlines: names.keep_inlined(), lines: names.need_source() };
        Join {
            processes: Processes::new(),
            objects: options.symbolize.objects(),
            stacks: Stacks::new(Unwinder::new()),
            locations: Locations::new(detail, options.threads()),
            batch: Batch::default(),
            program: Program::default(),
            runtimes: ProcessRuntimes::default(),
            files: options.symbolize.is_of_this_machine().then(|| RecordedFiles::new(written)),
            is_demanding: samples.wants.latency() || samples.wants.switches,
            has_switches: false,
            is_sampled: false,
        }
    }

    /// # Errors
    ///
    /// An error of writing, or [`Error::Usage`] if the recording lacks what the user asked for.
    ///
    /// [`Error::Usage`]: common::Error::Usage
    fn record(
        &mut self,
        record: &Record<'_>,
        input: &str,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        match record {
            // Of a file with bytecode, no map is one of code; nor is what simpleperf maps for a JIT.
            Record::Map(map) if map.is_code || self.objects.lists_functions(map.path) => {
                self.map(map);
            }
            Record::FileSymbols(file) => {
                if let Some((path, functions)) = simpleperf::listed(*file) {
                    self.objects.set_functions(path, functions);
                }
            }
            Record::BuildId { path, id } => self.objects.set_build_id(path, id),
            Record::Cgroup { id, path } => self.batch.labels.set_cgroup(*id, path),
            Record::Release(release) => self.objects.set_release(release),
            Record::HostName(name) => {
                if let Some(files) = &mut self.files {
                    files.note_host(name);
                }
            }
            Record::Processors(online) => samples.facts.processors = Some(*online),
            Record::CommandLine(words) => self.program.set_command(words),
            Record::Machine(name) => {
                if let Some(unwinder) = Unwinder::for_machine(name) {
                    self.stacks = Stacks::new(unwinder);
                }
            }
            Record::Sample(sample) => {
                if self.is_demanding {
                    lacking::check(sample, self.has_switches, input, samples)?;
                }
                self.sample(sample, samples)?;
            }
            Record::Events(events) => self.recorded(events, samples),
            Record::RoundEnd if samples.wants.at_once => self.flush(samples)?,
            other => self.apply(other, samples),
        }
        Ok(())
    }

    /// Notes which events are recorded, and by which clock.
    fn recorded(&mut self, events: &[RecordedEvent], samples: &mut Samples<'_>) {
        let names: Vec<&[u8]> = events.iter().map(RecordedEvent::name).collect();
        samples.recorded(&names, events.iter().any(RecordedEvent::records_switches));
        samples.facts.clock =
            events.first().and_then(RecordedEvent::clock).and_then(threads::clock_name);
    }

    /// Notes what becomes of a process or a thread.
    fn apply(&mut self, record: &Record<'_>, samples: &mut Samples<'_>) {
        if let Record::Comm { pid, tid, name, .. } = record
            && pid == tid
        {
            self.named(*pid, name, samples);
        }
        if samples.wants.switches {
            let are_listed = self.program.is_running_process();
            match threads::news(record, &mut self.processes) {
                Some((Some(time), news)) => self.batch.push_news(&ThreadNews { time, ..news }),
                // Of a process that was chosen, all threads are in the recording.
                Some((None, ThreadNews { pid: Some(pid), tid, comm, turn: Turn::Named, .. }))
                    if are_listed && comm != FORKED =>
                {
                    samples.existed(pid, tid, comm);
                }
                _ => {}
            }
        }
        self.processes.apply(record, |map| intern(&mut self.objects, map));
    }

    /// A process has this name.
    fn named(&mut self, pid: u32, name: &[u8], samples: &mut Samples<'_>) {
        self.program.note_process(name);
        if let Some(started) = self.program.note_start(pid, name) {
            samples.started(started);
        }
    }

    fn map(&mut self, map: &MapRecord<'_>) {
        let object = intern(&mut self.objects, map);
        if map.is_kernel && self.processes.find(MapRecord::KERNEL, map.start).is_none() {
            self.map_all_of_kernel(map.pid);
        }
        if let Some(files) = &mut self.files {
            files.note(object, map);
        }
        self.runtimes.note(object, map);
        self.processes.map(map, object);
    }

    /// Maps the code that the kernel loads later, such as trampolines: no record describes it, but
    /// kallsyms does. `pid` is the kernel's, whose own object is known by now.
    fn map_all_of_kernel(&mut self, pid: u32) {
        let path = &b"[kernel.kallsyms]"[..];
        let object =
            self.objects.intern(&MappedObject { path, is_kernel: true, ..Default::default() });
        let (start, length, offset, build_id, file) = (1 << 63, (1 << 63) - 1, 0, None, None);
        let (is_code, is_kernel) = (true, true);
        let all =
            MapRecord { pid, start, length, offset, path, build_id, file, is_code, is_kernel };
        self.processes.map(&all, object);
    }

    fn sample(&mut self, sample: &RawSample<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let Join {
            processes, objects, stacks, locations, batch, program, files, is_sampled, ..
        } = self;
        if let Some(files) = files {
            files.note_time(sample.time);
        }
        *is_sampled |= !sample.event.is_complete();
        program.note_sample(sample.event.is_of_started_program());
        samples.facts.note_rate(sample.event.frequency());
        let comm = processes.name(sample.tid.unwrap_or_default()).to_vec();
        batch.push(sample, &comm, samples, |sample, out| {
            stacks.locate(sample, processes, objects, locations, out);
        });
        if self.batch.is_full() { self.flush(samples) } else { Ok(()) }
    }

    /// Names the locations of the samples that wait, and passes the samples on.
    ///
    /// # Errors
    ///
    /// An error of writing.
    fn flush(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let Join { processes, objects, locations, batch, .. } = self;
        batch.flush(locations, objects, processes, samples)
    }

    /// Reports what is wrong with the stacks and the names.
    fn report(&mut self, args: &SymbolizeArgs, samples: &mut Samples<'_>) {
        let Join { objects, stacks, locations, files, runtimes, is_sampled, .. } = self;
        stacks.set_facts(samples);
        let of_stacks =
            stacks.messages(objects, locations, runtimes, files.is_none(), *is_sampled, samples);
        let (before, after) = match stacks.few_are_incomplete() {
            true => (Vec::new(), of_stacks),
            false => (of_stacks, Vec::new()),
        };
        before.into_iter().for_each(|it| samples.note(it));
        let changed = files.as_ref().map(|it| it.changed(locations.objects(), objects));
        let changed = changed.unwrap_or_default();
        // For a file that is not the one that ran, the way to better names is another.
        let is_right = |object: &ObjectId| !changed.contains_key(object);
        locations.report(objects, is_right, args, runtimes, samples);
        let against_list = changed::against_list(locations.objects(), objects);
        changed::messages(&changed, objects)
            .into_iter()
            .chain(against_list)
            .chain(after)
            .for_each(|it| samples.note(it));
        samples.facts.program = self.program.name();
    }
}

/// The object that is mapped.
fn intern(objects: &mut Objects, map: &MapRecord<'_>) -> ObjectId {
    let MapRecord { pid, path, build_id, is_kernel, offset, start, .. } = *map;
    let pid = (!is_kernel).then_some(pid);
    objects.intern(&MappedObject {
        path,
        build_id,
        pid,
        is_kernel,
        offset,
        start,
        ..MappedObject::default()
    })
}
