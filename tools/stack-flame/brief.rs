//! What `--brief` reads of a file that was recorded before.

use std::path::Path;
use std::process::Stdio;

use crate::siblings::Stage;

/// An event of a recording, or one of several measures of the same samples.
#[derive(Debug, PartialEq, Eq)]
struct Listed {
    name: String,
    unit: String,
    samples: String,
}

/// Units that say more than how many samples there are, the best first.
const UNITS: [&str; 5] = ["ns", "microseconds", "milliseconds", "seconds", "bytes"];

/// Whether perf recorded when threads leave a processor.
pub(crate) fn has_switches(file: &Path) -> bool {
    listed(file).iter().any(|event| event.name == "sched:sched_switch")
}

/// The options of stack-parse for what a file holds: of several measures the one that says most, or
/// else all events.
pub(crate) fn events(file: &Path) -> Vec<String> {
    let listed = listed(file);
    match measure(&listed) {
        Some(measure) => vec![format!("--event={measure}")],
        None if listed.len() < 2 => Vec::new(),
        None => vec!["--by-event".to_owned()],
    }
}

/// Several measures have the same samples.
fn measure(listed: &[Listed]) -> Option<&str> {
    let [first, _, ..] = listed else { return None };
    let are_measures = listed.iter().all(|event| event.samples == first.samples);
    let of_unit = |unit: &&str| listed.iter().find(|event| event.unit == **unit);
    let best = UNITS.iter().find_map(of_unit).filter(|_| are_measures)?;
    Some(&best.name)
}

/// What stack-parse lists; nothing if it cannot read the file, as it will say when it is asked again.
fn listed(file: &Path) -> Vec<Listed> {
    let list = Stage::new("stack-parse").arg("--list-events").arg("--tsv").arg("--").arg(file);
    let Ok(mut command) = list.command() else { return Vec::new() };
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let listed = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, unit, samples, ..] = fields[..] else { return None };
        let [name, unit, samples] = [name, unit, samples].map(str::to_owned);
        Some(Listed { name, unit, samples })
    };
    text.unwrap_or_default().lines().skip(1).filter_map(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_measures_time_says_most() {
        let list = |events: &[(&str, &str, &str)]| -> Vec<Listed> {
            let listed = |&(name, unit, samples): &(&str, &str, &str)| Listed {
                name: name.to_owned(),
                unit: unit.to_owned(),
                samples: samples.to_owned(),
            };
            events.iter().map(listed).collect()
        };
        for (events, expected) in [
            (&[("samples", "count", "7"), ("cpu", "ns", "7")][..], Some("cpu")),
            (
                &[("alloc_objects", "count", "9"), ("alloc_space", "bytes", "9")],
                Some("alloc_space"),
            ),
            (&[("cycles", "cycles", "9"), ("page-faults", "page-faults", "4")], None),
            (&[("cpu-clock", "ns", "9")], None),
            (&[("Ir", "instructions", "9"), ("Dr", "reads", "9")], None),
        ] {
            assert_eq!(measure(&list(events)), expected, "{events:?}");
        }
    }
}
