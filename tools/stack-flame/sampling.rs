//! What is recorded, and how often.

use std::time::Duration;

use crate::What;
use crate::clock::{self, Clock};
use crate::perf_args::{self, PerfArgs};
use crate::said::{explain, say};
use crate::threads;

/// Samples per second: no round number, so that what a program does a thousand times a second does not
/// fall between the samples, or on each of them.
pub(crate) const HERTZ: u64 = 999;

/// Sampled where the processor's counters are not to be had, as in virtual machines.
const CLOCK: &str = "cpu-clock";

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

impl Sampling {
    /// The events to try; `None` is what perf samples unless told.
    pub(crate) fn events(&self) -> Vec<Option<String>> {
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
    pub(crate) fn clocks(&self) -> Vec<Option<&'static str>> {
        let is_set = self.perf_args.as_ref().is_some_and(PerfArgs::sets_clock);
        let wanted = self.clock.unwrap_or(Clock::Monotonic).id().filter(|_| !is_set);
        wanted.map_or_else(|| vec![None], |wanted| vec![Some(wanted), None])
    }

    /// Says what perf refused before it recorded with this clock.
    pub(crate) fn tell_refused(&self, is_event_refused: bool, clock: Option<&str>) {
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
    pub(crate) fn may_be_many(&self, args: &[String]) -> bool {
        self.off_cpu
            || self.latency
            || self.of_threads()
            || args.iter().any(|arg| arg == "-a")
            || !args.iter().any(|arg| arg == "-F")
    }

    /// Samples per second. A tracepoint such as `sched:sched_switch` is not sampled: unless the
    /// user wants less, each is recorded.
    pub(crate) fn hertz(&self, event: Option<&str>) -> Option<u64> {
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
    pub(crate) fn arguments(
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
