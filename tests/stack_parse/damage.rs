//! Text that is damaged, shuffled, or read by several threads.

use proptest::prelude::*;

use crate::util::{TempFile, few_cases, filter, output, recording, weight};

#[test]
fn any_number_of_threads_gives_the_same() {
    // Several blocks with several events and forms, and with lines that are not understood.
    let mut script = Vec::new();
    for round in 0..6 {
        for name in [
            "formats/perf-script/fresh-default",
            "formats/perf-script/fresh-cs",
            "formats/perf-script/fresh-srcline",
        ] {
            script.extend(recording(&format!("{name}.gz")));
            script.extend(format!("odd line {round} of {name}\n\n").bytes());
        }
    }
    let args = |threads| ["--stats", "--threads", threads];
    for more in [&[][..], &["--by-event"], &["--from", "0.1", "--to", "0.3"], &["--annotate"]] {
        let one = output("stack-parse", &[&args("1"), more].concat(), &script);
        assert!(weight(&one.stdout) > 100);
        for threads in ["2", "5"] {
            let many = output("stack-parse", &[&args(threads), more].concat(), &script);
            assert_eq!(one, many, "{threads} threads {more:?}");
        }
    }
}

/// Lines of real recordings, several blocks long, even where a file is mapped.
fn long_script() -> String {
    let names = [
        "formats/perf-script/shape-several",
        "formats/perf-script/shape-side-records",
        "formats/perf-script/shape-syscalls",
        "formats/perf-script/fresh-cs",
    ];
    let scripts = names.map(|name| recording(&format!("{name}.gz")));
    let script = String::from_utf8(scripts.concat().repeat(40)).expect("UTF-8");
    assert!(script.len() > 5 * 1024 * 1024, "{}", script.len());
    script
}

#[test]
fn it_does_not_matter_where_blocks_end() {
    let script = long_script();
    let crlf = script.replace('\n', "\r\n");
    let run = |threads: &str, file: &str, text: &str| {
        let args = ["-f", "perf-script", "--by-event", "--weight", "period", "--threads", threads];
        output("stack-parse", &[&args, &[file][..]].concat(), text)
    };
    let expected = run("1", "-", &script).stdout;
    assert!(weight(&expected) > 1000);
    for text in [&script, &crlf] {
        for length in [0, 1, 2, 17, 1000, 65_537, 200_001] {
            let shifted = format!("# {}\n{text}", "x".repeat(length));
            let file = TempFile::new(&shifted);
            for threads in ["1", "2", "5"] {
                let piped = run(threads, "-", &shifted);
                assert!(piped.stdout == expected, "{length} {threads}");
                assert_eq!(piped.stderr, run("1", "-", &shifted).stderr, "{length} {threads}");
                assert!(piped == run(threads, file.path(), ""), "{length} {threads} FILE");
            }
        }
    }
}

#[test]
fn what_has_no_blank_lines_is_read_in_order_between_what_has() {
    let chains = "d 1 2.5: 1 c: \n\t10 f+0x1 (/d)\n\n".repeat(60_000);
    // More than is held back for a blank line; the odd line needs the line before it.
    let lines = "d 1 2.5: 1 c:  55d0c1a0f2a4 g+0x1 (/d)\n".repeat(60_000) + "  d.c:14 (inlined)\n";
    let script = format!("{chains}{lines}\n{chains}odd line\n\n{lines}").repeat(2);
    let file = TempFile::new(&script);
    let run = |threads, more: &[&str], text: &str| {
        let args = ["-f", "perf-script", "--threads", threads];
        output("stack-parse", &[&args[..], more].concat(), text)
    };
    let one = run("1", &["--annotate"], &script);
    assert_eq!(one.stdout, b"d;f_[o] 240000\nd;g_[o] 239996\nd;g_[o]_[i] 4\n");
    for threads in ["2", "3"] {
        assert_eq!(run(threads, &["--annotate"], &script), one, "{threads} threads");
        let mapped = run(threads, &["--annotate", file.path()], "");
        assert_eq!(mapped.stdout, one.stdout, "{threads} threads");
    }
}

#[test]
fn the_lines_after_a_sample_that_is_left_out_are_not_lost() {
    let sample = |time, event, name| {
        format!("d 17 {time}: 1 {event}: \n\t            2534 {name}+0x24 (/d)\n")
    };
    let wanted = sample("2.5", "A", "wanted");
    for left_out in [sample("1.5", "B", "b"), sample("9.5", "A", "a")] {
        // There is no blank line between the two.
        let script = format!("{}\n{left_out}{wanted}\n", sample("0.5", "A", "first"));
        for script in [script.replace('\n', "\r\n"), script] {
            let folded = output("stack-parse", &["--to", "5"], &script).stdout;
            assert_eq!(folded, b"d;first 1\nd;wanted 1\n", "{script}");
        }
        let script = format!("{}\n{left_out}garbage here\n\n", sample("0.5", "A", "first"));
        let output = output("stack-parse", &["--to", "5", "--strict"], &script);
        assert_eq!(output.status.code(), Some(2), "{script}");
        let named = "stack-parse: <stdin>:6: expected a sample or a frame of perf script\n";
        assert!(String::from_utf8_lossy(&output.stderr).contains(named), "{script}");
    }
}

#[test]
fn a_line_that_ends_like_the_one_above_is_read_whole() {
    let sample = |root: &str| format!("d 17 0.5: 1 A: \n\t            2534 leaf (/d)\n{root}\n\n");
    // Chains are compared in pieces, so the line may start at the start of a piece or within one.
    for length in 1..=64 {
        let root = format!("\t            2734 {} (/d)", "f".repeat(length));
        let longer = format!("\t            2734 odd (/a)X{root}");
        let alone = output("stack-parse", &[], sample(&longer)).stdout;
        let both = output("stack-parse", &[], sample(&root) + &sample(&longer)).stdout;
        let first = format!("d;{};leaf 1\n", "f".repeat(length));
        assert_eq!(String::from_utf8_lossy(&both), first + &String::from_utf8_lossy(&alone));
    }
}

/// A sample as perf prints it, and the folded line expected for it.
fn sample() -> impl Strategy<Value = (String, String)> {
    let comm = "[a-zA-Z0-9/:\\[\\]_-]{1,6}( [a-z0-9:]{1,4})?";
    let symbol =
        "[a-zA-Z_][a-zA-Z0-9_:<>~]{0,8}( [a-z]{1,3}>)?|\\(anonymous namespace\\)::[a-z]{1,3}";
    let dso = "(/[a-z.]{1,5}){1,2}( [a-z]{1,3})?( \\(deleted\\))?|\\[kernel.kallsyms\\]";
    let frames = prop::collection::vec((symbol, dso, 0u32..0xfff), 0..5);
    (comm, 0u32..99999, frames).prop_map(|(comm, tid, frames)| {
        let mut script = format!("{comm} {tid} [001]  12.000345:          1 cpu-clock:u: \n");
        for (symbol, dso, offset) in &frames {
            script += &format!("\t{offset:16x} {symbol}+0x{offset:x} ({dso})\n");
        }
        let names = frames.iter().rev().map(|(symbol, ..)| symbol.as_str());
        let folded = std::iter::once(comm.as_str()).chain(names).collect::<Vec<_>>().join(";");
        (script + "\n", folded + " 1\n")
    })
}

/// A change to the lines of a recording.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    /// Removes a line.
    Drop(usize),
    /// Repeats a line.
    Double(usize),
    /// Swaps two lines.
    Swap(usize, usize),
    /// Replaces a line by one that is neither header nor frame.
    Break(usize),
    /// Inserts an empty line.
    Blank(usize),
}

pub(crate) fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let line = 1usize..400;
    let damage = prop_oneof![
        line.clone().prop_map(Damage::Drop),
        line.clone().prop_map(Damage::Double),
        (line.clone(), line.clone()).prop_map(|(a, b)| Damage::Swap(a, b)),
        line.clone().prop_map(Damage::Break),
        line.prop_map(Damage::Blank),
    ];
    prop::collection::vec(damage, 0..40)
}

/// The first 400 lines of a recording, damaged. The first line stays, since it shows the form of
/// all others.
pub(crate) fn damaged(script: &[u8], damages: &[Damage]) -> Vec<String> {
    let script = std::str::from_utf8(script).expect("UTF-8");
    let mut lines: Vec<String> = script.lines().take(400).map(str::to_owned).collect();
    for damage in damages {
        let last = lines.len() - 1;
        match *damage {
            Damage::Drop(at) => drop(lines.remove(at.min(last))),
            Damage::Double(at) => lines.insert(at.min(last), lines[at.min(last)].clone()),
            Damage::Swap(a, b) => lines.swap(a.min(last), b.min(last)),
            Damage::Break(at) => lines[at.min(last)] = "?".to_owned(),
            Damage::Blank(at) => lines.insert(at.min(last), String::new()),
        }
    }
    lines
}

/// How many samples there are, and how many lines belong to none: broken ones, and frames after the
/// empty line that ended a sample.
fn samples_and_lost_lines(lines: &[String]) -> (u128, usize) {
    let (mut samples, mut lost) = (0, 0);
    // The frames of the current sample, if there is one.
    let mut frames = None;
    for line in lines {
        match (line.as_str(), &mut frames) {
            ("", Some(0)) => {}
            ("", _) => frames = None,
            (line, Some(count)) if line.starts_with('\t') => *count += 1,
            (line, None) if line.starts_with('\t') => lost += 1,
            ("?", _) => lost += 1,
            _ => {
                samples += 1;
                frames = Some(0);
            }
        }
    }
    (samples, lost)
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn every_line_of_a_damaged_recording_is_taken_or_reported(damages in damages()) {
        let lines = damaged(&recording("formats/perf-script/shape-several.gz"), &damages);
        let (samples, lost) = samples_and_lost_lines(&lines);
        for end in ["\n", "\r\n"] {
            for threads in ["1", "2"] {
                let args = ["--by-event", "--weight", "samples", "--stats", "--threads", threads];
                let output = output("stack-parse", &args, lines.join(end));
                prop_assert_eq!(weight(&output.stdout), samples);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let reported = format!("malformed {lost} lines");
                prop_assert!(said.contains(&reported), "{} is not in {}", reported, said);
            }
        }
    }

    #[test]
    fn whatever_goes_in_comes_out_or_is_accounted_for(
        damages in damages(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..60),
        args in prop::sample::select(vec![
            &["--stats"][..],
            &["--stats", "--weight", "period", "--event", "page*"],
            &["--stats", "--by-event", "--from", "0.1", "--to", "0.3"],
            &["--stats", "--per-sample", "--event", "*"],
        ]),
    ) {
        let mut text = damaged(&recording("formats/perf-script/shape-several.gz"), &damages).join("\n").into_bytes();
        for (at, byte) in noise {
            let at = at.index(text.len());
            text[at] = byte;
        }
        let output = output("stack-parse", &[&["-f", "perf-script"], args].concat(), &text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let stats = said.rsplit("stats: ").next().unwrap_or_default();
        let weights: Vec<u128> = stats
            .split(" weight ")
            .skip(1)
            .filter_map(|rest| rest.split([',', '\n']).next()?.parse().ok())
            .collect();
        // In, out, changed, dropped.
        prop_assert_eq!(weights.len(), 4, "{}", said);
        prop_assert_eq!(weights[0], weights[1] + weights[3], "{}", said);
        prop_assert_eq!(weights[1], weight(&output.stdout));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..few_cases() })]

    #[test]
    fn any_bytes_fold_alike_with_any_number_of_threads(
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..200),
    ) {
        let mut text = long_script().into_bytes();
        for (at, byte) in noise {
            let at = at.index(text.len());
            text[at] = byte;
        }
        let file = TempFile::new(&text);
        let run = |threads, file, text: &[u8]| {
            output("stack-parse", &["--stats", "--by-event", "--threads", threads, file], text)
        };
        let one = run("1", "-", &text);
        for threads in ["2", "3"] {
            let many = run(threads, "-", &text);
            let said = String::from_utf8_lossy(&many.stderr);
            prop_assert!(one == many, "{}: {}", threads, said);
            prop_assert!(one.stdout == run(threads, file.path(), b"").stdout);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_printed_by_perf_are_read_back(samples in prop::collection::vec(sample(), 1..20)) {
        let (script, folded): (Vec<_>, Vec<_>) = samples.into_iter().unzip();
        let args = ["--per-sample", "-f", "perf-script"];
        prop_assert_eq!(filter("stack-parse", &args, script.concat()), folded.concat());
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), format in 0usize..3) {
        let args = [&["-f", "perf-script"][..], &["-f", "folded"], &[]][format];
        let code = output("stack-parse", args, &bytes).status.code();
        prop_assert!(matches!(code, Some(0..=2)), "{:?}", code);
    }

    #[test]
    fn text_like_perf_script_never_panics(
        lines in prop::collection::vec("[\t #]{0,2}[a-f0-9:.()\\[\\]/ +x-]{0,20}[:)]? ?\r?", 0..12)
    ) {
        let code = output("stack-parse", &["-f", "perf-script"], lines.join("\n")).status.code();
        prop_assert!(matches!(code, Some(0..=2)), "{:?}", code);
    }
}
