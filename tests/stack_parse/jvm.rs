use crate::util::{filter, output, recording, weight};

/// A recording of the JVM's, in two chunks.
const JFR: &str = "formats/jfr/jdk17-two-chunks.jfr.gz";

#[test]
fn a_flight_recording_lists_its_events() {
    let list = filter("stack-parse", &["--list-events"], recording(JFR));
    // Of 'jfr summary' and 'jfr print --json', twice.
    for line in [
        "jdk.ExecutionSample\tsamples\t52\t52",
        "jdk.ObjectAllocationSample\tbytes\t202\t709956912",
        "jdk.ThreadSleep\tnanoseconds\t36\t1148582500",
        "jdk.JavaMonitorEnter\tnanoseconds\t20\t510483196",
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
fn only_running_threads_count_unless_told() {
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
