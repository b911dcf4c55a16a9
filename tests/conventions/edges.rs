//! Edge cases: no thread can be started, no standard output, input and output are one file, sums
//! are too large, bytes are not text.

use std::fs::{self, File, OpenOptions};
use std::process::{Command, Output, Stdio};

use crate::packers::{PACKERS, packed};
use crate::util::{
    FILTERS, TOOLS, binary, feed, filter_bytes, folded_tools, folded_writers, passed_on, recording,
    scratch, trouble, with_minimal, without_threads,
};

/// Enough stacks to make a tool start a second thread.
fn many_stacks() -> Vec<u8> {
    let lines = (0..100_000)
        .map(|number| format!("main;f{};called_by_it{} 1\n", number % 1000, number / 1000));
    lines.collect::<String>().into_bytes()
}

#[test]
fn without_a_second_thread_the_first_does_it_all() {
    let input = many_stacks();
    for name in folded_tools() {
        let args = with_minimal(name, &[]);
        let alone = without_threads(name, &args, &input);
        assert_eq!(String::from_utf8_lossy(&alone.stderr), "", "{name}");
        assert_eq!(alone.status.code(), Some(0), "{name}");
        assert!(alone.stdout == filter_bytes(name, &args, &input), "{name}");
    }
    let perf = recording("formats/perf-script/treegc-4.13.1-dwarf.gz").repeat(20);
    let alone = without_threads("stack-parse", &["--threads", "4"], &perf);
    assert_eq!(alone.status.code(), Some(0), "{}", String::from_utf8_lossy(&alone.stderr));
    assert!(alone.stdout == filter_bytes("stack-parse", &["--threads", "4"], &perf));
    let alone = without_threads("stack-parse", &["--every", "0.001"], &perf);
    assert_eq!(alone.status.code(), Some(0), "{}", String::from_utf8_lossy(&alone.stderr));
    let ends = alone.stdout.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"# end "));
    assert!(ends.count() > 1, "{}", String::from_utf8_lossy(&alone.stdout));
    let profile = filter_bytes("stack-parse", &["--weight", "samples"], &perf);
    assert!(filter_bytes("stack-merge", &[], &alone.stdout) == profile);
}

/// Runs `script`, in which `$0` is the tool and `$1` a file of folded stacks.
fn shell(script: &str, name: &str, file: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, binary(name), file]).output().expect("sh starts")
}

/// stack-export, stack-source, stack-svg and stack-top also report that there is nothing to show.
fn assert_refused(output: &Output, message: &str, what: &str) {
    assert_ended(output, message, 2, what);
}

fn assert_ended(output: &Output, message: &str, status: i32, what: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let first = stderr.split_inclusive('\n').next();
    assert_eq!(first, Some(message), "{what}: {stderr}");
    assert_eq!(output.status.code(), Some(status), "{what}");
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let file = scratch("closed.folded", "main;a 1\n");
    let file = file.to_str().expect("UTF-8");
    for name in folded_tools() {
        let args = with_minimal(name, &[]).join(" ");
        let run = |to: &str| shell(&format!("\"$0\" {args} \"$1\" {to}"), name, file);
        assert_refused(&run(">&-"), &format!("{name}: <stdout>: it is closed\n"), name);
        for nowhere in ["> /dev/null", ">> /dev/null", "1<> /dev/null"] {
            let output = run(nowhere);
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name} {nowhere}");
            assert_eq!(output.status.code(), Some(0), "{name} {nowhere}");
        }
    }
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    for (name, _) in TOOLS {
        for asked in ["--help", "--version", "--completions bash"] {
            let run = |to: &str| shell(&format!("\"$0\" {asked} {to}"), name, "");
            let full = format!("{name}: <stdout>: no space left on device\n");
            let what = format!("{name} {asked}");
            assert_ended(&run("> /dev/full"), &full, trouble(name), &what);
            let closed = format!("{name}: <stdout>: it is closed\n");
            assert_ended(&run(">&-"), &closed, trouble(name), &what);
            let output = run("2>&1 | true");
            assert!(output.stdout.is_empty(), "{name} {asked} into a closed pipe");
        }
    }
}

#[test]
fn input_that_is_also_the_output_is_refused() {
    for name in folded_tools() {
        let path = scratch("input-and-output.folded", "main;a 1\n");
        let file = path.to_str().expect("UTF-8");
        let args = with_minimal(name, &[]).join(" ");
        for (from, called) in [("\"$1\"", file), ("- < \"$1\"", "<stdin>")] {
            for to in [">> \"$1\"", "1<> \"$1\""] {
                let script = format!("\"$0\" {args} {from} {to}");
                let message = format!("{name}: {called}: input file is also the output\n");
                assert_refused(&shell(&script, name, file), &message, &script);
                assert_eq!(fs::read(&path).expect("the file"), b"main;a 1\n", "{script}");
            }
        }
        // Another name of the file, and a file beside it.
        let beside = scratch("beside-the-output.folded", "main;b 2\n");
        let link = path.with_extension("link");
        let _ = fs::remove_file(&link);
        fs::hard_link(&path, &link).expect("a file system with links");
        let script = format!("\"$0\" {args} '{}' '{}' >> \"$1\"", link.display(), beside.display());
        let output = shell(&script, name, file);
        let message = format!("{name}: {}: input file is also the output\n", link.display());
        assert_refused(&output, &message, &script);
        let text = fs::read_to_string(&path).expect("the file");
        let added = text.strip_prefix("main;a 1\n").unwrap_or_default();
        assert_eq!(added.as_bytes(), filter_bytes(name, &with_minimal(name, &[]), "main;b 2\n"));
    }
}

#[test]
fn input_and_output_may_be_one_terminal_device_or_pipe() {
    for name in folded_tools() {
        let null = || OpenOptions::new().read(true).write(true).open("/dev/null").expect("it");
        let status = Command::new(binary(name))
            .args(with_minimal(name, &[]))
            .stdin(null())
            .stdout(null())
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.expect("it starts").code(), Some(1), "{name}: nothing to read");
    }
}

#[test]
fn messages_bring_nothing_to_a_terminal_but_text() {
    let odd = "no\x1b]0;title\x07\r\nfile\x1b[31m\u{9b}m\u{202e}";
    // stack-flame's operand is a program, not a file: its own tests check this.
    for (name, _) in TOOLS.into_iter().filter(|(name, _)| *name != "stack-flame") {
        let output = feed(name, &[odd], "");
        let shown = r"no\x1B]0;title\x07\x0D\x0Afile\x1B[31m\xC2\x9Bm\xE2\x80\xAE";
        let message = format!("{name}: {shown}: no such file or directory\n");
        assert_refused(&output, &message, name);
        let output = feed(name, &["--no-such-option\x1b[31m"], "");
        assert!(!output.stderr.contains(&0x1b), "{name}");
    }
}

#[test]
fn a_sum_that_does_not_fit_is_named_and_the_rest_is_written() {
    let most = u64::MAX;
    let input = format!("a;b {most}\na;c\x1b 5\na;b 7\na;d 6\n");
    for name in ["stack-merge", "stack-parse"] {
        let output = feed(name, &["--stats"], &input);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let (left_out, stats) = stderr.split_once('\n').expect("two lines");
        let expected = format!("{name}: stack 'a;b': a sum over {most}, weight 7 left out");
        assert_eq!(left_out, expected);
        let weight = u128::from(most) + 18;
        assert!(stats.contains(&format!("in 4 lines weight {weight}, ")), "{stats}");
        assert!(stats.contains("dropped 1 lines weight 7, "), "{stats}");
        let text = format!("a;b {most}\na;c  5\na;d 6\n");
        assert_eq!(String::from_utf8_lossy(&output.stdout), text, "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn many_sums_that_do_not_fit_are_named_thrice_and_then_counted() {
    let line = |number: u32| format!("f{} {}\n", number % 5, u64::MAX - 1);
    let input: String = (0..100_000).map(line).collect();
    let output = feed("stack-merge", &[], &input);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 4, "{stderr}");
    let left_out = 19_999 * u128::from(u64::MAX - 1);
    assert!(lines[0].starts_with("stack-merge: stack 'f0': a sum over "), "{stderr}");
    assert!(lines[2].ends_with(&format!(", weight {left_out} left out")), "{stderr}");
    let others = format!("stack-merge: other stacks: a sum over {}, weight ", u64::MAX);
    assert_eq!(lines[3], format!("{others}{} left out", 2 * left_out));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_picture_holds_what_fits_into_one_sum() {
    for args in [&[][..], &["--flamechart"], &["--reverse"]] {
        let output = feed("stack-svg", args, format!("a;b 9\na;c {}\na;d 2\n", u64::MAX));
        let message = format!(
            "stack-svg: stack 'a;c': a sum over {most}, weight {most} left out\n",
            most = u64::MAX
        );
        assert_refused(&output, &message, &format!("{args:?}"));
        let picture = String::from_utf8_lossy(&output.stdout);
        assert!(picture.contains("<title>d (2 ") && picture.contains("(11 "), "{args:?}");
    }
}

#[test]
fn counts_that_are_not_whole_numbers_are_called_so() {
    for name in folded_tools() {
        let output = feed(name, &[], "a;b 1.5\na -3\na 1e6\na;c 2\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let what = "expected 'frame;frame count', found a count that is not a whole number";
        let lines = [1, 2, 3].map(|line| format!("{name}: <stdin>:{line}: {what}\n"));
        assert_eq!(stderr, lines.concat());
        assert_eq!(output.stdout, filter_bytes(name, &with_minimal(name, &[]), "a;c 2\n"));
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

/// Every control byte except LF, each in a frame.
fn control_bytes() -> impl Iterator<Item = u8> {
    (0..=0x7f).filter(|byte: &u8| byte.is_ascii_control() && *byte != b'\n')
}

#[test]
fn control_bytes_in_stacks_come_out_as_spaces() {
    let line = |byte: u8| [b"main;a", &[byte][..], b"b\xff 1\n"].concat();
    for name in FILTERS {
        let input: Vec<u8> = control_bytes().flat_map(line).collect();
        let expected = passed_on(name, b"main;a b\xff 1\n").repeat(control_bytes().count());
        assert_eq!(filter_bytes(name, &with_minimal(name, &[]), &input), expected, "{name}");
    }
    for name in folded_tools().filter(|name| !FILTERS.contains(name)) {
        let args = with_minimal(name, &[]);
        let input: Vec<u8> = control_bytes().flat_map(line).collect();
        let count = control_bytes().count();
        let expected = filter_bytes(
            name,
            &args,
            [&b"main;a b\xff "[..], count.to_string().as_bytes(), b"\n"].concat(),
        );
        assert_eq!(filter_bytes(name, &args, &input), expected, "{name}");
    }
    // A control byte does not separate stack and count, and a cleaned comment stays a comment.
    for name in FILTERS {
        let output = feed(name, &[], "# a\x1b[31mb\tc\nmain;a\t1\nmain;b 2\r\n");
        let expected = [&b"# a [31mb c\n"[..], &passed_on(name, "main;b 2\n")].concat();
        assert_eq!(output.stdout, expected, "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn compressed_data_that_ends_too_early_is_reported_and_the_rest_is_read() {
    for format in PACKERS {
        let packed = packed(format, many_stacks());
        for name in folded_tools() {
            let output = feed(name, &[], &packed[..packed.len() / 2]);
            let message = format!("{name}: <stdin>: the {format} data ends too early\n");
            assert_refused(&output, &message, format);
            if folded_writers().any(|writer| writer == name) {
                let lines = output.stdout.split(|&byte| byte == b'\n').count();
                assert!(lines > 20_000, "{name} {format}: {lines} lines");
            }
        }
    }
}

#[test]
fn damaged_compressed_data_is_reported() {
    for format in PACKERS {
        let junk = [&packed(format, many_stacks())[..], b"something else"].concat();
        let path = scratch("damaged.packed", junk);
        for name in folded_tools() {
            let output = Command::new(binary(name))
                .args(with_minimal(name, &[]))
                .stdin(File::open(&path).expect("our file"))
                .output()
                .expect("it starts");
            let stderr = String::from_utf8_lossy(&output.stderr);
            let start = format!("{name}: <stdin>: the {format} data is damaged: ");
            assert!(stderr.starts_with(&start) && stderr.lines().count() == 1, "{stderr}");
            assert_eq!(output.status.code(), Some(2), "{name}");
        }
    }
}
