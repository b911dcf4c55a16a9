//! Which program records: perf, or where there is none, samply or xctrace.

use std::path::PathBuf;

use crate::What;
use crate::failure::Failure;
use crate::perf::Perf;
use crate::program;
use crate::record::Ended;
use crate::recording::Recording;
use crate::refusals;
use crate::said::{explain, say};
use crate::sampling::Sampling;
use crate::samply;
use crate::signals::Signals;
use crate::xctrace;

/// A program that records, and where it is.
#[derive(Debug)]
pub(crate) enum Recorder {
    Perf(PathBuf),
    Samply(PathBuf),
    Xctrace(PathBuf),
}

/// Whether perf records here, which alone sees when threads wait.
pub(crate) fn has_perf() -> bool {
    program::in_path("perf").is_some()
}

impl Recorder {
    /// The one that does best what is wanted: perf. samply before xctrace, as it says how the program
    /// ended, and records what the program starts.
    pub(crate) fn find(sampling: &Sampling, what: &What) -> Result<Recorder, Failure> {
        if let Some(perf) = program::in_path("perf") {
            return Ok(Recorder::Perf(perf));
        }
        let samply = || program::in_path("samply").map(Recorder::Samply);
        let xctrace = || xctrace::find().map(Recorder::Xctrace);
        let found = match what {
            // On macOS samply cannot record all programs.
            What::System(_) => xctrace().or_else(samply),
            _ => samply().or_else(xctrace),
        };
        let recorder = found.ok_or_else(refusals::without_recorder)?;
        if let Some(option) = recorder.lacks(sampling, what) {
            let name = recorder.name();
            return Err(Failure::ours(format!("{option} needs perf: {name} does not record that")));
        }
        match cfg!(target_os = "linux") {
            true => say(format_args!("perf is missing: recording with {}", recorder.name())),
            false => explain(format_args!("recording with {}", recorder.name())),
        }
        Ok(recorder)
    }

    /// Its name, for messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Recorder::Perf(_) => "perf",
            Recorder::Samply(_) => "samply",
            Recorder::Xctrace(_) => "xctrace",
        }
    }

    /// How it calls what it writes, unless the user has a name.
    pub(crate) fn file_name(&self) -> &'static str {
        match self {
            Recorder::Perf(_) => "perf.data",
            Recorder::Samply(_) => samply::FILE,
            Recorder::Xctrace(_) => xctrace::FILE,
        }
    }

    /// An option that was given, and that it has nothing for.
    fn lacks(&self, sampling: &Sampling, what: &What) -> Option<&'static str> {
        if matches!(self, Recorder::Perf(_)) {
            return None;
        }
        let has_one_rate = matches!(self, Recorder::Xctrace(_));
        [
            (sampling.off_cpu, "--off-cpu"),
            (sampling.wall, "--wall"),
            (sampling.critical, "--critical"),
            (sampling.latency, "--latency"),
            (sampling.event.is_some(), "--event"),
            (sampling.call_graph.is_some(), "--call-graph"),
            (sampling.clock.is_some(), "--clock"),
            (sampling.perf_args.is_some(), "--perf-args"),
            (sampling.frequency.is_some() && has_one_rate, "--freq"),
            (matches!(what, What::System(Some(_))), "--all with a program"),
        ]
        .into_iter()
        .find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// Records until the program ends, or as long as the user wants.
    pub(crate) fn record(
        &self,
        sampling: &Sampling,
        what: &What,
        recording: &Recording,
        signals: &Signals,
    ) -> Result<Ended, Failure> {
        match self {
            Recorder::Perf(path) => Perf::new(path, sampling, what, recording, signals)?
                .record(what, recording, signals),
            Recorder::Samply(path) => samply::record(path, sampling, what, recording, signals),
            Recorder::Xctrace(path) => xctrace::record(path, sampling, what, recording, signals),
        }
    }
}
