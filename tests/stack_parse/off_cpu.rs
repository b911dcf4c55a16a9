//! Blocked time: `--off-cpu`.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use crate::util::{golden_path, output, recording, weight};

#[test]
fn blocked_time_is_the_time_between_switches() {
    let switch = |time: &str, from: &str, state: &str, to: &str, frame: &str| {
        format!(
            "t{from} {from} [000] {time}: sched:sched_switch: prev_comm=t{from} prev_pid={from} \
             prev_prio=120 prev_state={state} ==> next_comm=t{to} next_pid={to} next_prio=120\n\
             \t 10 {frame} (/d)\n\n"
        )
    };
    let script = [
        switch("1.000000", "1", "S", "2", "read"),
        switch("1.500000", "2", "R", "1", "work"),
        switch("1.750000", "1", "D", "2", "write"),
        switch("2.000000", "2", "S", "0", "sleep"),
        switch("2.100000", "0", "R", "1", "idle"),
        switch("2.200000", "1", "X", "0", "exit"),
    ];
    let wakeup = "t1 1 [000] 2.300000: sched:sched_wakeup: comm=t1 pid=1\n\t 10 wake (/d)\n\n";
    let script = script.concat() + wakeup;
    let output = output("stack-parse", &["--off-cpu"], script);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "# event: off-cpu\n# unit: ns\n# source: perf-script\n\
         t1;read 500000000\nt1;write 350000000\n",
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: event sched:sched_wakeup: 1 of 7 samples (weight 1) left out\n\
         stack-parse: off-cpu: 1 switch away from a thread that could go on left out\n\
         stack-parse: off-cpu: 1 thread that did not come back left out\n",
    );
}

#[test]
fn switches_of_no_known_process_are_reported_where_one_is_chosen() {
    let switch =
        "1 10 [000] 1.0: sched:sched_switch: 1:10 [120] S ==> 2:20 [120]\n\t 10 f (/d)\n\n";
    let without = output("stack-parse", &["--off-cpu=10"], switch).stderr;
    let said = String::from_utf8_lossy(&without).into_owned();
    let remedy = "off-cpu: 1 switch does not say of which process it is, and is left out: give the \
                  perf.data itself, or the text of 'perf script -F +pid'\n";
    assert!(said.contains(remedy), "{said}");
    let absent = String::from_utf8_lossy(
        &output("stack-parse", &["--off-cpu=4000000"], two_processes()).stderr,
    )
    .into_owned();
    assert!(absent.contains("off-cpu: no switch is of process 4000000\n"), "{absent}");
}

/// Two processes that wait for each other once, with no other switches.
fn two_processes() -> String {
    let switch = |time: &str, from: &str, to: &str, frame: &str| {
        format!(
            "{from} {from}0/{from}0 [000] {time}: sched:sched_switch: {from}:{from}0 [120] S ==> \
             {to}:{to}0 [120]\n\t 10 {frame} (/d)\n\n"
        )
    };
    [
        switch("1.000000", "1", "2", "read"),
        switch("1.500000", "2", "1", "write"),
        switch("1.750000", "1", "2", "read"),
    ]
    .concat()
}

#[test]
fn one_process_is_chosen_and_its_unit_reaches_the_table() {
    let both = output("stack-parse", &["--off-cpu"], two_processes()).stdout;
    let header = "# event: off-cpu\n# unit: ns\n# source: perf-script\n";
    let expected = format!("{header}1;read 500000000\n2;write 250000000\n");
    assert_eq!(String::from_utf8_lossy(&both), expected);
    let one = output("stack-parse", &["--off-cpu=20"], two_processes());
    assert_eq!(String::from_utf8_lossy(&one.stdout), format!("{header}2;write 250000000\n"));
    let left_out = "stack-parse: off-cpu: 1 thread that did not come back left out\n";
    assert_eq!(String::from_utf8_lossy(&one.stderr), "");
    assert!(
        String::from_utf8_lossy(&output("stack-parse", &["--off-cpu"], two_processes()).stderr)
            .contains(left_out)
    );
    let table = output("stack-top", &[], &one.stdout).stdout;
    let table = String::from_utf8_lossy(&table).into_owned();
    assert!(table.contains("\n250 ms  100.00%  250 ms  100.00%  write\n"), "{table}");
}

/// Nanoseconds for which each thread was blocked, without our parser.
fn blocked_by_hand(script: &str) -> BTreeMap<String, u128> {
    let (mut away, mut blocked) = (HashMap::new(), BTreeMap::new());
    for line in script.lines() {
        let Some((head, switch)) = line.split_once(": sched:sched_switch: ") else { continue };
        let time = head.rsplit(' ').next().and_then(|time| time.split_once('.'));
        let (seconds, fraction) = time.expect("a time");
        let now: u128 = format!("{seconds}{fraction}").parse().expect("digits");
        let field = |name: &str| {
            let value = switch.split(name).nth(1).and_then(|rest| rest.split(' ').next());
            value.expect("a field").to_owned()
        };
        if let Some(since) = away.remove(&field(" next_pid=")) {
            *blocked.entry(field(" next_pid=")).or_default() += now - since;
        }
        let waits = ["S", "D", "I"].contains(&field(" prev_state=").as_str());
        if waits && field(" prev_pid=") != "0" {
            away.insert(field(" prev_pid="), now);
        }
    }
    blocked
}

#[test]
fn a_real_recording_is_blocked_as_long_as_counted_by_hand_and_by_perf() {
    let script = recording("formats/perf-script/shape-sched.gz");
    let folded = output("stack-parse", &["--off-cpu", "--root", "tid"], &script).stdout;
    let mut blocked = BTreeMap::new();
    let mut main = 0;
    for line in String::from_utf8(folded).expect("UTF-8").lines().skip(3) {
        let root = line.split(';').next().expect("a root frame");
        let tid = root.rsplit('/').next().expect("a thread");
        *blocked.entry(tid.to_owned()).or_default() += weight(line.as_bytes());
        main += if root.starts_with("demo-") { weight(line.as_bytes()) } else { 0 };
    }
    assert!(blocked.len() > 8, "{blocked:?}");
    assert_eq!(blocked, blocked_by_hand(&String::from_utf8(script).expect("UTF-8")));
    // perf truncates each interval to microseconds.
    let perf = fs::read_to_string(golden_path("oracle/shape-sched.away")).expect("perf's figure");
    let perf: f64 = perf.trim().parse().expect("milliseconds");
    let ours = main as f64 / 1e6;
    assert!((0.0..0.03).contains(&(ours - perf)), "{ours} {perf}");
}
