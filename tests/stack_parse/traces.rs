//! Spans of threads, and profiles whose names come last.

use std::collections::BTreeMap;

use crate::util::{output, recording};

/// The stacks of a recording; messages do not matter here.
fn folded(args: &[&str], path: &str) -> String {
    let output = output("stack-parse", args, recording(path));
    assert!(output.status.success(), "{path}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The weight of each stack below the name of its thread. An independent reader, made from the
/// specification, wrote them by thread: `ref1(undeclared)`, `100:101(proc/main)`, `200:201`.
fn by_thread(truth: &str) -> BTreeMap<String, u64> {
    let mut stacks = BTreeMap::new();
    for line in truth.lines() {
        let (thread, stack) = line.split_once('\t').expect("a thread");
        let (stack, weight) = stack.rsplit_once(' ').expect("a weight");
        let name = match thread.split_once('(') {
            Some((number, "undeclared)")) => number.replace("ref", "thread ") + ";",
            Some((_, names)) => {
                let names = names.trim_end_matches(')');
                let name = names.rsplit_once('/').map_or(names, |(_, name)| name);
                format!("{name};")
            }
            None => String::new(),
        };
        *stacks.entry(format!("{name}{stack}")).or_default() +=
            weight.parse::<u64>().expect("a number");
    }
    stacks.retain(|_, weight| *weight > 0);
    stacks
}

#[test]
fn spans_of_fuchsias_traces_weigh_what_another_reader_says() {
    for (recorded, truth) in [
        ("formats/fxt/olly-gc.fxt.gz", "oracle/olly-gc.fxt.folded-by-thread.gz"),
        ("formats/fxt/synth.fxt", "oracle/synth.fxt.folded-by-thread"),
    ] {
        let lines = folded(&[], recorded);
        let line = |line: &str| {
            let (stack, weight) = line.rsplit_once(' ').expect("a weight");
            (stack.to_owned(), weight.parse().expect("a number"))
        };
        let found: BTreeMap<String, u64> = lines.lines().map(line).collect();
        let truth = String::from_utf8(recording(truth)).expect("UTF-8");
        assert_eq!(found, by_thread(&truth), "{recorded}");
    }
}

#[test]
fn every_form_of_opentelemetrys_profiles_says_the_same() {
    let today = folded(&["--labels", "all"], "formats/otlp/today.pb");
    let line = "wait=2.5 ms\tzone=eu-mail\tworker;main;draw;parse 2000\n";
    assert!(today.contains(line), "{today}");
    for other in ["last-first.pb", "version-1.8.pb", "today.json"] {
        assert_eq!(
            folded(&["--labels", "all"], &format!("formats/otlp/{other}")),
            today,
            "{other}"
        );
    }
}

#[test]
fn older_forms_of_opentelemetrys_profiles_are_refused_by_name() {
    // A resource, a scope, a profile: samples of two locations, and the list of locations.
    let profile = b"\x0a\x04\x08\x01\x10\x02\x12\x07\x08\x00\x10\x02\x1a\x01\x05\x1a\x02\x01\x02";
    let message = [&b"\x0a\x17\x12\x15\x12\x13"[..], profile].concat();
    let json = br#"{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":[{}],"sample":[{"locationsLength":2,"value":["5"]}]}]}]}],"dictionary":{}}"#;
    for input in [&message[..], json] {
        let output = output("stack-parse", &[], input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("opentelemetry-proto 1.7 or older"), "{said}");
    }
}
