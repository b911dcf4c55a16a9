//! The number of samples: in the header of `stack-parse --header`, in the output of other tools,
//! and without a header.

use serde_json::Value;

use super::{diff, stdout};
use crate::util::{TempFile, filter, golden_path, output, recording};

/// The number of a header line `# samples: 4,021 samples`.
fn noted(folded: &str) -> Option<u64> {
    let value = folded.lines().find_map(|line| line.strip_prefix("# samples: "))?;
    let (number, unit) = value.split_once(' ').expect("a number and its unit");
    assert!(matches!(unit, "sample" | "samples"), "{value}");
    number.replace(',', "").parse().ok()
}

fn with_header(golden: &str, args: &[&str]) -> String {
    let path = golden_path(golden);
    let path = path.to_str().expect("UTF-8");
    let found = output("stack-parse", &[&["--header"], args, &[path]].concat(), "");
    String::from_utf8_lossy(&found.stdout).into_owned()
}

/// The effective number of samples, computed from the time between samples.
fn effective(times: &[f64]) -> u64 {
    let sum: f64 = times.iter().sum();
    let squares: f64 = times.iter().map(|time| time * time).sum();
    (sum * sum / squares).round() as u64
}

#[test]
fn times_of_v8_are_samples_of_unequal_length() {
    let json: Value = serde_json::from_slice(&recording("formats/cpuprofile/node20.cpuprofile.gz"))
        .expect("JSON");
    let numbers = |key: &str| -> Vec<f64> {
        json[key].as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
    };
    // A sample lasts until the next one, the last one to the end.
    let mut times: Vec<f64> = numbers("timeDeltas").split_off(1);
    let (start, end) = (json["startTime"].as_f64(), json["endTime"].as_f64());
    let first = numbers("timeDeltas")[0];
    let sampled: f64 = times.iter().sum();
    times.push(end.expect("a number") - start.expect("a number") - first - sampled);
    let folded = with_header("formats/cpuprofile/node20.cpuprofile.gz", &[]);
    assert_eq!(noted(&folded), Some(effective(&times)), "{} samples", times.len());
}

#[test]
fn formats_that_know_say_how_many_samples_there_are() {
    for (golden, args, expected) in [
        // As many as the weights beside the recordings.
        ("formats/perf-script/treegc-4.13.1-dwarf.gz", &[][..], Some(2357)),
        ("formats/perf-data/pipe-fp.perf.data.gz", &[], Some(401)),
        ("formats/jfr/jdk17-two-chunks.jfr.gz", &[], Some(52)),
        // The samples of its measure, whichever is taken: each is 10 ms.
        ("formats/pprof/go-cpu.pb.gz", &[], Some(128)),
        ("formats/pprof/go-cpu.pb.gz", &["--event", "cpu"], Some(128)),
        ("formats/gperftools/demo.prof.gz", &[], Some(284)),
        ("formats/pstats/demo.pstats.gz", &[], None),
        ("formats/callgrind/demo.out.gz", &[], None),
        ("formats/trace-event/odd.json", &[], None),
        ("formats/find/size-path.txt", &[], None),
    ] {
        if golden_path(golden).exists() {
            assert_eq!(noted(&with_header(golden, args)), expected, "{golden} {args:?}");
        }
    }
}

#[test]
fn unequal_periods_count_for_fewer_samples() {
    let sample = |period: u64| format!("app 7 2.5: {period} cycles:\n\t1000 f (/app)\n\n");
    let script: String = [1, 1, 2].map(|period| sample(period * 1000)).concat();
    let folded = filter("stack-parse", &["--header", "--weight", "period"], &*script);
    // 4² / (1 + 1 + 4)
    assert_eq!(noted(&folded), Some(3), "{folded}");
    let folded = filter("stack-parse", &["--header", "--weight", "samples"], &*script);
    assert_eq!(noted(&folded), Some(3), "{folded}");
    let script: String = [1, 1, 6].map(|period| sample(period * 1000)).concat();
    let folded = filter("stack-parse", &["--header", "--weight", "period"], &*script);
    // 8² / (1 + 1 + 36)
    assert_eq!(noted(&folded), Some(2), "{folded}");
}

const NOTED: &str = "# unit: ns\n# samples: 77 samples\nmain;f 30000000\nmain;g 47000000\n";

#[test]
fn numbers_of_several_files_add_up_if_all_are_known() {
    let again = filter("stack-parse", &["-f", "folded"], NOTED);
    assert_eq!(noted(&again), Some(77), "{again}");
    // As older versions wrote it.
    let other = TempFile::new("# unit: nanoseconds\n# samples: 23\nmain;f 23000000\n");
    let merged = filter("stack-merge", &["-", other.path()], NOTED);
    assert_eq!(noted(&merged), Some(100), "{merged}");
    let unknown = TempFile::new("# unit: ns\nmain;f 23000000\n");
    assert_eq!(noted(&filter("stack-merge", &["-", unknown.path()], NOTED)), None);
}

#[test]
fn whole_microseconds_are_no_samples() {
    // 46 functions of a few ms each, which differ by some µs, as two runs of a program do.
    let run = |shift: u64| {
        let line = |function: u64| {
            let time = 4_000_000 + function * 100_000 + (function * shift * 7919 % 800) * 1000;
            format!("main;f{function} {time}\n")
        };
        TempFile::new((0..46).map(line).collect::<String>())
    };
    for unit in ["", "# unit: ns\n", "# unit: ns\n# samples: 300\n"] {
        let [before, after] = [1, 3].map(run).map(|file| {
            let lines = std::fs::read_to_string(file.path()).expect("our own file");
            TempFile::new(format!("{unit}{lines}"))
        });
        let found = diff(before.path(), after.path(), &["--fail-over", "2%"]);
        assert_eq!(found.status.code(), Some(0), "{unit}: {found:?}");
        assert!(stdout(&found).contains("; 0 of 47 functions changed"), "{unit}: {found:?}");
    }
}

#[test]
fn noted_samples_make_one_run_enough() {
    let run = |own: u64| {
        TempFile::new(format!("# unit: ns\n# samples: 9000\nf {own}0000357\ng 50000091\n"))
    };
    let (before, after) = (run(5), run(7));
    let found = diff(before.path(), after.path(), &["--tsv"]);
    assert!(stdout(&found).lines().any(|line| line.starts_with("f\t")), "{found:?}");
    assert!(!stdout(&found).contains("no counts"));
}
