//! What people paste: text that lost the blanks before its lines, and texts that are no profiles.

use std::fs;
use std::process::Output;

use crate::util::{filter, filter_bytes, golden_files, golden_path, output, recording, stderr};

fn text(name: &str) -> String {
    String::from_utf8(recording(name)).expect("UTF-8")
}

/// The text without the blanks at the start of its lines.
fn without_blanks(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn maps_of_bpftrace_need_no_blanks() {
    for (text, expected) in [
        ("@[\nwrite+71\nmain+10\n, myapp]: 3\n", "myapp;main;write 3\n"),
        (
            "@[\nvfs_write+1\nksys_write+90\n, \nwrite+71\nmain+10\n, myapp]: 3\n",
            "myapp;main;write;ksys_write;vfs_write 3\n",
        ),
        // The blank after the last comma is lost, too.
        (
            "@[\nvfs_write+1\n,\nwrite+71\n, myapp]: 3\n@[demo,\nf+1\n]: 2\n",
            "demo;f 2\nmyapp;write;vfs_write 3\n",
        ),
        // With blanks any line is a frame; without, words are words, and the end is the end.
        ("@[str\nodd, \nf+1\n, a+1]: 2\n", "str, odd, a+1;f 2\n"),
    ] {
        assert_eq!(filter("stack-parse", &[], text), expected, "{text:?}");
    }
}

/// Inputs in formats of text, with their options.
fn texts(format: &str) -> Vec<(String, String)> {
    let folder = format!("formats/{format}");
    let is_input = |file: &String| {
        !["folded", "weight", "args"].iter().any(|ending| file.ends_with(&format!(".{ending}")))
    };
    let files = golden_files(&folder).into_iter().filter(is_input);
    files
        .map(|file| {
            let path = format!("{folder}/{file}");
            let args = format!("{}.args", path.trim_end_matches(".gz"));
            // Most cases have no options.
            (path, fs::read_to_string(golden_path(&args)).unwrap_or_default())
        })
        .collect()
}

/// The outputs of an input in its options, with the blanks of its lines and without.
fn with_and_without_blanks(path: &str, args: &str) -> (Output, Output) {
    let args: Vec<&str> = args.split_whitespace().collect();
    let whole = text(path);
    (output("stack-parse", &args, &whole), output("stack-parse", &args, without_blanks(&whole)))
}

#[test]
fn text_that_is_as_clear_without_its_blanks_is_read_without_them() {
    for format in ["bcc", "bpftrace", "eu-stack", "gdb", "jstack"] {
        for (path, args) in texts(format) {
            let (whole, bare) = with_and_without_blanks(&path, &args);
            assert_eq!(
                String::from_utf8_lossy(&bare.stdout),
                String::from_utf8_lossy(&whole.stdout),
                "{path}"
            );
        }
    }
}

#[test]
fn text_that_needs_its_blanks_is_refused_without_them() {
    for format in [
        "dtrace",
        "ghc-prof",
        "go-traceback",
        "hprof",
        "macos-sample",
        "massif",
        "pmcstat",
        "py-spy-dump",
        "vtune",
    ] {
        let mut refused = 0;
        for (path, args) in texts(format) {
            let (whole, bare) = with_and_without_blanks(&path, &args);
            assert!(!whole.stdout.is_empty(), "{path}: {}", stderr(&whole));
            let said = stderr(&bare);
            if bare.stdout != whole.stdout {
                assert_eq!((bare.status.code(), &bare.stdout[..]), (Some(2), &b""[..]), "{path}");
                refused += 1;
                let expected = format!("{format} without the blanks at the start of its lines");
                let is_known = said.contains(&expected) || said.contains("unknown format");
                assert!(is_known, "{path}: {said}");
            }
        }
        assert!(refused > 0, "{format}");
    }
}

#[test]
fn no_text_is_misread_in_silence_without_its_blanks() {
    for format in golden_files("formats") {
        for (path, args) in texts(&format) {
            let Ok(whole) = String::from_utf8(recording(&path)) else { continue };
            let args: Vec<&str> = args.split_whitespace().collect();
            let bare = output("stack-parse", &args, without_blanks(&whole));
            let is_said = bare.status.code() != Some(0) || stderr(&bare).contains("expected a ");
            let same = || output("stack-parse", &args, &whole).stdout == bare.stdout;
            assert!(is_said || same(), "{path}: {}", String::from_utf8_lossy(&bare.stdout));
        }
    }
}

#[test]
fn prose_beside_stacks_of_bcc_is_no_stack() {
    let page = "Sampling at 49 Hertz of PID 25036 by user + kernel stack... Hit Ctrl-C to end.\n^C\n\
                [unknown]\n__write\n-                dd (25036)\n1\n\n\
                [...]\n\nread\n-                dd (25036)\n3\n\n\
                Again, I've truncated some lines.\nThe filter is a PID.\n";
    let output = output("stack-parse", &["--root", "pid"], page);
    assert_eq!(output.stdout, b"dd-25036;__write;[unknown] 1\ndd-25036;read 3\n");
    assert_eq!(stderr(&output), "");
}

/// Manuals, logs, sources, listings, and tables and reports of other tools, 40 lines at most.
#[test]
fn texts_that_are_no_profiles_are_refused() {
    let files = golden_files("no-profiles");
    assert!(files.len() >= 70, "{files:?}");
    for file in files {
        let output = output("stack-parse", &[], recording(&format!("no-profiles/{file}")));
        let said = stderr(&output);
        assert_eq!(
            (output.status.code(), &output.stdout[..]),
            (Some(2), &b""[..]),
            "{file}: {said}"
        );
        assert!(said.contains("unknown format, "), "{file}: {said}");
    }
}

/// The same texts, as they come out of a page or a mail.
#[test]
fn texts_that_are_no_profiles_are_refused_without_their_blanks() {
    for file in golden_files("no-profiles") {
        let bytes = recording(&format!("no-profiles/{file}"));
        let bare = without_blanks(&String::from_utf8_lossy(&bytes));
        let output = output("stack-parse", &[], bare);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{file}");
    }
}

#[test]
fn reports_are_answered_by_the_command_that_writes_what_is_read() {
    for (file, command) in [
        ("asan.txt", "LeakSanitizer's leaks are read"),
        ("callgrind_annotate.txt", "callgrind.out.PID"),
        ("crash-bt.txt", "'grep . /proc/*/stack'"),
        ("deadlock.txt", "'offcputime'"),
        ("ftrace.txt", "'perf record -g -e EVENT'"),
        ("jeprof-33.txt", "--raw"),
        ("lldb-bt.txt", "'gdb -batch -ex "),
        ("mac-spindump.txt", "'sample PID'"),
        ("macos-crash.txt", "'sample PID'"),
        ("ms_print.txt", "massif.out.PID"),
        ("perf-annotate.txt", "'perf script'"),
        ("perf-diff.txt", "'stack-diff'"),
        ("perf-stat.txt", "'perf record -g'"),
        ("perf-trace.txt", "raw_syscalls:sys_enter"),
        ("profile.coz", "'coz plot'"),
        ("pystack.txt", "'py-spy dump'"),
        ("spx.txt", "'xdebug.mode=trace'"),
        ("strace-k.txt", "raw_syscalls:sys_enter"),
        ("tracecmd.txt", "'perf record -g -e EVENT'"),
        ("tsan.txt", "LeakSanitizer's leaks are read"),
    ] {
        let said = stderr(&output("stack-parse", &[], recording(&format!("no-profiles/{file}"))));
        assert!(said.contains("it looks like ") && said.contains(command), "{file}: {said}");
    }
}

/// The first bytes of files of other programs: of those in `no-profiles` and of these.
#[test]
fn files_of_other_programs_are_answered_by_what_converts_them() {
    for (start, command) in [
        (&b"\xdc\xdf\x4aSLB\x01\x00\x00\x00\x00\x00"[..], "'node profiler-edit.js -i FILE"),
        (b"SLOW\x03\x00\x20\x00\xc4\x91\x9e\x2c", "'simpleperf record -g'"),
        (b"SLOW\xf3\x00\x20\x00\xc4\x91\x9e\x2c", "'simpleperf record -g'"),
        (b"Nettrace\x14\x00\x00\x00!FastSerialization.1", "'dotnet-trace convert"),
        (b"hdrb\x00\x00\x00\x00", "hs-speedscope"),
        (br#"{"version":1,"flamebearer":{"names":["total"],"levels":[[0,1,0,0]]}}"#, "profilecli"),
        (br#"{"systing_profile_export":1,"producer":"systing 1.10.6"}"#, "Perfetto"),
        (br#"{"callStackTree":{"callStacks":[{"callStackRootFrames":[]}]}}"#, "'xctrace record'"),
        (br#"{"profile":{"samples":[],"thread_metadata":{}}}"#, "a profile of Sentry"),
        (br#"{"key":"spx-full-20260101_000000-host-1-2","exec_ts":1}"#, "'xdebug.mode=trace'"),
        (b"digraph {\n\tgraph [fontname=Arial]\n", "give the recording"),
        (
            b"<!DOCTYPE html>\n<style>\nul.tree li.open > div:not(:nth-last-child(2)):before {\n",
            "'asprof -o collapsed'",
        ),
        (
            b"<!DOCTYPE html>\n<script>pyinstrumentHTMLRenderer.render(</script>",
            "'pyinstrument -r session'",
        ),
    ] {
        let output = output("stack-parse", &[], start);
        let said = stderr(&output);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{said}");
        assert!(said.contains("it looks like ") && said.contains(command), "{said}");
    }
}

#[test]
fn instants_with_a_stack_are_samples() {
    let event = |phase: &str, rest: &str| {
        format!(r#"{{"name":"hi","ph":"{phase}","pid":7,"tid":7,"ts":829,{rest}}}"#)
    };
    let frames = r#""stackFrames":{"1":{"name":"a"},"2":{"name":"d","parent":"1"}}"#;
    let events = [
        event("i", r#""stack":["a","b","c"]"#),
        event("I", r#""stack":["a","b"]"#),
        event("i", r#""stack":["a","b","c"]"#),
        event("n", r#""sf":2"#),
        event("i", r#""s":"t""#),
    ];
    let trace = format!("{{\"traceEvents\":[{}],{frames}}}", events.join(","));
    let folded = filter("stack-parse", &["--by-event", "--root", "none"], trace);
    assert_eq!(folded, "hi;a;b 1\nhi;a;b;c 2\nhi;a;d 1\n");
}

#[test]
fn an_empty_recording_is_called_empty() {
    let part = "version: 1\ncreator: callgrind-3.5.0-Debian\npid: 14542\ncmd:  ./search\npart: 2\n\n\
                desc: Trigger: Program termination\n\npositions: instr line\nevents: Ir Dr\n\
                summary: 0\n\n\ntotals: 0\n";
    for args in [&[][..], &["-f", "callgrind"]] {
        let output = output("stack-parse", args, part);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]));
        assert_eq!(
            stderr(&output),
            "stack-parse: <stdin>: an empty recording: its totals are 0\n\
             stack-parse: <stdin>: no sample found, it looks like callgrind\n"
        );
    }
    // The user knows better than the guess.
    let said = stderr(&output("stack-parse", &["-f", "rbspy"], "nobody knows this\n"));
    assert!(!said.contains("unknown format"), "{said}");
    let said = stderr(&output("stack-parse", &["-f", "bcc"], "nobody knows this\n"));
    assert_eq!(said, "stack-parse: <stdin>: no sample found, it was read as bcc\n");
}

#[test]
fn a_zip_archive_of_one_file_is_read() {
    let folded = recording("folded/treegc-5.2.0fp-fp.folded.gz");
    let one = zip(&[("app.folded", &folded)]);
    assert_eq!(filter_bytes("stack-parse", &[], &one), filter_bytes("stack-parse", &[], &folded));
    let two = zip(&[("a.folded", &folded), ("b.folded", &folded)]);
    let said = stderr(&output("stack-parse", &[], two));
    let expected = "a zip archive of 2 files, a.folded, b.folded: 'unzip -p FILE MEMBER | …'";
    assert!(said.contains(expected), "{said}");
    let trace = zip(&[("app.trace/form.template", b"x"), ("app.trace/Trace1.run/x", b"x")]);
    let said = stderr(&output("stack-parse", &[], trace));
    assert!(said.contains("a zip archive of a folder of Instruments: unpack it"), "{said}");
}

/// A zip archive whose files are stored as they are.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut sum = flate2::Crc::new();
        sum.update(content);
        let size = (content.len() as u32).to_le_bytes();
        let name_size = (name.len() as u16).to_le_bytes();
        let fields = [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &sum.sum().to_le_bytes(), &size, &size];
        let fields = [&fields.concat()[..], &name_size, &[0, 0]].concat();
        let at = (bytes.len() as u32).to_le_bytes();
        bytes.extend([b"PK\x03\x04", &fields[..], name.as_bytes(), content].concat());
        let entry = [b"PK\x01\x02\x14\x03", &fields[..], &[0; 10], &at, name.as_bytes()];
        list.extend(entry.concat());
    }
    let count = (files.len() as u16).to_le_bytes();
    let sizes = [(list.len() as u32).to_le_bytes(), (bytes.len() as u32).to_le_bytes()];
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &sizes[0], &sizes[1], &[0, 0]];
    [bytes, list, end.concat()].concat()
}
