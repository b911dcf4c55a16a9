//! Times of samples: where they come from, how they are written, and which formats have none.

use serde_json::{Value, json as value};

use super::json;
use crate::util::{filter, golden_path, output, weight};

/// Long waits of a thread: the weights are times, longer than the time between the samples.
const WAITS: &[u8] = b"# unit: ns\n\
    since=1.000\ttid=7\tevent=off-cpu\tmain;poll 5000000000\n\
    since=2.000\ttid=7\tevent=off-cpu\tmain;read 1000000\n\
    since=7.000\ttid=7\tevent=off-cpu\tmain;read 2500\n";

/// The slices of a trace, `7/8 B main 2.5`: process, thread, begin or end, name, microseconds.
fn slices(trace: &Value) -> Vec<String> {
    let events = trace["traceEvents"].as_array().expect("events").iter();
    let slice = |it: &Value| {
        let text = |key: &str| it[key].as_str().expect("a text").to_owned();
        let (phase, name) = (text("ph"), text("name"));
        format!("{}/{} {phase} {name} {}", it["pid"], it["tid"], it["ts"])
    };
    events.filter(|it| it["ph"] != "M").map(slice).collect()
}

/// The output, the messages, and the exit status.
fn said(format: &str, folded: &[u8]) -> (Value, String, Option<i32>) {
    let output = output("stack-export", &["--to", format], folded);
    let written = serde_json::from_slice(&output.stdout).expect("JSON");
    (written, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

#[test]
fn weights_that_are_times_are_those_of_speedscope() {
    let profile = &json("speedscope", &[], WAITS)["profiles"][0];
    assert_eq!(profile["weights"], value!([5_000_000_000_u64, 1_000_000, 2500]));
    assert_eq!((&profile["unit"], &profile["event"]), (&value!("nanoseconds"), &value!("off-cpu")));
    // The weights of an event that measures time are times, too.
    let clock = b"# event: cpu-clock\n# unit: us\nsince=1\tmain 3\nsince=2\tmain;a 4\n";
    let profile = &json("speedscope", &[], clock)["profiles"][0];
    assert_eq!((&profile["weights"], &profile["unit"]), (&value!([3, 4]), &value!("microseconds")));
    // Bytes are not samples of time.
    let bytes = b"# event: cpu-clock\n# unit: bytes\nsince=1\tmain 3\nsince=2\tmain;a 4\n";
    let profile = &json("speedscope", &[], bytes)["profiles"][0];
    assert_eq!((&profile["weights"], &profile["unit"]), (&value!([3, 4]), &value!("bytes")));
}

#[test]
fn slices_of_chrome_last_as_long_as_times_weigh() {
    let expected = [
        "1/7 B main 1000000",
        "1/7 B poll 1000000",
        // The second sample waits for the first one, and the third comes after a gap.
        "1/7 E poll 6000000",
        "1/7 B read 6000000",
        "1/7 E read 6001000",
        "1/7 E main 6001000",
        "1/7 B main 7000000",
        "1/7 B read 7000000",
        "1/7 E read 7000002.5",
        "1/7 E main 7000002.5",
    ];
    assert_eq!(slices(&json("chrome", &[], WAITS)), expected);
}

/// The duration of the outermost slices of a trace, in nanoseconds.
fn lasting(trace: &Value) -> u64 {
    let mut open: std::collections::BTreeMap<String, Vec<u64>> = Default::default();
    let mut sum = 0;
    for event in trace["traceEvents"].as_array().expect("events") {
        let track = open.entry(format!("{}/{}", event["pid"], event["tid"])).or_default();
        let time = (event["ts"].as_f64().unwrap_or_default() * 1000.0).round() as u64;
        match event["ph"].as_str() {
            Some("B") => track.push(time),
            Some("E") => {
                let begin = track.pop().expect("an open slice");
                if track.is_empty() {
                    sum += time - begin;
                }
            }
            _ => {}
        }
    }
    sum
}

#[test]
fn times_of_recordings_come_out_as_they_came_in() {
    for name in ["trace-event/odd.json", "firefox/shared.json", "speedscope/odd.json"] {
        let path = golden_path(&format!("formats/{name}"));
        let args = ["--header", "--labels", "all", path.to_str().expect("UTF-8")];
        let folded = output("stack-parse", &args, "").stdout;
        let lines = folded.split_inclusive(|&byte| byte == b'\n');
        let lines = lines.filter(|line| !line.starts_with(b"#")).collect::<Vec<_>>().concat();
        let weight = weight(&lines);
        assert!(weight > 0 && folded.starts_with(b"# event: time\n# unit: ns\n"), "{name}");
        let profiles = json("speedscope", &[], &folded)["profiles"].clone();
        let weights = profiles.as_array().expect("profiles").iter().flat_map(|profile| {
            profile["weights"].as_array().expect("weights").iter().map(Value::as_u64)
        });
        let sum: u64 = weights.map(Option::unwrap).sum();
        assert_eq!(u128::from(sum), weight, "{name}");
        assert_eq!(u128::from(lasting(&json("chrome", &[], &folded))), weight, "{name}");
    }
}

#[test]
fn times_without_since_count_from_the_least_one() {
    let folded = b"time=100.75\ttid=7\tmain;a 2\ntime=100.5\ttid=7\tmain 1\n";
    let expected = ["1/7 B main 0", "1/7 B a 250000", "1/7 E a 500000", "1/7 E main 500000"];
    assert_eq!(slices(&json("chrome", &[], folded)), expected);
    let firefox = json("firefox", &[], folded);
    assert_eq!(firefox["threads"][0]["samples"]["time"], value!([0.0, 250.0]));
    let clock = [b"# event: cpu-clock\n# unit: samples\n", &folded[..]].concat();
    let profile = &json("speedscope", &[], &clock)["profiles"][0];
    assert_eq!(profile["weights"], value!([250_000_000, 250_000_000]));
}

#[test]
fn what_has_no_time_does_not_take_the_times_of_others() {
    let folded = b"since=1\ttid=7\tcomm=app\tmain 1\nsince=abc\ttid=7\tcomm=app\tmain;a 2\n\
        since=2\ttid=7\tcomm=app\tb 4\ntid=7\tcomm=app\tc 8\n";
    let (trace, messages, status) = said("chrome", folded);
    let expected = "stack-export: 1 line of weight 2 has a time that is not a number, the first \
        since=abc: expected seconds such as since=2.5\n\
        stack-export: 1 line of weight 8 has no label since, and no place in time\n";
    assert_eq!((&messages[..], status), (expected, Some(2)));
    let expected = [
        "1/7 B main 1000000",
        "1/7 E main 2000000",
        "1/7 B b 2000000",
        "1/7 E b 3000000",
        "1/1 B c 0",
        "1/1 E c 8",
        "1/1 B main 8",
        "1/1 B a 8",
        "1/1 E a 10",
        "1/1 E main 10",
    ];
    assert_eq!(slices(&trace), expected);
    let (profile, messages, status) = said("firefox", b"since=1\ta 1\ntid=7\tb 3\ntid=8\tb 4\n");
    let expected = "stack-export: 2 lines of weight 7 have no label since, and no place in time\n";
    assert_eq!((&messages[..], status), (expected, Some(0)));
    let names = |it: &Value| [it["name"].clone(), it["tid"].clone()];
    let threads = profile["threads"].as_array().expect("threads").iter().map(names);
    let samples = value!("samples");
    let expected = ["1", "7", "8"].map(|tid| [samples.clone(), value!(tid)]);
    assert_eq!(threads.collect::<Vec<_>>(), expected);
    let (profile, _, _) = said("speedscope", folded);
    let names = ["app (7)", "app (7) [no time]"];
    let found = [0, 1].map(|number| profile["profiles"][number]["name"].clone());
    assert_eq!(found, names.map(|name| value!(name)));
}

#[test]
fn values_that_are_no_times_are_named_by_the_formats_that_show_times() {
    let folded = b"time=soon\tmain 1\ntime=late\tmain 2\n";
    let expected = "stack-export: 2 lines of weight 3 have a time that is not a number, the first \
        time=soon: expected seconds such as since=2.5\n";
    for format in ["chrome", "firefox", "speedscope"] {
        let (_, messages, status) = said(format, folded);
        assert_eq!((&messages[..], status), (expected, Some(2)), "{format}");
    }
    // An empty value is unknown.
    assert_eq!(said("chrome", b"since=\tmain 1\n").1, "");
    let expected = b"time\tweight\tstack\nsoon\t1\t\"main\"\nlate\t2\t\"main\"\n";
    assert_eq!(super::export("tsv", &[], folded), expected);
}

#[test]
fn seconds_are_read_as_stack_heat_reads_them() {
    let folded = b"since=1e-06\tmain 1\nsince=+1\tmain;a 1\nsince=1e3\tmain 1\nsince=-5\tb 1\n";
    let expected = [0.0, 0.001, 1000.0, 1_000_000.0];
    let firefox = json("firefox", &[], folded);
    assert_eq!(firefox["threads"][0]["samples"]["time"], value!(expected));
    let text = filter("stack-heat", &["--text", "--column", "100"], folded);
    let expected = "+50 s |\n +0 s |@         .\n       0 s\n\
        a column is 100 s, 2 rows of it, all 4 samples\ncells: .. 1  == 2  @@ 3\n";
    assert_eq!(text, expected);
}

#[test]
fn a_clock_that_counts_from_the_start_of_the_machine_is_no_date() {
    let start = |folded: &[u8]| json("firefox", &[], folded)["meta"]["startTime"].clone();
    assert_eq!(start(b"since=1\ttime=5001\tmain 1\n"), value!(0.0));
    assert_eq!(start(b"since=1\ttime=1700000001.5\tmain 1\n"), value!(1_700_000_000_500.0));
}

#[test]
fn weights_that_chrome_does_not_show_may_be_large() {
    let most = "since=1\tmain 9223372036854775807\n".to_owned();
    let expected = ["1/1 B main 1000000", "1/1 E main 1001000"];
    assert_eq!(slices(&json("chrome", &[], most.as_bytes())), expected);
    let refused = |folded: String, args: &[&str]| {
        let output = output("stack-export", &[&["--to", "chrome"], args].concat(), folded);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    // These are shown.
    let untimed = format!("{most}tid=7\tmain 9223372036854776\n");
    let expected = "stack-export: 1 line of weight 9223372036854776 has no label since, and \
        no place in time\n\
        stack-export: chrome holds weights up to 9223372036854775, but all weigh \
        9223372036854776\n";
    assert_eq!(refused(untimed, &[]), expected);
    let times = refused(most, &["--unit", "us"]);
    let expected = "stack-export: chrome holds weights up to 9223372036854775, but all weigh \
        9223372036854775807\n";
    assert_eq!(times, expected);
}
