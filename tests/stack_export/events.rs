//! Several events in one file.

use serde_json::json as value;

use super::pprof::Profile;
use super::{FORMATS, export, json};
use crate::util::{TempFile, filter, filter_bytes, golden_path, output, recording};

/// The output of `stack-parse --by-event --header`.
const EVENTS: &[u8] = b"# event: cpu-clock ns\n# event: page-faults samples\n\
    # event: cycles:u cycles\n# source: perf-script\n\
    cpu-clock;main;a 5\ncpu-clock;main 2\ncycles:u;main;a 11\npage-faults;b 3\npage-faults 1\n";

#[test]
fn each_is_a_profile_of_speedscope() {
    let profiles = &json("speedscope", &[], EVENTS)["profiles"];
    let of = |number: usize| {
        let profile = &profiles[number];
        let [name, unit, end] = ["name", "unit", "endValue"].map(|key| profile[key].clone());
        (name, unit, end, profile["weights"].clone())
    };
    assert_eq!(of(0), (value!("cpu-clock"), value!("nanoseconds"), value!(7), value!([2, 5])));
    let unit = value!("none");
    assert_eq!(of(1), (value!("cycles:u (cycles)"), unit.clone(), value!(11), value!([11])));
    assert_eq!(of(2), (value!("page-faults (samples)"), unit, value!(4), value!([1, 3])));
    assert_eq!(profiles.as_array().map(Vec::len), Some(3));
}

#[test]
fn each_is_a_type_of_samples_of_pprof() {
    let profile = Profile::decoded(&export("pprof", &[], EVENTS));
    let types: Vec<[&str; 2]> = profile
        .sample_type
        .iter()
        .map(|it| [it.kind, it.unit].map(|it| profile.string(it)))
        .collect();
    let expected = [["cpu-clock", "nanoseconds"], ["cycles:u", "cycles"], ["page-faults", "count"]];
    assert_eq!(types, expected);
    assert_eq!(profile.string(profile.default_sample_type), "cpu-clock");
    let stack = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(profile.stacks(0), [(stack(&["main"]), 2), (stack(&["main", "a"]), 5)]);
    assert_eq!(profile.stacks(1), [(stack(&["main", "a"]), 11)]);
    // Without a stack, the event is the frame.
    assert_eq!(profile.stacks(2), [(stack(&["page-faults"]), 1), (stack(&["b"]), 3)]);
}

#[test]
fn of_other_formats_the_user_takes_one() {
    for format in FORMATS.into_iter().filter(|name| !["pprof", "speedscope", "tsv"].contains(name))
    {
        let refused = output("stack-export", &["--to", format], EVENTS);
        let expected = format!(
            "stack-export: {format} holds one event: choose one with --event: \
             cpu-clock, cycles:u, page-faults\n"
        );
        assert_eq!(String::from_utf8_lossy(&refused.stderr), expected);
        assert_eq!(refused.status.code(), Some(2), "{format}");
        assert!(refused.stdout.is_empty());
        let taken = export(format, &["--event", "cpu-clock"], EVENTS);
        let alone = b"# event: cpu-clock\n# unit: ns\nmain;a 5\nmain 2\n";
        assert_eq!(taken, export(format, &[], alone), "{format}");
    }
}

#[test]
fn an_event_that_is_not_there_is_named_with_those_that_are() {
    let said = |folded: &[u8]| {
        let output = output("stack-export", &["--to", "dot", "--event", "cycles"], folded);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let expected = "stack-export: --event cycles: expected one of these: \
                    cpu-clock, cycles:u, page-faults\n";
    assert_eq!(said(EVENTS), expected);
    assert!(said(b"main 1\n").contains("the stacks have none, see 'stack-parse --by-event"));
}

#[test]
fn what_is_not_taken_is_dropped_in_the_accounts() {
    let args = ["--to", "d3", "--event", "cpu-clock", "--stats"];
    let said = output("stack-export", &args, EVENTS).stderr;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("in 5 lines weight 22, out 2 lines weight 7, "), "{said}");
    assert!(said.contains("dropped 1 lines weight 15, "), "{said}");
}

#[test]
fn stacks_whose_roots_are_no_events_are_one_event() {
    let folded = [EVENTS, b"main;a 1\n"].concat();
    let profiles = &json("speedscope", &[], &folded)["profiles"];
    assert_eq!(profiles.as_array().map(Vec::len), Some(1));
    assert_eq!(profiles[0]["endValue"], 23);
}

#[test]
fn files_with_different_events_are_profiles_of_all_of_them() {
    let [one, other] = [
        "# event: cycles cycles\n# source: pprof\ncycles;main 3\n",
        "# event: cycles cycles\n# event: faults samples\ncycles;main 4\nfaults;main 1\n",
    ]
    .map(TempFile::new);
    let profiles = &json("speedscope", &[one.path(), other.path()], b"")["profiles"];
    let found = [0, 1].map(|number| [&profiles[number]["name"], &profiles[number]["endValue"]]);
    let expected = [[value!("cycles"), value!(7)], [value!("faults (samples)"), value!(1)]];
    assert_eq!(found, expected.each_ref().map(<[_; 2]>::each_ref));
}

#[test]
fn two_events_of_a_recording_have_the_totals_that_stack_parse_lists() {
    let recorded = TempFile::new(recording("formats/perf-data/fp-two-events.perf.data.gz"));
    let symfs = golden_path("symfs");
    let symfs = symfs.to_str().expect("UTF-8");
    let parse = |args: &[&str]| {
        let args = [args, &["--weight", "samples", "--symfs", symfs, recorded.path()]].concat();
        output("stack-parse", &args, "").stdout
    };
    let folded = parse(&["--by-event", "--header"]);
    let profiles = &json("speedscope", &[], &folded)["profiles"];
    let listed = String::from_utf8(parse(&["--list-events"])).expect("UTF-8");
    assert!(listed.lines().count() > 1, "{listed}");
    for line in listed.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, _, samples, _] = fields[..] else { panic!("four fields: {line}") };
        let title = value!(format!("{name} (samples)"));
        let profile = profiles.as_array().expect("profiles").iter().find(|it| it["name"] == title);
        assert_eq!(profile.expect(name)["endValue"].to_string(), samples, "{name}");
    }
    // The header lines pass through filters and decompression.
    let demangled = filter_bytes("stack-demangle", &[], &folded);
    assert_eq!(json("speedscope", &[], &demangled)["profiles"][1]["name"], profiles[1]["name"]);
    let merged = filter("stack-merge", &[], &folded);
    assert!(merged.starts_with("# event: page-faults samples\n# event: cpu-clock samples\n"));
}
