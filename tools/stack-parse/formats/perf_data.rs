//! Recordings of `perf record`: perf.data files and the same as a stream.
//!
//! ```text
//! perf record -g -o - -- ./prog | stack-parse
//! ```
//!
//! Records come in order ([`recording`]), tell who ran where ([`process`]), and samples
//! become places in object files ([`stacks`]), by unwinding where a part of the stack
//! was recorded ([`unwind`]). Samples wait in a [`batch`] until the places are named.

mod attr;
mod batch;
mod bytes;
mod chains;
mod chunks;
mod compressed;
mod delivery;
mod events;
mod features;
mod groups;
mod header;
mod held;
mod order;
mod places;
mod process;
mod recording;
mod records;
mod sample;
mod stacks;
mod stream;
mod tracepoint;
mod tracing;
mod troubles;
mod unwind;

#[cfg(test)]
mod tests;

use common::{Input, Result};
use symbolize::{Detail, MappedObject, Objects};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::read::perf_health;
use crate::samples::{Root, Samples, Weighs};
use batch::Batch;
use header::MAGIC;
use places::Places;
use process::{Map, Processes};
use recording::Recording;
use records::Record;
use sample::RawSample;
use stacks::Stacks;
use troubles::Troubles;
use unwind::Machine;

pub(super) const FORMAT: Format = Format {
    name: "perf-data",
    about: "What perf record writes, as a file or a stream",
    detect,
    parse,
    root: Root::Comm,
    weighs: Weighs::Period,
    extras: &[Extra::Advice(perf_health::advise)],
};

/// Whether a file that begins so is a recording that can be read.
fn detect(head: &Head<'_>) -> bool {
    head.bytes.starts_with(MAGIC)
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where something cannot be read, after
/// everything before it was; or what writing returns.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let recording = Recording::open(input)?;
    let mut troubles = Troubles::default();
    let mut join = Join::new(options, samples);
    let read = recording.read(&mut |record| join.record(&record, samples), &mut troubles);
    // What came before a broken end counts.
    let flushed = join.flush(samples);
    join.report(samples);
    troubles.report(samples);
    read.and(flushed)
}

/// Joins what the records of one recording tell.
struct Join {
    processes: Processes,
    objects: Objects,
    stacks: Stacks,
    places: Places,
    batch: Batch,
}

impl Join {
    fn new(options: &Options, samples: &Samples<'_>) -> Join {
        let names = samples.frame_args();
        let detail = Detail { inlines: names.keep_inlined(), lines: names.srcline() };
        Join {
            processes: Processes::default(),
            objects: options.symbolize.objects(),
            stacks: Stacks::new(Machine::X86_64),
            places: Places::new(detail, options.threads()),
            batch: Batch::new(),
        }
    }

    /// # Errors
    ///
    /// What writing returns.
    fn record(&mut self, record: &Record<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let Join { processes, objects, .. } = self;
        match *record {
            Record::Map { is_code: false, pid, start, length, .. } => {
                processes.unmap(pid, start, start.saturating_add(length));
            }
            Record::Map { pid, start, length, offset, path, build_id, is_kernel, .. } => {
                let pid_of_map = (!is_kernel).then_some(pid);
                let mapped = MappedObject { path, build_id, pid: pid_of_map, is_kernel, offset };
                let object = objects.intern(&mapped);
                if is_kernel && processes.kernel().find(start).is_none() {
                    self.map_all_of_kernel(pid);
                }
                let map = Map { start, end: start.saturating_add(length), offset, object };
                self.processes.map(pid, map);
            }
            Record::Comm { pid, tid, name } => processes.comm(pid, tid, name),
            Record::Fork { pid, parent_pid, tid, parent_tid } => {
                processes.fork(pid, parent_pid, tid, parent_tid);
            }
            Record::Exit { tid } => processes.exit(tid),
            Record::BuildId { path, id } => objects.set_build_id(path, id),
            Record::Release(release) => objects.set_release(release),
            Record::Machine(name) => {
                if let Some(machine) = Machine::of_name(name) {
                    self.stacks = Stacks::new(machine);
                }
            }
            Record::Sample(sample) => self.sample(&sample, samples)?,
            Record::RoundEnd if samples.is_live() => self.flush(samples)?,
            Record::RoundEnd => {}
        }
        Ok(())
    }

    /// Maps what the kernel loads later, such as trampolines: no record tells of it, but
    /// kallsyms does. `pid` stands for the kernel, whose own object is known by now.
    fn map_all_of_kernel(&mut self, pid: u32) {
        let path = b"[kernel.kallsyms]";
        let object =
            self.objects.intern(&MappedObject { path, is_kernel: true, ..Default::default() });
        self.processes.map(pid, Map { start: 1 << 63, end: u64::MAX, offset: 0, object });
    }

    fn sample(&mut self, sample: &RawSample<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let Join { processes, objects, stacks, places, batch } = self;
        let comm = processes.name(sample.tid.unwrap_or_default()).to_vec();
        batch.push(
            sample,
            &comm,
            |out| stacks.locate(sample, processes, objects, places, out),
            |text| sample.event.append_text(sample.raw, text),
        );
        if self.batch.is_full() { self.flush(samples) } else { Ok(()) }
    }

    /// Names the places of what waits, and hands it on.
    ///
    /// # Errors
    ///
    /// What writing returns.
    fn flush(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.batch.flush(&mut self.places, &mut self.objects, samples)
    }

    /// Says what is not as it could be.
    fn report(&mut self, samples: &mut Samples<'_>) {
        self.stacks.report(samples);
        self.places.report(&self.objects, samples);
    }
}
