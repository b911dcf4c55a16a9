//! How perf is asked to record.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use bstr::ByteSlice;

use crate::What;
use crate::buffers;
use crate::call_graph::Choice;
use crate::clock::{self, Clock};
use crate::dump;
use crate::failure::Failure;
use crate::perf_args::{self, PerfArgs};
use crate::program::Program;
use crate::python::{self, Python};
use crate::record::{self, Ended, PAUSE};
use crate::recording::Recording;
use crate::refusals;
use crate::said::{explain, say};
use crate::signals::{Signals, interrupt};
use crate::threads;

/// Samples per second: no round number, so that what a program does a thousand times a second does not
/// fall between the samples, or on each of them.
pub(crate) const HERTZ: u64 = 999;

/// Sampled where the processor's counters are not to be had, as in virtual machines.
const CLOCK: &str = "cpu-clock";

/// perf ends up to a second sooner; names of programs of BPF are in the kernel's list, too.
const SOON: &str = "--no-bpf-event";

/// When a thread leaves the processor and when it comes back; then which thread wakes it, too.
const SWITCH: &str = "sched:sched_switch";
const SWITCH_AND_WAKING: &str = "sched:sched_switch,sched:sched_waking";

/// What is recorded, and how often.
#[derive(Debug, clap::Args)]
pub(crate) struct Sampling {
    /// End the recording after this many seconds
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "input")]
    pub(crate) duration: Option<Duration>,

    /// Samples per second [default: 999]
    #[arg(short = 'F', long = "freq", value_name = "HZ", conflicts_with_all = ["input", "off_cpu"])]
    pub(crate) frequency: Option<u64>,

    /// What to sample, see 'perf list' [default: CPU cycles, or the clock without counters]
    #[arg(short, long, value_name = "EVENT")]
    #[arg(conflicts_with_all = ["input", "off_cpu", "wall", "critical"])]
    pub(crate) event: Option<String>,

    /// How to find the callers: fp, dwarf, dwarf,BYTES or lbr [default: fp if the program
    /// keeps frame pointers, or else dwarf with 32768 bytes, or fewer at high rates]
    #[arg(long, value_name = "KIND", value_parser = call_graph, conflicts_with = "input")]
    pub(crate) call_graph: Option<String>,

    /// The clock of the times, to which those of a log are compared [default: monotonic]
    #[arg(long, value_name = "NAME", value_enum, conflicts_with = "input")]
    pub(crate) clock: Option<Clock>,

    /// More options of 'perf record', in one word that is split as a shell splits it: '-m 8M'
    #[arg(long, value_name = "ARGS", value_parser = perf_args::parse, conflicts_with = "input")]
    #[arg(allow_hyphen_values = true)]
    pub(crate) perf_args: Option<PerfArgs>,

    /// Show where threads wait, for a disk, a lock or the network, instead of what they do
    #[arg(long, group = "waits")]
    pub(crate) off_cpu: bool,

    /// Show all the time of each thread: where it runs, waits, or could run and has no processor
    #[arg(long, group = "waits", conflicts_with = "off_cpu")]
    pub(crate) wall: bool,

    /// Show the critical path: what must get faster for the program to end sooner, and by how much
    #[arg(long, conflicts_with_all = ["off_cpu", "wall", "source"])]
    pub(crate) critical: bool,

    /// Print one page about it instead of drawing a picture, as stack-brief does: where it runs and
    /// waits, in which lines, and how far to trust that
    #[arg(long)]
    #[arg(conflicts_with_all = ["off_cpu", "latency", "event", "output"])]
    #[arg(conflicts_with_all = ["text", "source", "open", "time", "patterns", "sort"])]
    pub(crate) brief: bool,

    /// Above where threads wait, show who woke them
    #[arg(long, requires = "waits")]
    pub(crate) wakers: bool,

    /// Show what to make faster for the program to end sooner: time in which it runs one thread
    /// weighs more than time in which it runs several
    #[arg(long, conflicts_with_all = ["off_cpu", "wall", "critical", "all"])]
    pub(crate) latency: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
    seconds.filter(|it| !it.is_zero()).ok_or_else(|| "expected a number of seconds".to_owned())
}

fn call_graph(text: &str) -> Result<String, String> {
    let bytes = text.strip_prefix("dwarf,").map(str::parse::<u32>);
    if ["fp", "dwarf", "lbr"].contains(&text) || matches!(bytes, Some(Ok(_))) {
        return Ok(text.to_owned());
    }
    Err("expected fp, dwarf, dwarf,BYTES or lbr".to_owned())
}

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
            Some(args) if args.sets_buffers() => Vec::new(),
            _ => buffers::sizes(has_copies || sampling.may_be_many(args)),
        };
        for bytes in sizes {
            self.args = [args, &["-m".to_owned(), format!("{}K", bytes / 1024)]].concat();
            let probe = self.probe(recording, signals)?;
            // Permission error mapping pages.
            // failed to mmap with 12 (Cannot allocate memory)
            let is_refused = !probe.status.success() && probe.said.contains("map");
            if !is_refused {
                return Ok(probe);
            }
        }
        self.args = args.to_vec();
        self.probe(recording, signals)
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

impl Sampling {
    /// The events to try; `None` is what perf samples unless told.
    fn events(&self) -> Vec<Option<String>> {
        let one = |event: &str| vec![Some(event.to_owned())];
        match &self.event {
            _ if self.of_threads() => {
                let hertz = self.frequency.unwrap_or(HERTZ);
                let call_graph = self.call_graph.as_deref();
                let events = threads::events(hertz, call_graph, self.wakers, self.needs_wakings());
                events.into_iter().map(Some).collect()
            }
            _ if self.wakers => one(SWITCH_AND_WAKING),
            _ if self.off_cpu => one(SWITCH),
            Some(event) => one(event),
            None => vec![None, Some(CLOCK.to_owned())],
        }
    }

    /// The clocks to try, by their names for perf; `None` is perf's own.
    fn clocks(&self) -> Vec<Option<&'static str>> {
        let is_set = self.perf_args.as_ref().is_some_and(PerfArgs::sets_clock);
        let wanted = self.clock.unwrap_or(Clock::Monotonic).id().filter(|_| !is_set);
        wanted.map_or_else(|| vec![None], |wanted| vec![Some(wanted), None])
    }

    /// Says what perf refused before it recorded with this clock.
    fn tell_refused(&self, is_event_refused: bool, clock: Option<&str>) {
        if is_event_refused && self.of_threads() {
            say(threads::WITHOUT_WAKINGS);
        } else if is_event_refused {
            explain("no hardware counters here: sampling by the CPU clock");
        }
        if clock.is_none() && self.clocks().len() > 1 {
            say(clock::REFUSED);
        }
    }

    /// Whether stacks may end where a thread waits.
    pub(crate) fn has_waits(&self) -> bool {
        self.off_cpu || self.of_threads()
    }

    /// Whether it is recorded what threads do all the time.
    pub(crate) fn of_threads(&self) -> bool {
        self.wall || self.critical
    }

    /// Whether nothing can be said without who ended the waits.
    fn needs_wakings(&self) -> bool {
        self.critical && !self.brief
    }

    /// Whether events are recorded that may be many: each of a kind, or those of the whole system.
    fn may_be_many(&self, args: &[String]) -> bool {
        self.off_cpu
            || self.latency
            || self.of_threads()
            || args.iter().any(|arg| arg == "-a")
            || !args.iter().any(|arg| arg == "-F")
    }

    /// Samples per second. A tracepoint such as `sched:sched_switch` is not sampled: unless the
    /// user wants less, each is recorded.
    fn hertz(&self, event: Option<&str>) -> Option<u64> {
        let is_tracepoint = event.is_some_and(|event| event.contains(':') && !event.contains('/'));
        self.frequency.or((!is_tracepoint).then_some(HERTZ))
    }

    /// Whether an option was given that has a meaning for a recording only.
    pub(crate) fn records(&self) -> bool {
        self.duration.is_some()
            || self.frequency.is_some()
            || self.event.is_some()
            || self.call_graph.is_some()
            || self.clock.is_some()
            || self.perf_args.is_some()
    }

    /// perf's options. A recording that is kept has what `--latency` needs, whatever is drawn now.
    fn arguments(
        &self,
        event: Option<&str>,
        clock: Option<&str>,
        call_graph: &str,
        what: &What,
        is_kept: bool,
    ) -> Vec<String> {
        let mut args = vec!["record", "--call-graph", call_graph];
        args.extend(clock.into_iter().flat_map(|clock| ["-k", clock]));
        // An option of perf would hold for the switches, too.
        let hertz = self.hertz(event).filter(|_| !self.of_threads());
        let hertz = hertz.map(|hertz| hertz.to_string());
        args.extend(hertz.iter().flat_map(|hertz| ["-F", hertz]));
        args.extend(event.into_iter().flat_map(|event| ["-e", event]));
        let may_be_asked = is_kept && !self.off_cpu && !matches!(what, What::System(_));
        let has_switches = self.of_threads() || self.latency || may_be_asked;
        args.extend(has_switches.then_some("--switch-events"));
        let pid = match what {
            What::Process(pid) => pid.to_string(),
            _ => String::new(),
        };
        match what {
            // Another thread leaves the processor when one of the program comes back.
            _ if self.off_cpu => args.push("-a"),
            What::System(_) => args.push("-a"),
            What::Process(_) => args.extend(["-p", &pid]),
            What::Program(_) | What::File(_) => {}
        }
        args.extend(self.perf_args.iter().flat_map(|args| &args.0).map(String::as_str));
        args.into_iter().map(str::to_owned).collect()
    }
}
