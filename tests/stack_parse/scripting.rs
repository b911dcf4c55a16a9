//! Profiles of Ruby, PHP and Haskell, beyond their golden files.

use std::fs;

use inferno::collapse::Collapse;
use inferno::collapse::ghcprof::{Folder, Options, Source};

use crate::util::{filter, output, recording, third_party, weight};

fn stderr(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_ruby_dumped_is_read_as_its_json() {
    let dump = recording("formats/stackprof/wall.dump");
    let json = recording("formats/stackprof/wall.json");
    for args in [&[][..], &["--event", "samples"], &["--srcline"], &["--table"], &["--per-sample"]]
    {
        let [dump, json] = [&dump, &json].map(|it| output("stack-parse", args, it));
        assert_eq!((dump.stdout, dump.stderr), (json.stdout, json.stderr), "{args:?}");
    }
    let twice = [&dump[..], &dump].concat();
    assert_eq!(weight(&output("stack-parse", &[], twice).stdout), 2 * 213_524);
}

#[test]
fn samples_of_stackprof_have_times_and_lines() {
    let profile = recording("formats/stackprof/lines.json");
    let rows = filter("stack-parse", &["--per-sample", "--event", "samples"], &profile);
    let leaves: Vec<&str> = rows.lines().map(|row| row.rsplit(';').next().unwrap_or(row)).collect();
    // Samples without a time come first; garbage collections are recorded late.
    let expected = [
        "Object#a:b 1",
        "Object#a:b 1",
        "Object#a:b 1",
        "Kernel#sleep 1",
        "(garbage collection) 1",
        "(marking) 1",
        "(sweeping) 1",
        "[unknown] 1",
        "[no stack] 1",
    ];
    assert_eq!(leaves, expected);
    let late = output("stack-parse", &["--from", "0.0035", "--event", "samples"], &profile);
    assert_eq!(weight(&late.stdout), 4, "{}", stderr(&late.stderr));
    let lines = filter("stack-parse", &["--srcline"], &profile);
    assert!(lines.contains("<main> (/srv/a b.rb:21);Object#a:b (/srv/a b.rb:7) 1002\n"), "{lines}");
}

#[test]
fn a_damaged_dump_of_ruby_says_where() {
    let dump = recording("formats/stackprof/wall.dump");
    // Another value for the key `metadata`.
    let key = dump.windows(8).position(|word| word == b"metadata").expect("a key");
    let nested = [&dump[..key + 8], &b"[\x06".repeat(200_000)].concat();
    let link = [&dump[..key + 8], b"@\x02\xff\xff"].concat();
    for (damaged, what) in [
        (&dump[..dump.len() - 1], "expected more bytes"),
        (&nested, "expected no more lists in lists"),
        (&link, "expected the number of an object"),
        (&[&dump[..], &b"\x04\x09"[..]].concat(), "expected a dump of Ruby's, version 4.8"),
    ] {
        let output = output("stack-parse", &["--format", "stackprof"], damaged);
        assert_eq!(output.status.code(), Some(2), "{what}");
        let said = stderr(&output.stderr);
        assert!(said.contains("<stdin>: byte ") && said.contains(what), "{what}: {said}");
    }
}

#[test]
fn samples_of_rbspy_have_times() {
    let raw = recording("formats/rbspy/demo.raw.gz");
    let table = filter("stack-parse", &["--table"], &raw);
    let row = table.lines().nth(1).expect("a row");
    assert!(row.starts_with("1795348314.599187205\t0.000000000\t\t13331\t1397"), "{row}");
    assert_eq!(table.lines().count(), 274);
    let half = output("stack-parse", &["--from", "1"], &raw).stdout;
    assert!((1..273).contains(&weight(&half)), "{}", stderr(&half));
    // 273 samples of 100 Hz.
    let time = output("stack-parse", &["--event", "time"], &raw).stdout;
    assert_eq!(weight(&time), 2_730_000_000);
    let no_rate = output("stack-parse", &["--event", "time"], recording("formats/rbspy/v1.raw"));
    assert_eq!(weight(&no_rate.stdout), 0, "{}", stderr(&no_rate.stderr));
    let next = output("stack-parse", &[], "rbspy03\n{}\n");
    assert_eq!(next.status.code(), Some(2));
    assert!(stderr(&next.stderr).contains("version 00, 01 or 02"), "{}", stderr(&next.stderr));
}

#[test]
fn a_trace_of_xdebug_may_lack_its_start_and_its_end() {
    let trace = "TRACE START [2026-11-22]\n5\t9\t1\t0.5\t10\n4\t10\t0\t0.6\t10\tf\t1\t\t/a.php\t3\t0\n\
                 5\t11\t0\t0.7\t10\tg\t0\t\t/a.php\t4\t0\n3\t2\t1\t0.9\t10\n2\t12\t0\t1.0\t10\th\t1\t\t/a.php\t5\t0\n";
    assert_eq!(filter("stack-parse", &[], trace), "f 100000000\nf;g 200000000\n");
    // The trace ends with a call.
    let each = filter("stack-parse", &["--per-sample"], trace);
    assert_eq!(each, "f 100000000\nf;g 200000000\nh 0\n");
    let calls = filter("stack-parse", &["--event", "calls"], trace);
    assert_eq!(calls, "f 1\nf;g 1\nh 1\n");
    let odd = output("stack-parse", &["--strict"], format!("{trace}x\ty\n"));
    assert_eq!(odd.status.code(), Some(2));
    assert!(stderr(&odd.stderr).contains(":7: expected a call or a return of Xdebug"));
}

#[test]
fn xdebug_of_version_2_says_how_memory_changed() {
    let trace = "TRACE START [2010-01-01 00:00:00]\n\
    \x20   0.1000     394712  +394712   -> {main}() /a.php:0\n\
    \x20   0.2000     394800      +88     -> f('x') /a.php:3\n\
    \x20   0.4000     394700     -100       -> g() /a.php:4\n\
    \x20   0.5000     394700                >=> NULL\n\
    \x20   0.8000     394700              >=> 1\n\
    \x20   0.9000     394700\nTRACE END   [2010-01-01 00:00:00]\n";
    let folded = "{main} 200000000\n{main};f 500000000\n{main};f;g 100000000\n";
    assert_eq!(filter("stack-parse", &[], trace), folded);
    assert_eq!(filter("stack-parse", &["--event", "memory"], trace), "{main} 88\n");
}

#[test]
fn inferno_finds_the_same_cost_centres() {
    for (event, source) in [("ticks", Source::Ticks), ("bytes", Source::Bytes)] {
        let mut options = Options::default();
        options.source = source;
        let profile = recording("formats/ghc-prof/exact.prof");
        let mut folded = Vec::new();
        Folder::from(options).collapse(&profile[..], &mut folded).expect("inferno reads it");
        let theirs = filter("stack-parse", &[], folded);
        let ours = filter("stack-parse", &["--event", event], profile);
        // Inferno has stacks without weight, another name for the root, and `;` in names.
        let theirs = theirs.replace("MAIN.MAIN", "MAIN").replace("slow;one", "slow:one");
        let theirs: Vec<&str> = theirs.lines().filter(|line| !line.ends_with(" 0")).collect();
        assert_eq!(ours.lines().collect::<Vec<_>>(), theirs, "{event}");
    }
}

#[test]
fn cost_centres_may_be_as_deep_as_they_like() {
    let node = r#"{"id": 1, "entries": 1, "alloc": 0, "ticks": 0, "children": ["#;
    let profile = format!(
        r#"{{"rts_arguments": ["-pj"], "cost_centres": [{{"id": 1, "label": "f", "module": "M"}}],
           "profile": {}{{"id": 1, "ticks": 7, "children": []}}{}}}"#,
        node.repeat(200_000),
        "]}".repeat(200_000)
    );
    let output = output("stack-parse", &["--stats"], profile);
    assert!(stderr(&output.stderr).contains("in 200001 lines weight 7,"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn profiles_of_other_people_are_read() {
    for (folder, file, args, total) in [
        ("stackprof", "speedscope-object-stackprof.json", &[][..], 103),
        ("ghcprof", "inferno-ticks.prof", &[], 23),
        ("ghcprof", "inferno-ticks.prof", &["--event", "bytes"], 59_542_424),
        ("ghcprof", "inferno-percent.prof", &[], 20),
        ("ghcprof", "speedscope-simple.prof.json", &[], 798),
        // All but 2,496 bytes of PROFILING.OVERHEAD_of.
        ("ghcprof", "speedscope-simple.prof.json", &["--event", "bytes"], 1_921_670_168),
    ] {
        let Some(folder) = third_party(folder) else { return };
        let profile = fs::read(folder.join(file)).expect("a file of the shared data");
        let folded = output("stack-parse", args, profile);
        assert_eq!(weight(&folded.stdout), total, "{file}: {}", stderr(&folded.stderr));
    }
}
