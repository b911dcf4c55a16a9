//! How perf is asked to record.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use bstr::ByteSlice;

use crate::What;
use crate::buffers::{self, Sizes};
use crate::call_graph::Choice;
use crate::clock;
use crate::dump;
use crate::failure::Failure;
use crate::program::Program;
use crate::python::{self, Python};
use crate::record::{self, Ended, PAUSE};
use crate::recording::Recording;
use crate::refusals;
use crate::said::say;
use crate::sampling::Sampling;
use crate::signals::{Signals, interrupt};

/// perf ends up to a second sooner; names of programs of BPF are in the kernel's list, too.
const SOON: &str = "--no-bpf-event";

/// A perf that was tried and may record here.
pub(crate) struct Perf {
    path: PathBuf,
    args: Vec<String>,
    /// What makes it end soon, if it knows that.
    soon: Option<&'static str>,
    duration: Option<Duration>,
    is_off_cpu: bool,
    python: Option<Python>,
}

/// How perf ended when it was tried, and what it said.
struct Probe {
    status: ExitStatus,
    said: String,
}

impl Perf {
    /// Finds out what works here, on a program that does nothing: the user's program is
    /// run only once that is known.
    pub(crate) fn new(
        path: &Path,
        sampling: &Sampling,
        what: &What,
        recording: &Recording,
        signals: &Signals,
    ) -> Result<Perf, Failure> {
        if let What::Process(pid) = what
            && !Path::new("/proc").join(pid.to_string()).exists()
        {
            return Err(Failure::ours(format!("{pid}: no such process")));
        }
        let programs = what.program().map(Program::interpreters);
        let python = programs.and_then(|programs| Python::among(&programs));
        let call_graph = choose_call_graph(sampling, what, python.as_ref());
        let (duration, is_off_cpu) = (sampling.duration, sampling.off_cpu);
        let mut perf = Perf {
            path: path.into(),
            args: Vec::new(),
            soon: Some(SOON),
            duration,
            is_off_cpu,
            python,
        };
        let mut said = String::new();
        for (at, event) in sampling.events().iter().enumerate() {
            for clock in sampling.clocks() {
                let event = event.as_deref();
                let args = sampling.arguments(event, clock, &call_graph, what, recording.is_kept);
                let probe = perf.try_buffers(&args, sampling, recording, signals)?;
                if probe.status.success() {
                    sampling.tell_refused(at > 0, clock);
                    return Ok(perf);
                }
                said = probe.said;
                if !clock::is_refused(&said) {
                    break;
                }
            }
        }
        Err(refusals::explain(&said, what))
    }

    /// Tries these arguments with the largest buffers that the user may have.
    fn try_buffers(
        &mut self,
        args: &[String],
        sampling: &Sampling,
        recording: &Recording,
        signals: &Signals,
    ) -> Result<Probe, Failure> {
        let has_copies = args.iter().any(|arg| arg.starts_with("dwarf"));
        let sizes = match &sampling.perf_args {
            Some(args) if args.sets_buffers() => Sizes::ToTry(Vec::new()),
            _ => buffers::sizes(has_copies || sampling.may_be_many(args)),
        };
        let of_buffers = |bytes: u64| ["-m".to_owned(), format!("{}K", bytes / 1024)];
        let sure = match sizes {
            Sizes::Sure(bytes) => Some(bytes),
            Sizes::ToTry(sizes) => {
                for bytes in sizes {
                    self.args = [args, &of_buffers(bytes)].concat();
                    let probe = self.probe(recording, signals)?;
                    // Permission error mapping pages.
                    // failed to mmap with 12 (Cannot allocate memory)
                    let is_refused = !probe.status.success() && probe.said.contains("map");
                    if !is_refused {
                        return Ok(probe);
                    }
                }
                None
            }
        };
        self.args = args.to_vec();
        let probe = self.probe(recording, signals)?;
        // With them a try takes 0.3 s more: the kernel clears half a gigabyte.
        self.args.extend(sure.into_iter().flat_map(of_buffers));
        Ok(probe)
    }

    /// Records a program that does nothing; a signal ends this.
    fn probe(&mut self, recording: &Recording, signals: &Signals) -> Result<Probe, Failure> {
        let failed = |error| Failure::of_file(self.path.display(), error);
        let messages = recording.beside("probe.err");
        let mut command = Command::new(&self.path);
        let to = recording.beside("probe");
        command.args(&self.args).args(self.soon).arg("-o").arg(to).args(["--", "true"]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(File::create(&messages).map_err(failed)?);
        let mut child = command.spawn().map_err(failed)?;
        let status = loop {
            if let Some(signal) = signals.came() {
                interrupt(&child);
                // Then it writes no more into the folder.
                child.wait().map_err(failed)?;
                return Err(Failure::of_signal(signal));
            }
            match child.try_wait().map_err(failed)? {
                Some(status) => break status,
                None => thread::sleep(PAUSE),
            }
        };
        let said = fs::read(&messages).unwrap_or_default().to_str_lossy().into_owned();
        // Before version 5.1: unknown option `no-bpf-event'
        if !status.success() && said.contains("unknown option") && self.soon.take().is_some() {
            return self.probe(recording, signals);
        }
        Ok(Probe { status, said })
    }

    /// Records until the program ends, or as long as the user wants.
    pub(crate) fn record(
        &self,
        what: &What,
        recording: &Recording,
        signals: &Signals,
    ) -> Result<Ended, Failure> {
        let mut command = Command::new(&self.path);
        command.args(&self.args).args(self.soon).arg("-q").arg("-o").arg(&recording.file);
        if let Some(program) = what.program() {
            command.arg("--");
            // To stack-parse, `perf record -a -- sleep 1` only says how long to record.
            if self.is_off_cpu && program.name() == "sleep" {
                command.arg("env");
            }
            program.add_to(&mut command);
        } else if let Some(duration) = self.duration {
            // perf starts it when it has found all threads, which may take a while.
            command.args(["--", "sleep", &duration.as_secs_f64().to_string()]);
        } else {
            say(format_args!("recording {}: Ctrl-C ends it", what.title()));
        }
        let (name, value) = python::ASKS;
        let asks = self.python.as_ref().is_some_and(Python::names_functions);
        if asks && std::env::var_os(name).is_none() {
            command.env(name, value);
        }
        let has_program = what.program().is_some();
        let limit = self.duration.filter(|_| has_program);
        record::run(command, limit, has_program, signals)
            .map_err(|error| Failure::of_file(self.path.display(), error))
    }
}

/// What the user says, or what suits the program.
fn choose_call_graph(sampling: &Sampling, what: &What, python: Option<&Python>) -> String {
    let kind = match (&sampling.call_graph, python) {
        (Some(given), None) => given.as_str(),
        (given, _) => {
            let choice = Choice::of(what, python);
            if let Some(python) = python {
                let is_by_frame_pointers = given.as_ref().is_some_and(|given| given == "fp");
                python.tell(is_by_frame_pointers && !choice.is_by_frame_pointers());
            }
            given.as_deref().unwrap_or_else(|| {
                choice.tell();
                choice.kind
            })
        }
    };
    match kind {
        "dwarf" => dump::choose(sampling.hertz(sampling.events()[0].as_deref()), what),
        kind => kind.to_owned(),
    }
}
