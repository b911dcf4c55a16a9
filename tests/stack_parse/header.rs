//! `--header`: what it says of recordings, and what it leaves out because it does not know it.

use crate::util::{TempFile, output, recording};

/// A folder without the files of a recording, so that the test does not depend on files here.
const NO_FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/folded");

const DWARF: &str = "formats/perf-data/dwarf-deep-8k.perf.data.gz";

/// The header lines of an output, and what was said.
fn header(args: &[&str], input: impl AsRef<[u8]>) -> (Vec<String>, String) {
    let found = output("stack-parse", &[&["--header"], args].concat(), input);
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    let lines = text.lines().filter(|line| line.starts_with("# ")).map(str::to_owned);
    (lines.collect(), String::from_utf8_lossy(&found.stderr).into_owned())
}

/// The same for a recording, without files of this machine.
fn of(golden: &str, args: &[&str]) -> (Vec<String>, String) {
    header(&[&["--symfs", NO_FILES], args].concat(), recording(golden))
}

/// The value of a header line.
fn value<'l>(header: &'l [String], key: &str) -> Option<&'l str> {
    let start = format!("# {key}: ");
    header.iter().find_map(|line| line.strip_prefix(&start))
}

/// The numbers of `48 of 900 samples`.
fn part(header: &[String], key: &str) -> [u64; 2] {
    let value = value(header, key).unwrap_or_else(|| panic!("{key} in {header:?}"));
    let words: Vec<&str> = value.split(' ').collect();
    let [part, "of", all, _] = words[..] else { panic!("{value}") };
    [part, all].map(|number| number.replace(',', "").parse().expect("digits"))
}

/// The share in percent, as messages have it.
fn share([part, all]: [u64; 2]) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all as f64)
}

#[test]
fn the_header_says_what_messages_say() {
    let args = ["--symfs", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/symfs")];
    let (all, said) = header(&args, recording(DWARF));
    let truncated = part(&all, "truncated");
    assert!(truncated[0] > 0, "{all:?}");
    let message = format!("{} of the stacks are longer than what was recorded", share(truncated));
    assert!(said.contains(&message), "{all:?} {said}");
    assert_eq!(part(&all, "lost")[0], 0, "{said}");
    assert_eq!(part(&all, "estimated")[0], 0);
    assert_eq!(value(&all, "program"), Some("deep"));
    // Without files of this machine, no stack has more than its leaf, and that has no name: messages
    // name the files.
    let (without, said) = of(DWARF, &[]);
    let [nameless, frames] = part(&without, "nameless");
    assert_eq!((nameless, frames), (truncated[1], 2 * truncated[1]), "{without:?} {said}");
    assert_eq!(part(&without, "broken"), [truncated[1]; 2], "{said}");
}

#[test]
fn what_is_unknown_for_some_of_the_samples_is_not_written() {
    let (all, _) = of(DWARF, &[]);
    let [_, samples] = part(&all, "lost");
    let (slice, said) = of(DWARF, &["--from", "0.05"]);
    let [none, left] = part(&slice, "lost");
    assert!(none == 0 && left < samples, "{slice:?} {said}");
    for key in ["truncated", "nameless", "seconds"] {
        assert!(value(&all, key).is_some() && value(&slice, key).is_none(), "{key}: {slice:?}");
    }
    for key in ["processors", "rate", "program", "event", "unit", "source"] {
        assert_eq!(value(&slice, key), value(&all, key), "{key}");
    }
}

#[test]
fn a_stream_has_what_is_known_last_at_its_end() {
    let (summed, _) = of(DWARF, &["--weight", "samples"]);
    for live in [&["--per-sample"][..], &["--every", "60"]] {
        let args = [&["--symfs", NO_FILES], live].concat();
        let (streamed, _) = header(&args, recording(DWARF));
        let streamed: Vec<_> =
            streamed.into_iter().filter(|line| !line.starts_with("# end ")).collect();
        assert_eq!(streamed, summed, "{live:?}");
    }
}

#[test]
fn what_a_recording_lost_is_in_the_header() {
    let (header, said) = header(&[], super::latency::stream_with_lost());
    assert!(said.contains("5 samples or other records, 83.3 % of all, were lost"), "{said}");
    assert_eq!(value(&header, "lost"), Some("5 of 6 samples"), "{header:?}");
}

#[test]
fn text_says_what_was_lost_only_if_it_names_any() {
    let sample = "d 1 2.5: c:\n\t 10 f (/d)\n\n";
    let lost = "d 1 2.6: PERF_RECORD_LOST lost 42\n";
    let value_of = |input: &str| {
        let (header, _) = header(&[], input);
        value(&header, "lost").map(str::to_owned)
    };
    assert_eq!(value_of(sample), None);
    assert_eq!(value_of(&[sample, lost].concat()).as_deref(), Some("42 of 43 samples"));
    // Of two events, nobody knows which one lost samples.
    let two = [sample, "d 1 2.6: other:\n\t 10 f (/d)\n\n", lost].concat();
    assert_eq!(value_of(&two), None);
}

#[test]
fn threads_and_seconds_are_those_of_the_samples() {
    let sample = |tid: u32, time: &str| format!("d {tid}/{tid} {time}: c:\n\t 10 f (/d)\n\n");
    let script = [sample(1, "1.5"), sample(2, "1.25"), sample(1, "11.25")].concat();
    let (lines, _) = header(&[], &script);
    assert_eq!(value(&lines, "threads"), Some("2 threads"), "{lines:?}");
    assert_eq!(value(&lines, "seconds"), Some("10.00 s"), "{lines:?}");
    let (slice, _) = header(&["--from", "9"], &script);
    assert_eq!(value(&slice, "threads"), Some("1 thread"), "{slice:?}");
    // Several threads of ours read a long text.
    let long = script.repeat(20_000);
    let (lines, _) = header(&["--threads", "2"], &long);
    assert_eq!(value(&lines, "threads"), Some("2 threads"), "{lines:?}");
    assert_eq!(value(&lines, "seconds"), Some("10.00 s"), "{lines:?}");
    let (lines, _) = header(&[], "d 1.5: c:\n\t 10 f (/d)\n\n");
    assert_eq!(value(&lines, "threads"), None, "{lines:?}");
}

/// A file of callgrind: `leaf` has own costs, below `callers` with these costs of calls.
fn callgrind(callers: &[(&str, u64)]) -> String {
    let own: u64 = callers.iter().map(|(_, cost)| cost).sum();
    let call = |(caller, cost): &(&str, u64)| {
        format!("fn={caller}\n1 0\ncfn=leaf\ncalls=1 9\n1 {cost}\n\n")
    };
    let callers: String = callers.iter().map(call).collect();
    format!("# callgrind format\nevents: Ir\n\nfn=leaf\n9 {own}\n\n{callers}")
}

#[test]
fn a_function_with_several_callers_has_an_estimated_stack() {
    for (callers, expected) in [
        (&[("main", 1500)][..], Some("0 of 1,500 instructions")),
        (&[("main", 1500), ("test", 500)], Some("2,000 of 2,000 instructions")),
        (&[], None),
    ] {
        let (lines, said) = header(&["-f", "callgrind"], callgrind(callers));
        assert_eq!(value(&lines, "estimated"), expected, "{lines:?} {said}");
    }
}

#[test]
fn the_number_of_truncated_stacks_is_that_of_the_frame() {
    for symfs in [NO_FILES, concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/symfs")] {
        let args = ["--header", "--symfs", symfs];
        let folded = output("stack-parse", &args, recording(DWARF)).stdout;
        let folded = String::from_utf8_lossy(&folded).into_owned();
        let lines: Vec<String> = folded.lines().map(str::to_owned).collect();
        let cut = lines.iter().filter(|line| line.contains("[truncated]"));
        let weight = |line: &String| -> u64 {
            line.rsplit(' ').next().expect("a weight").parse().expect("digits")
        };
        let cut: u64 = cut.map(weight).sum();
        assert_eq!(part(&lines, "truncated")[0], cut, "{symfs}");
    }
}

#[test]
fn what_two_recordings_lost_adds_up_and_one_that_does_not_say_makes_it_unknown() {
    let lost = TempFile::new(super::latency::stream_with_lost());
    let (lines, _) = header(&[lost.path(), lost.path()], "");
    assert_eq!(value(&lines, "lost"), Some("10 of 12 samples"), "{lines:?}");
    let text = TempFile::new("d 1 2.5: c:\n\t 10 f (/d)\n\n");
    let (lines, _) = header(&[lost.path(), text.path()], "");
    assert_eq!(value(&lines, "lost"), None, "{lines:?}");
    assert_eq!(part(&lines, "estimated"), [0, 2], "{lines:?}");
}

#[test]
fn pprof_says_how_long_and_how_often() {
    let (lines, _) = header(&[], recording("formats/pprof/go-cpu.pb.gz"));
    assert_eq!(value(&lines, "rate"), Some("100 Hz"), "{lines:?}");
    assert!(value(&lines, "seconds").is_some_and(|it| it.ends_with(" s")), "{lines:?}");
}
