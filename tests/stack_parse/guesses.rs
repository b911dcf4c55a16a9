//! The detected format of an input, and the messages for an unknown one.

use std::io::Write;

use crate::util::{filter, output, recording, stderr};

/// The message for an input that is not read.
fn refused(input: impl AsRef<[u8]>) -> String {
    let output = output("stack-parse", &[], input.as_ref());
    let said = stderr(&output);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

/// An oops of a kernel, as dmesg prints it.
const OOPS: &str = "\
[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000008
[   12.345682] Oops: 0000 [#1] PREEMPT SMP NOPTI
[   12.345683] CPU: 3 PID: 1234 Comm: insmod Tainted: G           OE      6.1.0-13-amd64 #1
[   12.345685] RIP: 0010:init_module+0x12/0x1000 [oops]
[   12.345687] RSP: 0018:ffffb1a2c0a3fc10 EFLAGS: 00010246
[   12.345688] RAX: 0000000000000000 RBX: ffffffffc0a2f000 RCX: 0000000000000000
[   12.345692] Call Trace:
[   12.345693]  <TASK>
[   12.345694]  ? __die_body.cold+0x1a/0x1f
[   12.345697]  do_init_module+0x4a/0x1f0
[   12.345700]  entry_SYSCALL_64_after_hwframe+0x64/0xce
[   12.345703] ---[ end trace 0000000000000000 ]---
";

#[test]
fn the_log_of_a_kernel_is_no_profile() {
    let bare: String = OOPS.lines().map(|line| format!("{}\n", &line[15..])).collect();
    let old = "\nBUG: unable to handle kernel NULL pointer dereference at 0000000000000008\n\
               IP: [<ffffffff8104a3c0>] foo_bar+0x10/0x20\nOops: 0000 [#1] SMP\n\
               Pid: 1234, comm: insmod Tainted: G           O 3.2.0-4-amd64 #1 Debian\n\
               RIP: 0010:[<ffffffff8104a3c0>]  [<ffffffff8104a3c0>] foo_bar+0x10/0x20\n\
               Stack:\n ffff88003d5c1eb8 ffffffffa0005012 ffff88003d5c1ef8 ffffffff8100203f\n\
               Call Trace:\n [<ffffffffa0005012>] ? oops_init+0x12/0x1000 [oops]\n\
               CR2: 0000000000000008\n";
    let syslog: String =
        OOPS.lines().map(|line| format!("Nov 22 01:22:33 host kernel: {line}\n")).collect();
    for log in [OOPS, &bare, &format!("\n{bare}"), old, &syslog] {
        let said = refused(log);
        assert!(said.contains("it looks like the log of a kernel: "), "{said}");
        // `-f` is obeyed.
        let forced = output("stack-parse", &["-f", "perf-script"], log);
        assert!(!stderr(&forced).contains("unknown format"), "{}", stderr(&forced));
    }
}

#[test]
fn a_disassembly_is_no_recording() {
    // objdump --no-addresses -d
    let listing = "\n/bin/ls:     file format elf64-x86-64\n\n\nDisassembly of section .init:\n\n\
                   <.init>:\n\t48 83 ec 08          \tsub    $0x8,%rsp\n\
                   \t48 85 c0             \ttest   %rax,%rax\n\tff d0                \tcall   *%rax\n\n\
                   <wcwidth@plt>:\n\tf3 0f 1e fa          \tendbr64\n";
    let said = refused(listing);
    assert!(said.contains("it looks like what objdump prints: it has no samples"), "{said}");
}

#[test]
fn a_table_with_a_line_like_a_sample_is_no_recording() {
    let table = "Section Headers:\n  [Nr] Name   Type  Address  Offset\n       Size  Flags\n\
                 \x20 [ 1] .text  PROGBITS  0000000000004000  00004000\n\
                 \x20      0000000000001c4d  0000000000000000  AX       0     0     16\n\
                 Key to Flags:\n  W (write), A (alloc), X (execute)\n";
    let sample =
        "            demo 17132    cycles:  ffffffff8175336a elf_load ([kernel.kallsyms])\n";
    assert_eq!(filter("stack-parse", &[], sample), "demo;elf_load 1\n");
    let said = refused([table, sample].concat());
    assert!(said.contains("the first line is \"Section Headers:\""), "{said}");
    let forced = output("stack-parse", &["-f", "perf-script"], [table, sample].concat());
    assert!(!forced.stdout.is_empty() && forced.status.success(), "{forced:?}");
}

#[test]
fn perfs_own_messages_are_fewer_than_its_lines() {
    let warning = "Warning:\nProcessed 5 events and lost 4 chunks!\n";
    let sample =
        "demo 1 2.5: 7 cycles: \n\t            2534 f+0x1 (/d)\n\t            2600 main (/d)\n\n";
    let output = output("stack-parse", &[], [warning, sample].concat());
    assert_eq!(output.stdout, b"demo;main;f 1\n");
}

#[test]
fn the_files_of_an_archive_are_not_taken_for_one() {
    let file = recording("formats/perf-script/fresh-cs.gz");
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(b"cs.perf\0");
    header[257..263].copy_from_slice(b"ustar ");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&header).and_then(|()| gzip.write_all(&file)).expect("memory");
    let said = refused(gzip.finish().expect("memory"));
    let expected =
        "stack-parse: <stdin>: unknown format, it looks like a tar archive: unpack it first\n";
    assert_eq!(said, expected);
}

#[test]
fn a_recording_of_safari_is_no_flight_recording() {
    let safari = r#"{"version":1,"recording":{"displayName":"Timeline Recording 1","startTime":0,
"endTime":1.5,"discontinuities":[],"instrumentTypes":["timeline-record-type-script"],"records":[]}}"#;
    assert!(refused(safari).contains("it looks like a recording of Safari (JSON): "));
    let flight = r#"{"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {}}]}}"#;
    assert_eq!(filter("stack-parse", &[], flight), "[no stack] 1\n");
}

#[test]
fn a_sample_without_time_may_have_blanks_before_its_frames() {
    for script in [
        "p 1 cycles: \n    10 f (/x)\n    20 main (/x)\n\n",
        "p 1 cycles: \n        401136 f+0x1 (/x)\n        401140 main+0x2 (/x)\n\n",
    ] {
        let folded = filter("stack-parse", &["--strict"], script.repeat(4));
        assert_eq!(folded, "p 1;main;f 4\n", "{script}");
    }
}

#[test]
fn an_unknown_file_has_one_line_and_no_bytes() {
    let elf = |kind: u8| [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[kind, 0, 62, 0]].concat();
    for (input, expected) in [
        (&elf(4)[..], "it looks like a core file: "),
        (&elf(2), "it looks like an executable: "),
        (b"Nettrace\x14\0\0\0!FastSerialization.1", "a trace of .NET (nettrace): "),
        (b"NYTProf 5 0\n# Perl profile database.\n", "a profile of Perl (NYTProf): "),
        (
            br#"{"main()==>strlen":{"ct":1,"wt":2},"main()":{"ct":1,"wt":9}}"#,
            "XHProf: it has calls",
        ),
        (br#"{"alloc_samples": 0, "args": ["app.py"]}"#, "a profile of Scalene (JSON): "),
        (b"go 1.22 trace\0\0\0\x01\x02", "an execution trace of Go: "),
        (br#"{"snapshot":{"meta":{"node_fields":["type"]}}}"#, "a heap snapshot of V8: "),
        (b"==7== Helgrind, a thread error detector\n", "what valgrind says: "),
        (b"# tracer: nop\n#\n#           TASK-PID    CPU#\n", "the text of ftrace: "),
        (b"<!DOCTYPE html>\n<html><title>Android System Trace</title>", "systrace (a web page): "),
        (b"\x17\x08\x44tracing6\0", "trace-cmd's trace.dat: "),
        (b"\x5e\x97\xca\xfd\x01\0\0\0", "a capture of sysprof: "),
        (b"SQLite format 3\0\x10\0\x01\x01", "a database (SQLite), as nsys writes: "),
        (b"\x80\x04\x95\x10\0\0\0\0\0\0\0}", "a pickle of Python: "),
        (b"a.o:     file format elf64-x86-64\n", "what objdump prints: "),
        (
            b"\x02\x03\x04 nobody knows\n",
            "it does not begin with text; 'stack-parse --list-formats' ",
        ),
    ] {
        let said = refused(input);
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(!said.contains("\\u{") && !said.contains('\u{fffd}'), "{said}");
        assert!(said.len() < 250, "{said}");
    }
}
