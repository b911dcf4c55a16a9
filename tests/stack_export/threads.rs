//! Threads and times, where lines have them.

use serde_json::{Value, json as value};

use super::json;
use crate::util::output;

/// Two threads of a process and one of another; there is a pause between the second and the third
/// sample of the first.
const THREADS: &[u8] = b"# event: cpu-clock\n# unit: samples\n\
    since=0.001\ttime=5.001\tcomm=app\tpid=7\ttid=7\tmain;a 1\n\
    since=0.002\ttime=5.002\tcomm=app\tpid=7\ttid=7\tmain;a;b 1\n\
    since=0.010\ttime=5.010\tcomm=app\tpid=7\ttid=7\tmain;a 1\n\
    since=0.011\ttime=5.011\tcomm=app\tpid=7\ttid=7\tmain 1\n\
    since=0.003\ttime=5.003\tcomm=worker\tpid=7\ttid=8\trun 1\n\
    since=0.002\ttime=5.002\tcomm=worker\tpid=7\ttid=8\trun;c 1\n\
    since=0.004\ttime=5.004\tcomm=other\tpid=9\ttid=9\tmain 1\n";

#[test]
fn each_is_a_profile_of_speedscope_in_the_order_of_time() {
    let document = json("speedscope", &[], THREADS);
    let names = document["shared"]["frames"].as_array().expect("frames");
    let names: Vec<&str> = names.iter().map(|it| it["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["a", "b", "c", "main", "run"]);
    let of = |profile: &Value| {
        ["name", "unit", "weights", "samples", "endValue"].map(|key| profile[key].clone())
    };
    let profiles: Vec<_> =
        document["profiles"].as_array().expect("profiles").iter().map(of).collect();
    let ns = value!("nanoseconds");
    let ms = |counts: &[u64]| value!(counts.iter().map(|it| it * 1_000_000).collect::<Vec<_>>());
    let main = value!([[3, 0], [3, 0, 1], [3, 0], [3]]);
    let expected = [
        // The sample before a pause lasts as long as samples usually do.
        [value!("app (7)"), ns.clone(), ms(&[1, 1, 1, 1]), main, value!(4_000_000)],
        [value!("worker (8)"), ns.clone(), ms(&[1, 1]), value!([[4, 2], [4]]), value!(2_000_000)],
        [value!("other (9)"), ns, ms(&[1]), value!([[3]]), value!(1_000_000)],
    ];
    assert_eq!(profiles, expected);
}

#[test]
fn weights_that_are_no_times_are_as_they_were() {
    let folded = b"since=1\ttid=7\tmain 3\nsince=2\ttid=7\tmain;a 4\n";
    let profile = &json("speedscope", &["--unit", "page-faults"], folded)["profiles"][0];
    assert_eq!((&profile["weights"], &profile["unit"]), (&value!([3, 4]), &value!("none")));
}

#[test]
fn each_is_a_track_of_chrome_with_slices() {
    let trace = json("chrome", &[], THREADS);
    let events = trace["traceEvents"].as_array().expect("events").iter();
    let shown: Vec<String> = events
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
            let named = it["args"]["name"].as_str().unwrap_or_default();
            let what = if named.is_empty() { it["ts"].to_string() } else { named.to_owned() };
            format!("{}/{} {} {} {what}", it["pid"], it["tid"], text("ph"), text("name"))
        })
        .collect();
    let expected = [
        "7/7 M process_name app",
        "7/7 M thread_name app",
        "7/7 B main 1000",
        "7/7 B a 1000",
        "7/7 B b 2000",
        "7/7 E b 3000",
        "7/7 E a 3000",
        "7/7 E main 3000",
        "7/7 B main 10000",
        "7/7 B a 10000",
        "7/7 E a 11000",
        "7/7 E main 12000",
        "7/8 M thread_name worker",
        "7/8 B run 2000",
        "7/8 B c 2000",
        "7/8 E c 3000",
        "7/8 E run 4000",
        "9/9 M process_name other",
        "9/9 M thread_name other",
        "9/9 B main 4000",
        "9/9 E main 5000",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn threads_without_times_are_tracks_from_0_on() {
    let folded = b"pid=7\ttid=8\tmain;a 2\npid=7\ttid=8\tmain 1\npid=7\ttid=7\tmain 4\n";
    let trace = json("chrome", &["--unit", "us"], folded);
    let events = trace["traceEvents"].as_array().expect("events").iter();
    let times: Vec<String> = events
        .filter(|it| it["ph"] != "M")
        .map(|it| format!("{} {} {}", it["tid"], it["ph"], it["ts"]))
        .collect();
    let expected = ["7 \"B\" 0", "7 \"E\" 4", "8 \"B\" 0", "8 \"B\" 1", "8 \"E\" 3", "8 \"E\" 3"];
    assert_eq!(times, expected);
}

#[test]
fn each_is_a_thread_of_firefox_with_real_times() {
    let profile = json("firefox", &[], THREADS);
    // The clock counts from the start of the machine.
    assert_eq!(profile["meta"]["startTime"], 0.0);
    assert_eq!(profile["meta"]["interval"], 1.0);
    let of = |thread: &Value| {
        let keys = ["name", "processName", "pid", "tid", "isMainThread"];
        let [name, process, pid, tid, main] = keys.map(|key| thread[key].to_string());
        let samples = &thread["samples"];
        let row = format!("{name} {process} {pid} {tid} {main}").replace('"', "");
        (row, samples["time"].clone(), samples["weight"].clone())
    };
    let threads: Vec<_> = profile["threads"].as_array().expect("threads").iter().map(of).collect();
    let expected = [
        ("app app 7 7 true", value!([1.0, 2.0, 10.0, 11.0]), value!([1, 1, 1, 1])),
        ("worker app 7 8 false", value!([2.0, 3.0]), value!([1, 1])),
        ("other other 9 9 true", value!([4.0]), value!([1])),
    ];
    assert_eq!(threads, expected.map(|(row, times, weights)| (row.to_owned(), times, weights)));
    let thread = &profile["threads"][0];
    // Equal stacks share a row.
    assert_eq!(thread["samples"]["stack"], value!([1, 2, 1, 0]));
    assert_eq!(thread["stackTable"]["prefix"], value!([null, 0, 1]));
}

/// The ids of the threads in a format: `pid/tid`.
fn numbers(format: &str, folded: &[u8]) -> Vec<String> {
    let output = output("stack-export", &["--to", format], folded);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = |it: &Value| format!("{}/{}", it["pid"], it["tid"]).replace('"', "");
    match format {
        "firefox" => document["threads"].as_array().expect("threads").iter().map(of).collect(),
        _ => {
            let events = document["traceEvents"].as_array().expect("events").iter();
            events.filter(|it| it["name"] == "thread_name").map(of).collect()
        }
    }
}

#[test]
fn numbers_of_processes_and_threads_are_those_that_are_not_in_use() {
    for format in ["chrome", "firefox"] {
        let unnumbered = b"since=1\ttid=1\tmain;a 1\nmain;b 5\n";
        assert_eq!(numbers(format, unnumbered), ["1/2", "1/1"], "{format}");
        let without_process = b"tid=5\tmain 1\npid=1\ttid=1\tmain 1\n";
        assert_eq!(numbers(format, without_process), ["2/5", "1/1"], "{format}");
        let named = b"comm=a\tmain 1\ncomm=b\tmain 1\npid=3\ttid=1\tmain 1\n";
        assert_eq!(numbers(format, named), ["1/2", "1/3", "3/1"], "{format}");
    }
    let texts = b"pid=x\ttid=5\tmain 1\npid=x\ttid=6\tmain 1\npid=07\ttid=5\tmain 1\n\
        pid=7\ttid=5\tmain 1\npid=1\ttid=y\tmain 1\n";
    assert_eq!(numbers("chrome", texts), ["2/5", "2/6", "1/1", "3/5", "7/5"]);
    assert_eq!(numbers("firefox", texts), ["x/5", "x/6", "1/y", "07/5", "7/5"]);
}

#[test]
fn processes_have_their_names() {
    let folded = b"pid=7\ttid=8\tcomm=worker\tprocess=server\tmain 1\n\
        process=browser\ttid=1\tcomm=gecko\tmain 1\nprocess=tab\ttid=1\tmain 1\n";
    let firefox = json("firefox", &[], folded);
    let of = |it: &Value| {
        ["pid", "tid", "name", "processName"].map(|key| it[key].as_str().unwrap_or("").to_owned())
    };
    let found: Vec<_> = firefox["threads"].as_array().expect("threads").iter().map(of).collect();
    let expected = [
        ["1", "1", "gecko", "browser"],
        ["2", "1", "samples", "tab"],
        ["7", "8", "worker", "server"],
    ];
    assert_eq!(found, expected.map(|row| row.map(str::to_owned)));
    let chrome = json("chrome", &[], folded);
    let events = chrome["traceEvents"].as_array().expect("events").iter();
    let names = events.filter(|it| it["ph"] == "M").map(|it| {
        let name = it["args"]["name"].as_str().expect("a name");
        format!("{} {} {name}", it["pid"], it["name"].as_str().expect("a name"))
    });
    let expected = [
        "1 process_name browser",
        "1 thread_name gecko",
        "2 process_name tab",
        "2 thread_name samples",
        "7 process_name server",
        "7 thread_name worker",
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn equal_names_of_profiles_of_speedscope_have_the_number_of_the_process() {
    let folded = b"pid=1\ttid=2\tcomm=a\tmain 1\npid=2\ttid=2\tcomm=a\tmain 1\n\
        pid=2\ttid=3\tcomm=a\tmain 1\n";
    let profiles = json("speedscope", &[], folded)["profiles"].clone();
    let names: Vec<&str> = profiles
        .as_array()
        .expect("profiles")
        .iter()
        .map(|it| it["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["a (2), pid 1", "a (2), pid 2", "a (3)"]);
}
