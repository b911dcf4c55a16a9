//! What wprof writes: samples, what threads did all the time, requests.

mod machine;

use std::collections::{BTreeMap, BTreeSet};

use crate::util::{TempFile, filter, output, recording, stderr};
use machine::{Machine, Times};

fn lines(args: &[&str], input: &str) -> Vec<(String, u64)> {
    let text = text(args, input);
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    let line = |line: &str| {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        (stack.to_owned(), weight.parse().expect("a number"))
    };
    lines.map(line).collect()
}

/// What is printed; what is left out is said.
fn text(args: &[&str], input: &str) -> String {
    let output = output("stack-parse", args, input);
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn threads_did_what_the_machine_did() {
    for seed in 0..30 {
        for is_filtered in [false, true] {
            let machine = Machine::new(seed, is_filtered).run();
            let mut expected = machine.expected;
            expected.retain(|(tid, _), time| *time > 0 && machine.threads[*tid].has_run);
            for args in [&["--wall"][..], &["--wall", "--per-sample"]] {
                let args = [args, &["--labels", "tid,state"]].concat();
                let mut found = Times::new();
                for (stack, weight) in lines(&args, &machine.text) {
                    let mut labels: BTreeMap<&str, &str> = BTreeMap::new();
                    labels.extend(stack.split('\t').filter_map(|label| label.split_once('=')));
                    let tid = labels["tid"].parse().expect("a number");
                    *found.entry((tid, labels["state"].to_owned())).or_default() += weight;
                }
                assert_eq!(found, expected, "{seed} {is_filtered} {args:?}\n{}", machine.text);
            }
        }
    }
}

#[test]
fn waits_have_the_names_of_their_wakers() {
    for seed in 0..30 {
        for is_filtered in [false, true] {
            let machine = Machine::new(seed, is_filtered).run();
            let mut found: BTreeMap<(usize, usize), u64> = BTreeMap::new();
            let args = ["--off-cpu", "--wakers", "--root", "none"];
            for (stack, weight) in lines(&args, &machine.text) {
                let (waited, waker) = stack.split_once(";--;").expect("a waker");
                let stack = waited.strip_prefix("main;s").expect("a stack");
                let waker = if waker == "[idle]" { "t0" } else { waker };
                let waker = waker.strip_prefix('t').expect("a waker");
                let key = (stack.parse().expect("a number"), waker.parse().expect("a number"));
                *found.entry(key).or_default() += weight;
            }
            assert_eq!(found, machine.waits, "{seed} {is_filtered}\n{}", machine.text);
        }
    }
}

#[test]
fn samples_are_those_that_were_written() {
    for seed in 0..30 {
        let machine = Machine::new(seed, seed % 2 == 0).run();
        let counts: BTreeMap<String, u64> = lines(&[], &machine.text).into_iter().collect();
        let expected = machine.samples.iter();
        let expected =
            expected.map(|((tid, stack), count)| (format!("t{tid};main;s{stack}"), *count));
        assert_eq!(counts, expected.collect(), "{seed}");
    }
}

fn server() -> String {
    String::from_utf8(recording("formats/wprof/server.ndjson")).expect("UTF-8")
}

#[test]
fn a_request_is_one_span_on_several_threads() {
    let table = filter("stack-parse", &["--spans", "--event", "GET*"], server());
    assert_eq!(
        table,
        "start\tend\ttid\tpid\tid\tname\n\
         0.062000000\t0.065000000\t7\t7\t42\tGET /item\n\
         0.066000000\t0.080000000\t9\t7\t42\tGET /item\n"
    );
    // A sample inside of the request, in the thread that took it over.
    let (before, after) = ("{\"ts\":0.040000000,", "{\"ts\":0.070000000,");
    let samples = server().replace(before, after);
    let samples = text(&["--per-sample", "--labels", "time,tid"], &samples);
    let spans = TempFile::new(&table);
    let labelled = output("stack-label", &["--clock", "any", spans.path()], &samples);
    let labelled = String::from_utf8(labelled.stdout).expect("UTF-8");
    let inside = labelled.lines().find(|line| line.contains("GET /item")).expect("a line");
    assert!(inside.contains("span_id=42") && inside.contains("span_ms=18\t"), "{inside}");
    assert!(inside.contains("tid=9"), "{inside}");
}

#[test]
fn requests_whose_ends_are_missing_are_said() {
    let request = |time: u32, event: &str, id: u32| {
        format!(
            "{{\"ts\":0.{time:09},\"t\":\"req_event\",\"task\":{{\"tid\":7,\"pid\":7,\"comm\":\"a\",\
             \"pcomm\":\"a\"}},\"cpu\":0,\"event\":\"{event}\",\"req_id\":{id},\"req_name\":\"r{id}\"}}\n"
        )
    };
    let header = "{\"version\":\"3.1\",\"timer_freq_hz\":0,\"stack_cnt\":0}\n";
    let text = [
        header.to_owned(),
        request(5, "clear", 1),
        request(10, "begin", 2),
        request(15, "begin", 3),
        request(20, "clear", 2),
        // The id is used again.
        request(30, "begin", 2),
        request(40, "unset", 2),
        request(50, "clear", 2),
    ];
    let output = output("stack-parse", &["--spans"], text.concat());
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "start\tend\ttid\tpid\tid\tname\n\
         0.000000010\t0.000000020\t7\t7\t2\tr2\n\
         0.000000015\t0.000000050\t7\t7\t3\tr3\n\
         0.000000030\t0.000000040\t7\t7\t2.2\tr2\n\
         0.000000050\t0.000000050\t7\t7\t2.2\tr2\n"
    );
    let said = stderr(&output);
    assert!(said.contains("1 requests did not end"), "{said}");
    assert!(said.contains("1 events are of requests that did not begin"), "{said}");
}

#[test]
fn nothing_is_left_out_in_silence() {
    let whole = output("stack-parse", &[], server());
    let said = stderr(&whole);
    assert!(said.contains("6 events have no stack, and are left out"), "{said}");
    assert!(said.contains(": 1 hardirq, 5 req_event\n"), "{said}");
    // The file ends within its stacks, where no object is cut.
    let server = server();
    let stacks: Vec<&str> = server.lines().take(4).collect();
    let cut = output("stack-parse", &[], stacks.join("\n"));
    assert_eq!(cut.status.code(), Some(2));
    assert!(stderr(&cut).contains("3 of 6 stacks were found"), "{}", stderr(&cut));
    // Of a stack without its line.
    let lost = server.replace("\"stack_id\":5}", "\"stack_id\":77}");
    let lost = output("stack-parse", &[], &lost);
    assert!(stderr(&lost).contains("1 samples have stacks that are not in the file"));
    let folded = String::from_utf8_lossy(&lost.stdout).into_owned();
    let weights: BTreeSet<&str> = folded.lines().collect();
    assert!(weights.contains("app-worker 1"), "{folded}");
}

#[test]
fn calls_of_python_take_their_time() {
    let folded = text(&["--event", "pytrace-time", "--srcline"], &server());
    assert_eq!(
        folded,
        "app-worker;app.serve (/srv/my app/app.py:9) 2000000\n\
         app-worker;app.serve (/srv/my app/app.py:9);app.query 2000000\n"
    );
}

#[test]
fn a_wait_has_the_stack_of_its_waker() {
    let stack = "app;main;read;entry_SYSCALL_64_after_hwframe;do_syscall_64;schedule";
    let woken = "try_to_wake_up;do_syscall_64;write;worker;app-worker";
    let wall = text(&["--wall", "--wakers"], &server());
    assert!(wall.contains(&format!("{stack};[waiting];--;{woken} 20000000\n")), "{wall}");
    assert!(wall.contains(&format!("{stack};[runnable] 1000000\n")), "{wall}");
    // Nobody recorded the stack of the idle task that woke it.
    assert!(wall.contains("app-worker;[waiting];--;[idle] 14000000\n"), "{wall}");
    let off = text(&["--off-cpu", "--wakers"], &server());
    assert!(off.contains(&format!("{stack};--;{woken} 21000000\n")), "{off}");
}
