//! Memory in use at a moment, and for how long: `--live`, and the labels `since` and `lifetime`.
//! The figures were computed without our code: for memtrace from the output of its own reader, for
//! heaptrack by a script that adds up the lines `+`, `-` and `c`.

use std::fmt::Write;
use std::fs;

use proptest::prelude::*;

use crate::util::{few_cases, filter, output, recording, stderr, third_party, weight};

const ALLOC: &str = "formats/memtrace/alloc.ctf.gz";
const LEAKY: &str = "formats/heaptrack/leaky.txt.gz";
const LEAKY_RAW: &str = "formats/heaptrack/leaky-raw.txt.gz";

/// The weight of the output.
fn total(args: &[&str], input: impl AsRef<[u8]>) -> u128 {
    weight(&output("stack-parse", args, input).stdout)
}

/// A line of `--labels since,lifetime`: when memory was allocated, for how long it was in use, in
/// seconds, and its weight.
struct Lived {
    since: f64,
    lifetime: f64,
    weight: u128,
}

fn lived(args: &[&str], input: impl AsRef<[u8]>) -> Vec<Lived> {
    let args = [&["--labels", "since,lifetime"], args].concat();
    let lines = String::from_utf8(output("stack-parse", &args, input).stdout).expect("UTF-8");
    let line = |line: &str| {
        let value = |key: &str| {
            let field = line.split('\t').find_map(|field| field.strip_prefix(key));
            field.expect("both labels").parse().expect("seconds or inf")
        };
        let (since, lifetime) = (value("since="), value("lifetime="));
        Lived { since, lifetime, weight: weight(line.as_bytes()) }
    };
    lines.lines().map(line).collect()
}

/// The weight allocated by then, and freed later or never.
fn in_use(all: &[Lived], seconds: f64) -> u128 {
    // No clock here resolves less than a nanosecond.
    let is = |it: &&Lived| it.since <= seconds + 5e-10 && it.since + it.lifetime > seconds + 5e-10;
    all.iter().filter(is).map(|it| it.weight).sum()
}

fn with_lifetimes(all: &[Lived], range: std::ops::Range<f64>) -> u128 {
    all.iter().filter(|it| range.contains(&it.lifetime)).map(|it| it.weight).sum()
}

#[test]
fn what_is_in_use_is_what_memtraces_own_reader_says() {
    check_memtrace(
        &recording(ALLOC),
        &[("0.035027", 11), ("0.070055", 34), ("0.105083", 61), ("peak", 81), ("end", 62)],
        (10_000, "0.105451"),
        [2059, 165, 0, 62],
    );
    let Some(folder) = third_party("memtrace") else { return };
    let trace = |name: &str| fs::read(folder.join(name)).expect("a trace");
    check_memtrace(
        &trace("memthol-lists_and_sets.v1.ctf"),
        &[("0.003223", 48), ("0.006446", 112), ("0.009669", 333), ("peak", 373), ("end", 1)],
        (1_000, "0.011138"),
        [320, 437, 0, 1],
    );
    check_memtrace(
        &trace("memtrace-test-ocamlopt.v3.ctf"),
        &[("0.212948", 50), ("0.425897", 89), ("0.638846", 87), ("peak", 118), ("end", 110)],
        (50_000, "0.778104"),
        [739, 738, 89, 110],
    );
}

/// `words` are those of a sample; lifetimes are below a millisecond, below a tenth of a second,
/// longer, and endless.
fn check_memtrace(
    trace: &[u8],
    moments: &[(&str, u128)],
    (words, peak_at): (u128, &str),
    lifetimes: [u128; 4],
) {
    let list = filter("stack-parse", &["--list-events"], trace);
    let peak = moments.iter().find(|(moment, _)| *moment == "peak").expect("a peak").1;
    for (measure, one) in [("samples", 1), ("words", words), ("bytes", 8 * words)] {
        for (moment, samples) in moments {
            let args = ["--event", measure, &format!("--live={moment}")];
            assert_eq!(total(&args, trace), samples * one, "{args:?}");
        }
        let listed = format!("\tpeak {} at {peak_at}\n", peak * one);
        assert!(list.contains(&listed), "{measure}: {list}");
        let all = lived(&["--event", measure], trace);
        let ranges = [0.0..0.001, 0.001..0.1, 0.1..f64::INFINITY];
        let mut found: Vec<u128> =
            ranges.into_iter().map(|range| with_lifetimes(&all, range)).collect();
        found.push(all.iter().filter(|it| it.lifetime.is_infinite()).map(|it| it.weight).sum());
        assert_eq!(found, lifetimes.map(|samples| samples * one), "{measure}");
    }
    assert_eq!(total(&["--live"], trace), moments.last().expect("the end").1);
}

#[test]
fn what_is_in_use_is_what_the_lines_of_heaptrack_add_up_to() {
    for (file, moments, peak_at) in [
        (LEAKY, [("0.088", 481_219), ("0.177", 578_344), ("0.266", 567_194)], "0.174"),
        (LEAKY_RAW, [("0.088", 500_644), ("0.176", 578_344), ("0.264", 567_194)], "0.172"),
    ] {
        let file = recording(file);
        for (moment, bytes) in moments {
            assert_eq!(total(&[&format!("--live={moment}")], &file), bytes, "{moment}");
        }
        for (args, sum) in [
            (&[][..], 2_983),
            (&["--event", "allocated"], 1_510_190),
            (&["--event", "leaked"], 198_346),
            (&["--event", "peak"], 597_769),
            (&["--live=peak"], 597_769),
            (&["--live"], 198_346),
            (&["--live=end", "--event", "allocations"], 251),
            (&["--live=0"], 0),
        ] {
            assert_eq!(total(args, &file), sum, "{args:?}");
        }
        let list = String::from_utf8(output("stack-parse", &["--list-events"], &file).stdout);
        let list = list.expect("UTF-8");
        let peak = format!("\t597769\tpeak 597769 at {peak_at}\n");
        assert!(list.contains(&peak), "{list}");
    }
    // At the peak each stack has the weight that heaptrack_print shows.
    let [live, peak] = ["--live=peak", "--event=peak"]
        .map(|arg| output("stack-parse", &[arg], recording(LEAKY)).stdout);
    assert_eq!(String::from_utf8_lossy(&live), String::from_utf8_lossy(&peak));
}

#[test]
fn lifetimes_are_those_of_raw_recordings() {
    let raw = recording(LEAKY_RAW);
    let figures = [[2_200, 500, 32, 251], [438_900, 500_000, 372_944, 198_346]];
    for (measure, figures) in ["allocations", "allocated"].into_iter().zip(figures) {
        let all = lived(&["--event", measure], &raw);
        let endless = all.iter().filter(|it| it.lifetime.is_infinite()).map(|it| it.weight).sum();
        let ranges = [0.0..0.001, 0.001..0.1, 0.1..f64::INFINITY];
        let [short, medium, long] = ranges.map(|range| with_lifetimes(&all, range));
        assert_eq!([short, medium, long, endless], figures, "{measure}");
    }
    let labelled = output("stack-parse", &["--labels", "lifetime"], recording(LEAKY));
    assert_eq!(weight(&labelled.stdout), 2_983);
    let said = "lifetimes are in raw recordings only: 'heaptrack --raw' makes one\n";
    assert!(stderr(&labelled).contains(said), "{}", stderr(&labelled));
    // Without a request by name, no sample waits for its lifetime.
    let rows = output("stack-parse", &["--per-sample", "--labels", "all"], &raw);
    assert!(!String::from_utf8_lossy(&rows.stdout).contains("lifetime"));
    assert_eq!(weight(&rows.stdout), 2_983);
}

#[test]
fn lifetimes_choose_with_other_tools() {
    let labelled = filter("stack-parse", &["--labels", "lifetime"], recording(ALLOC));
    let longer = filter("stack-grep", &["--label", "lifetime>=0.001"], &labelled);
    assert_eq!(weight(longer.as_bytes()), 165 + 62);
    let args = ["--root", "label:lifetime", "--live"];
    let root = output("stack-parse", &args, recording(ALLOC)).stdout;
    let root = String::from_utf8(root).expect("UTF-8");
    assert!(root.lines().all(|line| line.starts_with("inf;")), "{root}");
    assert_eq!(weight(root.as_bytes()), 62);
}

#[test]
fn what_is_left_out_is_accounted_for() {
    for (file, live, all, left_out) in
        [(ALLOC, 81, 2_286, "2205"), (LEAKY, 597_769, 1_510_190, "891.0 KiB")]
    {
        let output = output("stack-parse", &["--live=peak", "--stats"], recording(file));
        let said = stderr(&output);
        assert_eq!(weight(&output.stdout), live, "{file}");
        let left_out = format!("(weight {left_out}) are of objects that --live");
        assert!(said.contains(&left_out), "{said}");
        let accounts = said.lines().find(|line| line.contains("dropped")).expect("--stats");
        assert!(accounts.contains(&format!("weight {all}")), "{accounts}");
        assert!(accounts.contains(&format!("weight {}", all - live)), "{accounts}");
    }
}

#[test]
fn a_slice_is_of_allocations() {
    let trace = recording(ALLOC);
    let all = lived(&[], &trace);
    let sum =
        |is: &dyn Fn(&&Lived) -> bool| all.iter().filter(is).map(|it| it.weight).sum::<u128>();
    let late = sum(&|it| it.since >= 0.05 && it.lifetime.is_infinite());
    assert_eq!(total(&["--from", "0.05", "--live"], &trace), late);
    let early = sum(&|it| it.since < 0.05 && it.lifetime.is_infinite());
    assert_eq!(total(&["--to", "0.05", "--live=end"], &trace), early);
    assert!(early > 0 && late > 0 && early + late == 62);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let trace = recording(ALLOC);
    let heap = recording("formats/massif/heap.out.gz");
    let no_time = "are not milliseconds: only --live=peak is possible";
    for (args, input, said) in [
        (
            &["--live", "--to", "2.50"][..],
            &trace,
            "--live with --to 2.5: --live=2.5 takes what was in use then, --live=end --to 2.5 what \
             was allocated before and in use at the end\n",
        ),
        (&["--live=soon"], &trace, "expected seconds such as 10 or 2.5, peak or end"),
        (&["--live=-1"], &trace, "expected seconds such as 10 or 2.5, peak or end"),
        (&["--live="], &trace, "expected seconds such as 10 or 2.5, peak or end"),
        (&["--live=peak", "--per-sample"], &trace, "cannot be used with '--per-sample'"),
        (&["--live=peak", "--table"], &trace, "cannot be used with '--table'"),
        (&["--live=peak", "--off-cpu"], &trace, "cannot be used with '--off-cpu"),
        (&["--labels", "lifetime", "--per-sample"], &trace, "do not wait for that\n"),
        (&["--labels", "lifetime", "--every", "1"], &trace, "do not wait for that\n"),
        (&["--root", "label:lifetime", "--table"], &trace, "do not wait for that\n"),
        (&["--live=end", "--to", "1"], &recording(LEAKY), "needs a raw recording of heaptrack"),
        (&["--live"], &heap, no_time),
        (&["--live=0.001"], &heap, no_time),
        (&["--major"], &heap, "--major and --promoted need a recording of memtrace: <stdin> is"),
        (
            &["--live=peak"],
            &b"main;f 12\n".to_vec(),
            "--live needs a recording of memtrace, massif or heaptrack: <stdin> is folded\n",
        ),
    ] {
        let output = output("stack-parse", args, input);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
        assert_eq!(output.stdout, b"", "{args:?}");
    }
    let report = "desc: xtree.1\ncmd: ./a\ntime_unit: i\n#-\nsnapshot=0\n#-\ntime=0\n\
                  mem_heap_B=1\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\nn0: 1 f\n";
    let output = output("stack-parse", &["--live=peak"], report);
    let said = "--live needs snapshots of massif: <stdin> is a report of --xtree-memory";
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
}

#[test]
fn massif_says_what_was_in_use_at_its_snapshots() {
    // 1,000 bytes at 12 ms and 900 at 20; neither is marked as the peak.
    let file = recording("formats/massif/no-peak.out");
    for (live, bytes, said) in [
        ("--live=0.012", 1_000, "snapshot 1 of 4 is taken, the last with a tree until then\n"),
        ("--live=0.0199", 1_000, "snapshot 1 of 4 is taken, the last with a tree until then\n"),
        ("--live=0.02", 900, "snapshot 2 of 4 is taken, the last with a tree until then\n"),
        ("--live=7", 900, "snapshot 2 of 4 is taken, the last with a tree until then\n"),
        ("--live", 900, "snapshot 2 of 4 is taken, the last with a tree\n"),
        ("--live=peak", 1_000, "snapshot 1 of 4 is taken, the largest with a tree, as none is"),
        ("--live=0.0119", 0, "no snapshot until then has a tree\n"),
    ] {
        let output = output("stack-parse", &[live, "--event", "heap"], &file);
        assert_eq!(weight(&output.stdout), bytes, "{live}");
        assert!(stderr(&output).contains(said), "{live}: {}", stderr(&output));
    }
    let list = |file: &str| output("stack-parse", &["--list-events"], recording(file)).stdout;
    let listed = String::from_utf8(list("formats/massif/no-peak.out")).expect("UTF-8");
    assert!(listed.contains("heap\tbytes\t2\t900\tpeak 1000 at 0.012\n"), "{listed}");
    // For instructions only the peak is known; the snapshot marked as peak counts.
    let heap = recording("formats/massif/heap.out.gz");
    assert_eq!(total(&["--live=peak", "--event", "heap"], &heap), 113_329);
    let listed = String::from_utf8(list("formats/massif/heap.out.gz")).expect("UTF-8");
    assert!(listed.contains("\tpeak 113329 at 1918369 i\n"), "{listed}");
}

/// An event in a program.
#[derive(Clone, Debug)]
enum Event {
    Allocate { size: u64, address: u64 },
    Free { address: u64 },
    Stamp { after: u64 },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        4 => (1u64..500, 0u64..20).prop_map(|(size, address)| Event::Allocate { size, address }),
        3 => (0u64..20).prop_map(|address| Event::Free { address }),
        2 => (0u64..12).prop_map(|after| Event::Stamp { after }),
    ];
    prop::collection::vec(event, 0..120)
}

/// The same events as a raw recording, without impossible ones such as a second free of an address;
/// and the memory in use at each time stamp, in milliseconds, at the peak and at the end.
fn recorded(events: &[Event]) -> (String, Vec<(u64, u64)>, u64, u64) {
    let mut text = "v 10400 3\nx 5 ./a.o\nX ./a.o\nm 1 -\nt 401001 0\nt 401009 1\n".to_owned();
    let mut used = std::collections::BTreeMap::new();
    let (mut now, mut stamps, mut peak) = (0, vec![(0, 0)], 0);
    for event in events {
        match event {
            Event::Allocate { size, address } if !used.contains_key(address) => {
                used.insert(*address, *size);
                let trace = 1 + address % 2;
                writeln!(text, "+ {size:x} {trace:x} {:x}", 0x1000 + address).expect("text");
            }
            Event::Free { address } if used.remove(address).is_some() => {
                writeln!(text, "- {:x}", 0x1000 + address).expect("text");
            }
            Event::Stamp { after } => {
                now += after;
                writeln!(text, "c {now:x}").expect("text");
                stamps.push((now, used.values().sum()));
            }
            _ => {}
        }
        peak = peak.max(used.values().sum());
    }
    (text, stamps, peak, used.values().sum())
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn heaptrack_agrees_with_a_simple_model(events in events(), at in 0u64..400) {
        let (text, stamps, peak, end) = recorded(&events);
        let then = stamps.iter().rfind(|(stamp, _)| *stamp <= at).expect("the start").1;
        let live = format!("--live=0.{at:03}");
        let found = [&live[..], "--live=peak", "--live=end"].map(|live| total(&[live], &text));
        prop_assert_eq!(found, [then, peak, end].map(u128::from), "{}", text);
    }

    #[test]
    fn what_is_in_use_follows_from_the_labels(microseconds in 0u32..140_000) {
        let trace = recording(ALLOC);
        let seconds = f64::from(microseconds) / 1e6;
        let expected = in_use(&lived(&[], &trace), seconds);
        prop_assert_eq!(total(&[&format!("--live={seconds}")], &trace), expected, "{}", seconds);
    }

    #[test]
    fn no_bytes_panic(lines in prop::collection::vec("[-+tcmxsiaX] [0-9a-f]{1,4}( [0-9a-f]{1,17}){0,4}", 0..40)) {
        for start in ["v 10400 3\nx 1 a\n", "v 10400 3\ns 1 a\n", "v 10000\ns a\n"] {
            for args in [&["--live=0.01"][..], &["--live=peak"], &["--labels", "lifetime"]] {
                let input = format!("{start}{}\n", lines.join("\n"));
                let code = output("stack-parse", args, &input).status.code();
                prop_assert!(matches!(code, Some(0..=2)), "{:?}: {}", code, input);
            }
        }
    }
}
