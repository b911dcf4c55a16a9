//! Output: the lines, the sums of --stats, the messages, and when they appear.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::running::{Running, assert_silent_success, lines_of, next, start};
use crate::util::{
    FILTERS, binary, feed, filter_bytes, folded_tools, folded_writers, passed_on, scratch, weight,
    with_minimal,
};

/// Names of all kinds, and a stack that occurs twice.
const PROFILE: &[u8] = b"main;operator new(unsigned long) 7\n\
    main;Lib.f'_12;camlMain__fun_34;caf\xe9 \"x\" <y> & z 3\n\
    main;a;b;a;b;a;b 4\n\
    main;[unknown];memcpy@plt 1\n\
    main;operator new(unsigned long) 2\n";

#[test]
fn folded_output_is_folded_input() {
    for name in folded_writers() {
        let out = filter_bytes(name, &with_minimal(name, &[]), PROFILE);
        assert_eq!(weight(&out), weight(PROFILE), "{name} loses weight");
        assert_eq!(filter_bytes("stack-grep", &["."], &out), out, "{name} | stack-grep .");
    }
}

#[test]
fn the_accounts_are_one_line_and_they_balance() {
    for name in folded_tools() {
        let output = feed(name, &["--stats"], PROFILE);
        let stderr = String::from_utf8(output.stderr).expect("UTF-8 messages");
        let stats = stderr.strip_prefix(&format!("{name}: stats: ")).unwrap_or_else(|| {
            panic!("{name}: {stderr}");
        });
        assert_eq!(stats.lines().count(), 1, "{name}: {stderr}");
        let of = |flow: &str| -> u128 {
            let part = stats.trim_end().split(", ").find_map(|part| part.strip_prefix(flow));
            let weight = part.and_then(|part| part.split_once(" weight "));
            weight.and_then(|(_, weight)| weight.parse().ok()).expect(stats)
        };
        assert_eq!(of("in "), weight(PROFILE), "{name}: {stats}");
        assert_eq!(of("in "), of("out ") + of("dropped "), "{name}: {stats}");
        assert!(of("changed ") <= of("in "), "{name}: {stats}");
        let quiet = filter_bytes(name, &with_minimal(name, &[]), PROFILE);
        assert_eq!(output.stdout, quiet, "{name}: --stats changes the output");
    }
}

#[test]
fn a_full_disk_is_an_error() {
    for name in folded_tools() {
        let output = Command::new(binary(name))
            .args(with_minimal(name, &[]))
            .stdin(File::open(scratch("full.folded", PROFILE)).expect("a file"))
            .stdout(File::options().write(true).open("/dev/full").expect("/dev/full"))
            .output()
            .expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, format!("{name}: <stdout>: no space left on device\n"));
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn a_reader_that_went_away_is_not_an_error() {
    for name in folded_tools() {
        let Running { mut child, mut stdin } = start(name, &with_minimal(name, &[]));
        drop(child.stdout.take());
        // This fails if the tool ends before it has read everything.
        let _ = stdin.write_all(&many_stacks());
        drop(stdin);
        assert_silent_success(name, child);
    }
}

#[test]
fn a_reader_that_has_enough_is_not_an_error() {
    for name in FILTERS {
        let Running { mut child, mut stdin } = start(name, &with_minimal(name, &[]));
        let mut first = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let writer = thread::spawn(move || stdin.write_all(&many_stacks()));
        stdout.read_line(&mut first).expect("UTF-8");
        assert_eq!(first.as_bytes(), passed_on(name, "main;f0 1\n"), "{name}");
        drop(stdout);
        let _ = writer.join().expect("no panic");
        assert_silent_success(name, child);
    }
}

#[test]
fn filters_hand_each_line_on_when_asked_to() {
    for name in FILTERS {
        let Running { mut child, mut stdin } =
            start(name, &with_minimal(name, &["--line-buffered"]));
        let lines = lines_of(&mut child);
        for line in ["main;b 1", "main;a 2", "main;b 3"] {
            writeln!(stdin, "{line}").expect("it reads");
            let expected = passed_on(name, line);
            assert_eq!(next(&lines).map(String::into_bytes), Some(expected), "{name}");
        }
        drop(stdin);
        assert_silent_success(name, child);
        assert_eq!(next(&lines), None, "{name}");
    }
}

#[test]
fn samples_are_handed_on_as_they_come() {
    for format in [&[][..], &["--format", "perf-script"]] {
        let args = [&["--per-sample", "--line-buffered"], format].concat();
        let Running { mut child, mut stdin } = start("stack-parse", &args);
        let lines = lines_of(&mut child);
        let sample = |number| format!("d 1 2.{number}: 1 c: \n\t 10 f{number} (/d)\n\n");
        write!(stdin, "{}", sample(0)).expect("it reads");
        for number in 1..4 {
            // A sample is complete only when the next one starts.
            write!(stdin, "{}", sample(number)).expect("it reads");
            assert_eq!(next(&lines), Some(format!("d;f{} 1", number - 1)), "{args:?}");
        }
        drop(stdin);
        assert_eq!(next(&lines), Some("d;f3 1".to_owned()), "{args:?}");
        assert_silent_success("stack-parse", child);
    }
}

#[test]
fn filters_write_before_they_have_read_all() {
    for name in FILTERS {
        let Running { mut child, mut stdin } = start(name, &with_minimal(name, &[]));
        let lines = lines_of(&mut child);
        stdin.write_all(&many_stacks()).expect("it reads");
        for number in 0..100 {
            let expected = passed_on(name, format!("main;f{number} 1"));
            assert_eq!(next(&lines).map(String::into_bytes), Some(expected), "{name}");
        }
        drop(stdin);
        assert_silent_success(name, child);
    }
}

#[test]
fn filters_hand_on_what_they_hold_back_where_an_interval_ends() {
    for name in FILTERS {
        let Running { mut child, mut stdin } = start(name, &with_minimal(name, &[]));
        let lines = lines_of(&mut child);
        for second in 1..4 {
            let interval = [format!("main;f{second} 1"), format!("# end {second}.000")];
            for line in &interval {
                writeln!(stdin, "{line}").expect("it reads");
            }
            for line in interval {
                let reversed = line.replace(&format!("main;f{second}"), &format!("f{second};main"));
                let expected = if name == "stack-reverse" { reversed } else { line };
                assert_eq!(next(&lines), Some(expected), "{name}");
            }
        }
        drop(stdin);
        assert_silent_success(name, child);
    }
}

#[test]
fn who_sums_leaves_out_where_intervals_ended() {
    let stacks = "main;a 1\nmain;b 2\n";
    let intervals = "main;a 1\n# end 1.000\nmain;b 1\n# end 2.000\nmain;b 1\n# end 2.500\n";
    for name in folded_tools().filter(|name| !FILTERS.contains(name)) {
        assert_eq!(feed(name, &[], intervals), feed(name, &[], stacks), "{name}");
    }
    for (name, args) in [
        ("stack-collapse-frames", &["--lwt", "entries"][..]),
        ("stack-demangle", &["--stamps", "auto"]),
        ("stack-fold-towers", &["--report"]),
        ("stack-grep", &["-c"]),
    ] {
        let output = feed(name, args, intervals);
        assert!(!String::from_utf8_lossy(&output.stdout).contains('#'), "{name} {args:?}");
    }
}

#[test]
fn progress_is_not_shown_in_a_pipe() {
    thread::scope(|scope| {
        for name in folded_tools() {
            scope.spawn(move || {
                let Running { mut child, mut stdin } = start(name, &with_minimal(name, &[]));
                let lines = lines_of(&mut child);
                stdin.write_all(b"main 1\n").expect("it reads");
                // Longer than the second after which a terminal would show progress.
                thread::sleep(Duration::from_millis(1300));
                stdin.write_all(b"main 1\n").expect("it reads");
                drop(stdin);
                assert_silent_success(name, child);
                assert!(next(&lines).is_some(), "{name}");
            });
        }
    });
}

/// More lines than all pipes and buffers can hold.
fn many_stacks() -> Vec<u8> {
    (0..200_000).flat_map(|number| format!("main;f{number} 1\n").into_bytes()).collect()
}
