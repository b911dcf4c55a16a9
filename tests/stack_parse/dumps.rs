//! Stacks of threads saved by other people.

use std::fs;

use crate::util::{filter, third_party, unpacked, utf16, weight};

/// A file of other people, decompressed; `None` if it is missing.
fn file(folder: &str, name: &str) -> Option<Vec<u8>> {
    let path = third_party(folder)?.join(name);
    Some(unpacked(&fs::read(path).expect("a file")))
}

#[test]
fn a_pasted_backtrace_of_gdb_has_no_arguments_in_its_names() {
    let Some(report) = file("gdb", "rhbz-621492.gz") else { return };
    let folded = filter("stack-parse", &[], &report);
    // grep -c '^#0 ' and grep -c '^#[0-9]'
    assert_eq!(weight(folded.as_bytes()), 12);
    let depth = |stack: &str| stack.matches(';').count() as u128 + 1;
    let frames: u128 = folded.lines().map(|line| depth(line) * weight(line.as_bytes())).sum();
    assert_eq!(frames, 202, "{folded}");
    for wrong in ["=", "0x7f", " at ", "<value optimized out>"] {
        assert!(!folded.contains(wrong), "{wrong}: {folded}");
    }
    assert!(folded.contains(";internal_thread_func;thread;pa_mainloop_run;"), "{folded}");
}

#[test]
fn threads_that_a_bean_lists_are_counted() {
    let Some(log) = file("jmx-threads", "visualvmremote.log.gz") else { return };
    let folded = filter("stack-parse", &["--by-event"], &log);
    // grep -c '^"'
    assert_eq!(weight(folded.as_bytes()), 119);
}

#[test]
fn a_dump_may_be_utf16_without_a_mark() {
    let dump = "\"main\" prio=5 Id=1 RUNNABLE\r\n\tat demo.Server.run(Server.java:7)\r\n";
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let marked = utf16(dump, order);
        assert_eq!(filter("stack-parse", &[], &marked[2..]), "main;demo.Server.run 1\n");
    }
}

#[test]
fn a_call_of_gdb_that_goes_on_for_long_is_read_once() {
    let arguments = "    bI=1,\n".repeat(200_000);
    let text =
        format!("#0  0x1 in f (a=1,\n{arguments}    z=2) at f.c:1\n#1  0x2 in main () at f.c:9\n");
    // This took hours when each line read all lines before it again.
    assert_eq!(filter("stack-parse", &["-f", "gdb"], text), "main;f 1\n");
}
