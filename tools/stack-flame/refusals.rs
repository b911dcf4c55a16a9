//! What to do where perf does not record.

use std::fs;

use crate::What;
use crate::failure::Failure;

/// Who may record: the higher, the fewer.
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

/// Where nothing is installed that records.
pub(crate) fn without_recorder() -> Failure {
    let samply = "samply, https://github.com/mstange/samply";
    if cfg!(target_os = "linux") {
        Failure::ours("perf is missing; the package with it is")
            .and("  Debian              linux-perf")
            .and("  Ubuntu              linux-tools-common linux-tools-$(uname -r)")
            .and("  Fedora, Arch, SUSE  perf")
            .and("  Alpine              perf")
            .and(format!("without perf it records with {samply}"))
    } else if cfg!(target_os = "macos") {
        Failure::ours("what records is missing; it records with")
            .and(format!("  {samply}"))
            .and("  or xctrace, which comes with Xcode")
    } else {
        Failure::ours(format!("what records is missing; it records with {samply}"))
    }
}

/// A part of what perf says, in lower case, and what it means.
type Refusal = (&'static str, fn(&What) -> Vec<String>);

/// The first that matches is the one: perf says more than one thing.
const REFUSALS: [Refusal; 12] = [
    ("perf not found for kernel", |_| wrapper()),
    ("permission error mapping pages", |_| locked_memory()),
    ("branch stack sampling", |_| no_branches()),
    ("can't access trace events", |_| no_tracepoints()),
    ("perf_event_paranoid", permission),
    ("permission denied", permission),
    ("operation not permitted", permission),
    ("access to performance monitoring", permission),
    ("event syntax error", |_| unknown_event()),
    ("sampling/overflow-interrupts", |_| no_counters()),
    ("event is not supported", |_| no_counters()),
    ("no such file or directory", |_| no_counters()),
];

/// What perf said, and below it what that means and what helps.
pub(crate) fn explain(said: &str, what: &What) -> Failure {
    let lower = said.to_lowercase();
    let found = REFUSALS.iter().find(|(part, _)| lower.contains(part));
    let means = found.map_or_else(|| unknown(said), |(_, means)| means(what));
    // Behind that come all options of perf.
    let lines = said.lines().map(str::trim_end).take_while(|line| !line.starts_with(" Usage:"));
    let lines = lines.filter(|line| !line.is_empty());
    let said = lines.map(|line| format!("perf: {}", line.replace('\t', " ")));
    let failure = Failure::ours("perf cannot record here; it said");
    said.chain(means).fold(failure, Failure::and)
}

fn permission(what: &What) -> Vec<String> {
    let level = fs::read_to_string(PARANOID).ok();
    let level = level.as_deref().map(str::trim);
    // Of all programs only where it is 0, of one's own where it is 1 or 2.
    let (needed, whose) = match what {
        What::System(_) => (0, "all programs"),
        _ => (1, "your own programs"),
    };
    let is_low = level.and_then(|level| level.parse().ok()).is_some_and(|it: i32| it <= needed);
    let mut lines = vec![format!(
        "kernel.perf_event_paranoid is {}, recording {whose} needs {needed} or less",
        level.unwrap_or("not to be read")
    )];
    if !is_low {
        lines.push("to allow it until the next boot:".to_owned());
        lines.push(format!("  sudo sysctl kernel.perf_event_paranoid={needed}"));
    }
    lines.push("a container also needs the capability PERFMON, or SYS_ADMIN, and".to_owned());
    lines.push("a seccomp profile that lets perf_event_open through".to_owned());
    lines
}

/// Ubuntu's /usr/bin/perf is a script that looks for the one of the running kernel.
fn wrapper() -> Vec<String> {
    vec!["this perf is of another kernel: install linux-tools-$(uname -r)".to_owned()]
}

fn locked_memory() -> Vec<String> {
    vec![
        "perf's buffer does not fit into what you may lock; to allow more until the next boot:"
            .to_owned(),
        "  sudo sysctl kernel.perf_event_mlock_kb=4096".to_owned(),
    ]
}

fn no_branches() -> Vec<String> {
    vec![
        "--call-graph lbr needs a processor that records its last branches, and hardware"
            .to_owned(),
        "counters: use --call-graph dwarf".to_owned(),
    ]
}

fn no_tracepoints() -> Vec<String> {
    vec![
        "what the kernel traces, as --off-cpu and --critical need it, is for root: use sudo"
            .to_owned(),
    ]
}

fn unknown_event() -> Vec<String> {
    vec!["'perf list' has the events of this machine".to_owned()]
}

fn no_counters() -> Vec<String> {
    vec![
        "this machine has no such counter, as most virtual machines: leave -e out to sample"
            .to_owned(),
        "by the CPU clock; 'perf list' has the events of this machine".to_owned(),
    ]
}

fn unknown(said: &str) -> Vec<String> {
    if said.trim().is_empty() { vec!["perf said nothing".to_owned()] } else { Vec::new() }
}
