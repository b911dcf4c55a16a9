//! Files of other people: text that was cut, joined or copied, and fields that our recordings do
//! not have.

use std::fs;

use crate::util::{filter, output, recording, third_party, weight};

fn stderr(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn several() -> String {
    String::from_utf8(recording("formats/perf-script/shape-several.gz")).expect("UTF-8")
}

#[test]
fn frames_of_a_sample_that_was_cut_off_belong_to_none() {
    let script = several();
    let (first, rest) = script.split_once("\n\n").expect("several samples");
    let args = ["--by-event", "--weight", "samples", "--stats"];
    let expected = output("stack-parse", &args, rest).stdout;
    assert!(weight(&expected) > 20);
    let lines: Vec<&str> = first.lines().collect();
    // `tail -n +2`, and `split` further below.
    for kept in 1..lines.len() {
        let orphans = lines[kept..].join("\n");
        for end in ["\n", "\r\n"] {
            let cut = format!("{orphans}\n\n{rest}").replace('\n', end);
            let output = output("stack-parse", &args, &cut);
            assert!(output.stdout == expected, "{kept}");
            let said = stderr(&output.stderr);
            assert!(said.contains("<stdin>:1: a frame that belongs to no sample\n"), "{said}");
            let counted = format!("malformed {} lines", lines.len() - kept);
            assert!(said.contains(&counted), "{counted}: {said}");
        }
    }
    // Without --by-event they do not become the first event, which would exclude all others.
    let cut = script.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(output("stack-parse", &[], &cut).stdout, output("stack-parse", &[], rest).stdout);
}

#[test]
fn what_follows_the_event_is_no_frame_where_a_call_chain_follows() {
    for text in [
        "    55993a0f70b8 __TMC_END__+0x0 (/tmp/demo)",
        "      1e05080021 |OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
        "    7ffcb30dcbc9       1e05080021 |OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No              7",
        "               0               0",
        "ffffffff810 vfs_read <-- ksys_read",
        "ffffffff81234567 vfs_read+0x10 (ksys_read)",
        " ffffffff81234567 vfs_read+0x10 ([kernel])",
    ] {
        let header = format!("d 17 2.5: 1 a:b: {text}\n");
        let frames = "\t            2534 f+0x24 (/d)\n\t            2600 main (/d)\n\n";
        for script in [
            [&header, frames].concat(),
            [&header, &frames.replace('\t', "        ")[..]].concat(),
            [&header, frames].concat().replace('\n', "\r\n"),
            // Three times in a row.
            [&header, frames].concat().repeat(3),
        ] {
            let folded = filter("stack-parse", &["--per-sample"], &script);
            let expected = "d;main;f 1\n".repeat(script.matches("2.5: ").count());
            assert_eq!(folded, expected, "{script}");
        }
    }
}

#[test]
fn fields_after_a_lone_frame_are_no_part_of_it() {
    for (fields, folded) in [
        (
            " 55db543211ea (anonymous namespace)::f+0x11 (/d) ilen: 3 insn: 48 89 e5",
            "(anonymous namespace)::f",
        ),
        (" 55db543211ea f ilen: 0", "f"),
        (" 55db543211ea f+0x11 insn: 48 89 e5", "f"),
        (" 55db543211ea f+0x11 (/d)      1ff84c3210 4K N/A", "f"),
        (" 55db543211ea f               0", "f"),
        (
            " 55db543211ea f+0x11 (/d) 0x4005f0/0x40050a/P/-/-/3  0x4005f0/0x40050a/M/X/-/1/CALL ",
            "f",
        ),
        (" 55db543211ea f+0x11 (/d)g+0x3(/d)/f+0x0(/d)/P/-/-/3/ ", "f"),
        (" 55db543211ea f+0x11 (/d) ABI:2    SP:0x7ffceb579ee8 ", "f"),
        (" 55db543211ea [unknown] ([unknown]) ilen: 3", "[unknown]"),
        ("    55993a0f70b8 __TMC_END__+0x0 (/d)     55db543211ea f+0x11 (/d)", "f"),
        // perf mem, and Arm's SPE: address, source, weight, latency.
        (
            "    7ffcb30dcbc9       1e05080021 |OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK  N/A              7               0     55db543211ea f+0x28a (/d)               0 N/A N/A",
            "f",
        ),
        // A tracepoint's text.
        (" dfd: 0xffffff9c, mode: 0x00000000     7fb2ef66e62a f+0xa (/d)", "f"),
        (" ffffffff810 vfs_read <-- ksys_read", ""),
        // Only the address that was read or written, from `-F +addr,-ip`.
        ("    55993a0f70b8 __TMC_END__+0x0 (/d)", ""),
    ] {
        let fields = fields.replacen(" 55db543211ea f", "     55db543211ea f", 1);
        let fields = fields.replacen(" 55db543211ea (", "     55db543211ea (", 1);
        let fields = fields.replacen(" 55db543211ea [", "     55db543211ea [", 1);
        for head in [
            "        my demo    17     2.5:          7     cycles: ",
            "        my demo    17     2.5:     cycles: ",
        ] {
            let script = format!("{head}{fields}\n").repeat(2);
            let expected = if folded.is_empty() {
                "my demo 2\n".to_owned()
            } else {
                format!("my demo;{folded} 2\n")
            };
            assert_eq!(
                filter("stack-parse", &["--weight", "samples"], &script),
                expected,
                "{script}"
            );
        }
    }
}

#[test]
fn a_lone_frame_needs_no_time_event_or_thread_before_it() {
    for (head, folded) in [
        ("            demo 19231 ", "demo;f 2\n"),
        ("            demo ", "demo;f 2\n"),
        ("            demo page-faults:                0", "demo;f 2\n"),
        ("page-faults: ", "f 2\n"),
        ("19231 ", "f 2\n"),
    ] {
        let script = format!("{head}     55db543211ea f+0x11 (/d)\n").repeat(2);
        assert_eq!(filter("stack-parse", &[], &script), folded, "{script}");
    }
}

#[test]
fn branches_of_a_processor_keep_their_own_frame() {
    // Intel PT, Arm's CoreSight and BTS: the source and the target of a branch.
    let from = "            ls  4084 [002]  1234.567890:          1 branches:u:  ";
    let to = "7f3b9c645000 main+0x0 (/bin/ls)";
    for (frame, folded) in [
        ("    7f3b9c644b70 _start+0x3 (/lib/ld.so)", "ls;_start 1\n"),
        (" call                     7f3b9c644b70 _start+0x3 (/lib/ld.so)", "ls;_start 1\n"),
        (" tr strt                             0 [unknown] ([unknown])", "ls;[unknown] 1\n"),
    ] {
        for behind in ["", " \t IPC: 0.50 (1/2) ", " ilen: 5"] {
            let script = format!("{from}{frame} =>     {to}{behind}\n");
            assert_eq!(filter("stack-parse", &[], &script), folded, "{script}");
        }
    }
    // After a call chain the arrow is on a line of its own, and no blank line follows.
    let chain =
        format!("ls 4084 1.5: 1 branches:u: \n\t    7f3b9c644b70 f+0x3 (/ls)\n =>     {to}\n");
    assert_eq!(filter("stack-parse", &["--srcline"], chain.repeat(3)), "ls;f 3\n");
}

#[test]
fn a_trace_of_instructions_is_read_with_and_without_stacks() {
    // perf script --itrace=i1000g
    let stacks = "ls  4084 [002]  1234.567890123:       1000 instructions:u: \n\
                  \t    7f3b9c644b70 _dl_start+0x0 (/ld.so)\n\t    7f3b9c643108 _start+0x8 (/ld.so)\n\n";
    assert_eq!(filter("stack-parse", &[], stacks.repeat(2)), "ls;_start;_dl_start 2\n");
    // --insn-trace, --insn-trace=disasm
    for behind in [" insn: f3 0f 1e fa ", "\t\tmovq %rsp, %rdi"] {
        let line =
            "              ls  4084 [002]  1234.567890123:      7f3b9c643100 _start+0x0 (/ld.so)";
        let script = format!("{line}{behind}\n").repeat(2);
        assert_eq!(filter("stack-parse", &[], &script), "ls;_start 2\n", "{script}");
    }
    // --call-trace, --call-ret-trace: a call is not a sample.
    for flags in ["", "  call                              "] {
        let calls = format!(
            "    perf   900 [000] 194167.205652203: {flags}([kernel.kallsyms])\t    f   \n"
        );
        let refused = output("stack-parse", &[], calls.repeat(3));
        assert_eq!((refused.status.code(), &refused.stdout[..]), (Some(2), &b""[..]));
        let said = stderr(&refused.stderr);
        assert!(said.contains("it looks like perf script --call-trace"), "{said}");
    }
}

#[test]
fn code_between_branches_is_no_frame() {
    let code = "\tmain+5:\n\t00005566aabbccdd\tinsn: 48 89 e5\n\
                \t00005566aabbcce0\tjmp 0x10(%rip)\n\t00005566aabbcce5\tret # PRED 3 cycles [3]\n\t... not reaching sample ...\n\n";
    let chain = "d 1 2.5: 1 c: \n\t            2534 f+0x1 (/d)\n\t            2600 main (/d)\n\n";
    let lone = "               d     1     2.5:          1 c:      5566aabbccdd f+0x1 (/d)\n";
    for (sample, folded) in [(chain, "d;main;f 3\n"), (lone, "d;f 3\n")] {
        let script = format!("{sample}{code}").repeat(3);
        assert_eq!(filter("stack-parse", &["--strict"], &script), folded, "{script}");
    }
}

#[test]
fn records_are_no_samples_whatever_fields_are_printed() {
    let records = [
        "PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [k]_text",
        "PERF_RECORD_MMAP2 15643/15643: [0x7fd465672000(0x2000) @ 0 00:00 0 0]: r-xp [vdso]",
        "PERF_RECORD_COMM exec: my demo:15643/15643",
        "PERF_RECORD_FORK(15643:15652):(15643:15643)",
        "PERF_RECORD_SWITCH OUT preempt",
        "PERF_RECORD_LOST lost 5",
        "PERF_RECORD_FINISHED_ROUND",
    ];
    for (fields, sample, folded) in [
        ("my demo ", "my demo cpu-clock: ", "my demo;f 3\n"),
        ("my demo 15643 ", "my demo 15643 cpu-clock: ", "my demo;f 3\n"),
        (
            "my demo 15643/15643 [001] K     ",
            "my demo 15643/15643 [001] K     cpu-clock: ",
            "my demo;f 3\n",
        ),
        ("my demo 15643 2.500000: ", "my demo 15643 2.500000: cpu-clock: ", "my demo;f 3\n"),
        ("", "cpu-clock: ", "f 3\n"),
    ] {
        let records: String = records.iter().map(|record| format!("{fields}{record}\n")).collect();
        let script = format!("{records}{sample}\n\t    564b6f9d3202 f\n\n").repeat(3);
        let output = output("stack-parse", &["--strict", "--event", "*"], &script);
        assert_eq!(output.stdout, folded.as_bytes(), "{script}");
        // No line was skipped.
        let said = stderr(&output.stderr);
        let lost = "stack-parse: <stdin>: 15 samples or other records were lost while recording: ";
        assert!(said.starts_with(lost) && said.lines().count() == 1, "{script}{said}");
    }
}

#[test]
fn a_frame_without_a_name_is_called_after_its_file() {
    // perf 3 printed nothing for an unknown name.
    let script =
        "d 1 2.5: c:\n\t            7f00  (/lib/libc.so)\n\t            2600 main (/d)\n\n";
    assert_eq!(filter("stack-parse", &[], script), "d;main;[libc.so] 1\n");
    // `-F ip,dso`
    let script = "d 1 2.5: c:\n\t            7f00 (/lib/libc.so)\n\t            2600 (/d)\n\n";
    assert_eq!(filter("stack-parse", &[], script), "d;[d];[libc.so] 1\n");
}

#[test]
fn frames_need_no_tab() {
    for (script, folded) in [
        // Copied, and without time.
        (
            "node 31912 cpu-clock: \n            13a80b608e0a RegExp:[&<>\\\"\\'] (/tmp/perf-1.map)\n\
             \x20                 dd777 v8::Call(int, char*) (/tmp/node)\n\n\
             node 31912 cpu-clock: \n             c6d78255e68 RegExp:\\bFoo ?Bar(?:/[\\d.]+) (/tmp/perf-1.map)\n\n",
            "node;RegExp:\\bFoo ?Bar(?:/[\\d.]+) 1\nnode;v8::Call(int, char*);RegExp:[&<>\\\"\\'] 1\n",
        ),
        (
            "\njava 19983 cycles:\nffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])\n\
             7f722d119786 Ljava/io/FileOutputStream;::writeBytes (/tmp/perf-1.map)\n\
             7f72432b4e9a start_thread (/lib/libpthread-2.15.so)\n\n",
            "java;start_thread;Ljava/io/FileOutputStream:::writeBytes;native_write_msr_safe 1\n",
        ),
        // `-F ip,sym` and `-F comm,ip,sym` through `expand`.
        (
            "\n            7f722d119786 f\n            7f72432b4e9a main\n\n\n            7f72432b4e9a main\n\n",
            "main 1\nmain;f 1\n",
        ),
        (
            "my demo \n            7f722d119786 f\n            7f72432b4e9a main\n\n",
            "my demo;main;f 1\n",
        ),
    ] {
        assert_eq!(filter("stack-parse", &[], script), folded, "{script}");
    }
}

#[test]
fn samples_without_event_lines_are_counted_as_samples_where_they_are_left_out() {
    let script = "\n\t    7f722d119786 f\n\t    7f72432b4e9a main\n\n".repeat(5);
    for (args, said) in [
        (&["--from", "1"][..], "5 samples (weight 5) have no time for --from and --to"),
        (&["--event", "foo"], "no sample taken: all 5 are of event [no event] (5)"),
    ] {
        let output = output("stack-parse", args, &script);
        assert!(stderr(&output.stderr).contains(said), "{}", stderr(&output.stderr));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn the_cookie_of_a_deferred_call_chain_is_no_frame() {
    let kernel = "pwd 2312 121.163435:     249113 cycles:P: \n\
                  \tffffffff845b78d8 __build_id_parse.isra.0+0x218 ([kernel.kallsyms])\n\
                  \tffffffff8360012f entry_SYSCALL_64_after_hwframe+0x76 ([kernel.kallsyms])\n\
                  \t       b00000006 (cookie) ([unknown])\n\n";
    let user = "pwd 2312 121.163447: DEFERRED CALLCHAIN [cookie: b00000006]\n\
                \t    7f18fe337fa7 mprotect+0x7 (/lib/ld-linux-x86-64.so.2)\n\
                \t    7f18fe331448 _dl_start_user+0x0 (/lib/ld-linux-x86-64.so.2)\n\n";
    for script in [
        format!("{kernel}{user}").repeat(3),
        format!("{kernel}{user}").repeat(3).replace('\n', "\r\n"),
    ] {
        let output = output("stack-parse", &[], &script);
        let folded = "pwd;entry_SYSCALL_64_after_hwframe;__build_id_parse.isra.0 3\n";
        assert_eq!(stderr(&output.stdout), folded);
        let said = "<stdin>:6: a call chain apart from its sample: 'perf script' merges the two";
        assert!(stderr(&output.stderr).contains(said), "{}", stderr(&output.stderr));
    }
}

#[test]
fn two_files_without_a_line_end_between_them_lose_no_sample() {
    let chain = "my demo 1 2.5: 7 cycles: \n\t            2534 f() const+0x1 (/d)\n\t            2600 main (/d)";
    let lone = "         my demo     1     2.5:          7 cycles:      5566aabbccdd f+0x1 (/d)";
    let header = "# ========\n# captured on    : Fri Nov 20\n# ========\n#\n";
    for (script, folded) in [
        (chain.repeat(2), "my demo;main;f() const 2\n"),
        (chain.repeat(3) + "\n\n", "my demo;main;f() const 3\n"),
        (lone.repeat(3), "my demo;f 3\n"),
        (format!("{chain}{header}{chain}"), "my demo;main;f() const 2\n"),
    ] {
        assert_eq!(filter("stack-parse", &["--strict"], &script), folded, "{script}");
    }
}

/// The samples and the sum of periods of a text, counted without our parser: a sample is a line
/// that is not a comment, not blank and not indented, and its period is the number before the
/// event.
fn count_by_hand(script: &[u8]) -> (u128, u128) {
    let text = String::from_utf8_lossy(script);
    let is_event = |line: &&str| !line.is_empty() && !line.starts_with(['\t', '#', ' ']);
    let period = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let time = words.iter().rposition(|word| word.ends_with(':') && word.contains('.'))?;
        words.get(time + 1)?.parse::<u128>().ok()
    };
    let periods = text.lines().filter(is_event).map(|line| period(line).unwrap_or(1));
    (periods.clone().count() as u128, periods.sum())
}

#[test]
fn recordings_of_others_lose_no_weight() {
    let Some(folder) = third_party("perf-script") else { return };
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("a folder of recordings") {
        let path = entry.expect("an entry").path();
        let file = fs::read(&path).expect("a recording");
        let script = match file.starts_with(&[0x1f, 0x8b]) {
            true => {
                let mut text = Vec::new();
                let mut reader = flate2::read::MultiGzDecoder::new(&file[..]);
                std::io::Read::read_to_end(&mut reader, &mut text).expect("a whole gzip file");
                text
            }
            false => file,
        };
        let (samples, periods) = count_by_hand(&script);
        let sum = |weight_of: &str| {
            let args = ["--by-event", "--weight", weight_of];
            weight(&output("stack-parse", &args, &script).stdout)
        };
        assert!(samples > 0, "{}", path.display());
        assert_eq!((sum("samples"), sum("period")), (samples, periods), "{}", path.display());
        files += 1;
    }
    assert!(files > 20, "{files}");
}
