//! Whole pipelines on real recordings.

use crate::formats::cases;
use crate::picture::Picture;
use crate::util::{filter_bytes, output, recording, weight};

/// Sends `input` through the stages, each a tool and its arguments.
fn pipeline(input: &[u8], stages: &[&[&str]]) -> Vec<u8> {
    stages.iter().fold(input.to_vec(), |bytes, stage| {
        let output = output(stage[0], &stage[1..], &bytes);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stage:?}: {stderr}");
        output.stdout
    })
}

const FILTERS: [&[&str]; 4] = [
    &["stack-demangle"],
    &["stack-collapse-frames", "--preset", "ocaml-gc"],
    &["stack-fold-towers"],
    &["stack-merge"],
];

#[test]
fn every_recording_keeps_its_weight_to_the_picture() {
    for case in cases() {
        let args = case.args();
        let parse: Vec<&str> = ["stack-parse"].into_iter().chain(args.split_whitespace()).collect();
        let parsed = pipeline(&recording(&case.input), &[&parse]);
        let filtered = pipeline(&parsed, &FILTERS);
        assert_eq!(weight(&filtered), weight(&parsed), "{}", case.input);
        let picture = Picture::of(pipeline(&filtered, &[&["stack-svg", "--no-script"]]));
        let all = picture.named("all");
        let whole: Vec<u128> = all.iter().map(|whole| whole.weight.into()).collect();
        assert!(whole.contains(&weight(&parsed)), "{}: {whole:?}", case.input);
    }
}

#[test]
fn the_collector_of_treegc_is_one_frame_with_its_known_share() {
    // The shares are those of an independent program. It counted another 88 samples of
    // treegc-4.13.1 as the collector's, where compare, hash and make_vect call
    // caml_page_table_lookup: 42.4 %.
    for (name, share) in [("treegc-4.13.1-dwarf", 38.65), ("treegc-5.2.0fp-fp", 33.08)] {
        let script = recording(&format!("formats/perf-script/{name}.gz"));
        let folded = pipeline(
            &script,
            &[
                &["stack-parse", "--weight", "samples"],
                &["stack-collapse-frames", "--preset", "ocaml-gc"],
            ],
        );
        let collected = filter_bytes("stack-grep", &[r"^\[GC\]$"], &folded);
        let percent = 100.0 * weight(&collected) as f64 / weight(&folded) as f64;
        assert!((percent - share).abs() < 0.05, "{name}: {percent}");
    }
}

#[test]
fn towers_of_treegc_fold_to_few_stacks() {
    let script = recording("formats/perf-script/treegc-4.13.1-dwarf.gz");
    let folded = pipeline(
        &script,
        &[
            &["stack-parse", "--weight", "samples"],
            &["stack-collapse-frames", "--preset", "ocaml-gc"],
            &["stack-fold-towers"],
            &["stack-merge"],
        ],
    );
    assert_eq!(weight(&folded), 2357);
    let stacks = folded.split(|&byte| byte == b'\n').count() - 1;
    assert!((180..=220).contains(&stacks), "{stacks}");
}

#[test]
fn the_pipeline_of_the_readme_runs_as_written() {
    let script = recording("formats/perf-script/treegc-5.2.0fp-fp.gz");
    let folded = pipeline(&script, &[&["stack-parse"], &["stack-demangle", "--ocaml"]]);
    let kept: Vec<&[u8]> = folded
        .split_inclusive(|&byte| byte == b'\n')
        .filter(|line| !line.windows(8).any(|word| word == b"cpu_idle"))
        .collect();
    let svg = pipeline(&kept.concat(), &[&["stack-svg"]]);
    assert!(svg.starts_with(b"<?xml"));
    assert!(String::from_utf8(svg).expect("UTF-8").contains("<title>Stdlib.Map.add"));
}

#[test]
fn invalid_utf_8_passes_through_every_filter_unharmed() {
    let script = recording("formats/perf-script/treegc-5.4alpha-dollar-fp.gz");
    let parsed = pipeline(&script, &[&["stack-parse"]]);
    assert!(std::str::from_utf8(&parsed).is_err());
    for filter in [
        &["stack-grep", "."][..],
        &["stack-merge"],
        &["stack-fold-towers"],
        &["stack-collapse-frames", "--preset", "lwt"],
        &["stack-demangle", "--rust"],
    ] {
        let passed = pipeline(&parsed, &[filter]);
        assert!(passed.contains(&0xad), "{filter:?}");
        assert_eq!(weight(&passed), weight(&parsed), "{filter:?}");
    }
}
