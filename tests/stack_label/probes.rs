//! Probes where a function is called and where it returns, recorded beside samples.

use std::path::Path;
use std::process::Command;

use crate::needs::{goes_without, skip};
use crate::place::Place;
use crate::util::{output, stderr};

/// Where the first argument of a function is.
const FIRST_ARGUMENT: &str = if cfg!(target_arch = "x86_64") { "%di" } else { "%x0" };

/// Probes of a program, which are there for all programs until they are removed.
struct Probes(String);

impl Drop for Probes {
    fn drop(&mut self) {
        let _ = Command::new("perf").args(["probe", "-q", "-d", &format!("{}:*", self.0)]).output();
    }
}

/// Whether a command ends well; the test is skipped aloud if it does not.
fn run(folder: &Path, command: &str) -> Option<String> {
    let output = Command::new("sh").args(["-c", command]).current_dir(folder).output();
    let output = output.expect("a shell");
    if !output.status.success() {
        skip(&format!("{command}: {}", stderr(&output)));
        return None;
    }
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// A recording of the program with its probes.
struct Recorded {
    data: String,
    /// The first part of the names of the probes.
    group: String,
    /// When each request began and ended, as the program itself measured.
    times: Vec<(u64, u64)>,
}

/// Records the program with its probes.
fn recorded(place: &Place) -> Option<Recorded> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stack_label/probes.c");
    run(&place.folder, &format!("cc -O1 -g -fno-omit-frame-pointer -o probed {source}"))?;
    let group = format!("stacktools{}", std::process::id());
    let _probes = Probes(group.clone());
    for probe in [format!("begin=handle number={FIRST_ARGUMENT}:s32"), "end=handle%return".into()] {
        run(&place.folder, &format!("perf probe -x ./probed '{group}:{probe}'"))?;
    }
    let printed = run(
        &place.folder,
        &format!(
            "perf record -q -k CLOCK_MONOTONIC -g -m 1024 -e cpu-clock/freq=999/ -e '{group}:begin' \
             -e '{group}:end*' -o probed.data ./probed"
        ),
    )?;
    let time = |text: &str| text.parse().expect("nanoseconds");
    let pair = |line: &str| line.split_once(' ').map(|(start, end)| (time(start), time(end)));
    let times = printed.lines().map(|line| pair(line).expect("two times")).collect();
    let data = place.folder.join("probed.data").to_str().expect("UTF-8").to_owned();
    Some(Recorded { data, group, times })
}

#[test]
fn spans_of_probes_are_those_that_the_program_measured() {
    if goes_without(&[&["perf", "cc"]]) {
        return;
    }
    let place = Place::new("probes");
    let Some(Recorded { data, group, times }) = recorded(&place) else { return };
    let labels = "time,tid,event,number";
    let args = ["--header", "--per-sample", "--event", "*", "--labels", labels, &data];
    let lines = output("stack-parse", &args, "").stdout;
    let [begin, end] = ["begin", "end*"].map(|event| format!("{group}:{event}"));
    let by_events = ["--begin", &begin[..], "--end", &end];
    let table = output("stack-label", &[&by_events[..], &["--tsv"]].concat(), &lines).stdout;
    let table = String::from_utf8(table).expect("UTF-8");
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("start\tend\ttid\tname\tid\tnumber"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split('\t').collect()).collect();
    assert_eq!(rows.len(), times.len(), "{table}");
    for (at, (row, (start, end))) in rows.iter().zip(&times).enumerate() {
        let nanoseconds = |text: &str| {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            format!("{whole}{fraction:0<9}").parse::<u64>().expect("seconds")
        };
        // The program looks at the clock before it calls and after the return.
        assert!(*start <= nanoseconds(row[0]) && nanoseconds(row[1]) <= *end, "{at}: {row:?}");
        assert_eq!(row[5], at.to_string());
    }
    let labelled = output("stack-label", &by_events, &lines);
    assert!(labelled.status.success(), "{}", stderr(&labelled));
    let labelled = String::from_utf8(labelled.stdout).expect("UTF-8");
    let in_rebuild: Vec<&str> = labelled
        .lines()
        .filter(|line| line.contains("event=cpu-clock\t") && line.contains(";rebuild "))
        .collect();
    assert!(!in_rebuild.is_empty(), "{labelled}");
    for line in in_rebuild {
        let number = line.split('\t').find_map(|label| label.strip_prefix("number="));
        assert!(number.is_some_and(|number| number.ends_with('0')), "{line}");
    }
}
