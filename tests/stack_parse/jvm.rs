use crate::util::{filter, output, recording, weight};

/// A recording of the JVM in two chunks.
const JFR: &str = "formats/jfr/jdk17-two-chunks.jfr.gz";

#[test]
fn a_flight_recording_lists_its_events() {
    let list = filter("stack-parse", &["--list-events"], recording(JFR));
    // From 'jfr summary' and 'jfr print --json', twice.
    for line in [
        "jdk.ExecutionSample\tsamples\t52\t52",
        "jdk.ObjectAllocationSample\tbytes\t202\t709956912",
        "jdk.ThreadSleep\tns\t36\t1148582500",
        "jdk.JavaMonitorEnter\tns\t20\t510483196",
    ] {
        assert!(list.lines().any(|it| it == line), "{line} is not in\n{list}");
    }
}

#[test]
fn a_flight_recording_has_threads_and_times() {
    let table = output("stack-parse", &["--table"], recording(JFR)).stdout;
    let table = String::from_utf8(table).expect("UTF-8");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    assert_eq!(rows.len(), 52);
    let since = |row: &Vec<&str>| row[1].parse::<f64>().expect("seconds");
    assert!(rows.iter().all(|row| (-2.0..2.0).contains(&since(row))), "{table}");
    assert!(rows.iter().any(|row| row[2].starts_with("wörker")), "{table}");
    assert!(rows.iter().all(|row| row[4].parse::<u32>().is_ok()), "{table}");
}

#[test]
fn a_flight_recording_that_is_cut_keeps_its_whole_chunks() {
    let whole = recording(JFR);
    let chunk = whole.len() / 2;
    for length in [chunk + 1, chunk + 100, whole.len() - 10] {
        let output = output("stack-parse", &[], &whole[..length]);
        assert_eq!(output.status.code(), Some(2), "{length} bytes");
        assert!(weight(&output.stdout) >= 26, "{length} bytes");
        let said = String::from_utf8_lossy(&output.stderr);
        // The last bytes are constants, and only those are missing.
        let at = if length == whole.len() - 10 { whole.len() - 95 } else { chunk };
        assert!(said.contains(&format!("at byte {at};")), "{length} bytes: {said}");
    }
}

#[test]
fn only_running_threads_count_by_default() {
    let dumps = recording("formats/jstack/busy.txt.gz");
    let running = output("stack-parse", &[], &dumps);
    assert_eq!(weight(&running.stdout), 6);
    let said = String::from_utf8_lossy(&running.stderr);
    for event in ["io", "blocked", "waiting", "timed-waiting", "no-stack", "cpu"] {
        assert!(said.contains(event), "{event} is not in {said}");
    }
    for (event, count) in
        [("blocked", 3), ("io", 3), ("timed-waiting", 9), ("*", 72 + 2_084_680_000)]
    {
        let folded = output("stack-parse", &["--event", event], &dumps).stdout;
        assert_eq!(weight(&folded), count, "{event}");
    }
}

#[test]
fn what_async_profiler_calls_collapsed_is_folded_stacks() {
    let folded = "java/lang/Thread.run_[j];Demo.fib_[0] 12\n[main tid=7];libc_start 1\n";
    let list = filter("stack-parse", &["--header"], folded);
    assert!(list.contains("# source: folded"), "{list}");
}

#[test]
fn what_hprof_cut_off_is_reported() {
    let profile = "JAVA PROFILE 1.0.1, created Mon Aug  4 22:25:01 2008\nTRACE 1:\n\ta.B.c(B.java:1)\n\
                   CPU TIME (ms) BEGIN (total = 1000) Mon Aug  4 22:25:01 2008\n\
                   rank   self  accum   count trace method\n\
                   1 90,50% 90,50%      59 1 a.B.c\nCPU TIME (ms) END\n";
    let output = output("stack-parse", &[], profile);
    assert_eq!(weight(&output.stdout), 905);
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = "cpu-time: 95 of 1000 are in no row: they were below hprof's cutoff\n";
    assert!(said.ends_with(expected), "{said}");
}

#[test]
fn virtual_threads_are_read_as_text_and_as_json() {
    let since_24 = "12\n2026-11-20T19:31:20Z\n27\n\n\
        #1 \"main\" RUNNABLE 2026-11-20T19:31:20.1Z\n\
        \x20   at java.base/java.lang.Object.hashCode(Native Method)\n    - locked <a@1>\n\
        \x20   at app//demo.Main.main(Main.java:7)\n\n\
        #22 \"\" virtual WAITING 2026-11-20T19:31:20.1Z\n\
        \x20   at java.base/java.lang.VirtualThread.park(VirtualThread.java:582)\n\
        \x20   - parking to wait for <x>\n\n";
    let table = filter("stack-parse", &["--by-event", "--table"], since_24);
    let rows: Vec<&str> = table.lines().skip(1).collect();
    let first = "1795203080.000000\t0.000000\tmain\t\t1\t\trunning\t1\t";
    assert!(rows[0].starts_with(first), "{table}");
    assert!(
        rows[1].ends_with("\twaiting\t1\t\"waiting;[virtual];java.lang.VirtualThread.park\""),
        "{table}"
    );
    // One dump after the other, each with its own time.
    let json = recording("formats/jstack/virtual.json");
    let twice = filter("stack-parse", &["--event", "*"], [&json[..], &json].concat());
    assert_eq!(weight(twice.as_bytes()), 10);
    let cut = output("stack-parse", &["--event", "*"], &json[..json.len() / 2]);
    assert_eq!((cut.status.code(), weight(&cut.stdout)), (Some(2), 2));
}
