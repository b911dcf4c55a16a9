//! Sessions that pyinstrument saves for itself.

use std::collections::BTreeMap;

use crate::random::Random;
use crate::util::{filter, output, stderr};

/// Nanoseconds by stack.
type Times = BTreeMap<String, u64>;

/// A session with random samples, as pyinstrument's session.py writes it; `\u0000` and `\u0001` are
/// between the parts of a frame.
fn session(random: &mut Random) -> (String, Times) {
    let (mut records, mut times) = (Vec::new(), Times::new());
    for _ in 0..80 {
        let thread = 1 + random.below(2);
        let mut frames = vec![format!("Thread-{thread}\\u0000<thread>\\u0000{thread}")];
        let mut stack = format!("Thread-{thread}");
        for _ in 0..random.below(8) {
            let function = format!("f{}", random.below(4));
            stack += &format!(";{function}");
            let attributes = ["", "\\u0001l7", "\\u0001cShop\\u0001l9", "\\u0001h1"];
            let attributes = attributes[random.below(4)];
            frames.push(format!("{function}\\u0000/srv/my app/a.py\\u00003{attributes}"));
        }
        if random.below(4) == 0 {
            frames.push("[await]".to_owned());
            stack += ";[await]";
        }
        let time = 1 + random.below(3_000_000_000) as u64;
        let seconds = match random.below(2) {
            0 => format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000),
            // As Python prints what is short.
            _ => format!("{time}e-09"),
        };
        *times.entry(stack).or_default() += time;
        records.push(format!("[[\"{}\"], {seconds}]", frames.join("\", \"")));
    }
    let text = format!(
        "{{\"start_time\": 1795863857.347561, \"duration\": 9.5, \"min_interval\": 0.001, \
         \"max_interval\": 0.001, \"sample_count\": 80, \"start_call_stack\": [], \
         \"target_description\": \"Program: a.py\", \"cpu_time\": 1.0, \"sys_path\": [\"\"], \
         \"sys_prefixes\": [\"/usr\"], \"frame_records\": [{}]}}",
        records.join(", ")
    );
    (text, times)
}

fn times_of(folded: &str) -> Times {
    let lines = folded.lines().map(|line| line.rsplit_once(' ').expect("a weight"));
    lines.map(|(stack, time)| (stack.to_owned(), time.parse().expect("a number"))).collect()
}

#[test]
fn the_time_of_each_stack_is_exact() {
    for seed in 0..40 {
        let (text, expected) = session(&mut Random(seed));
        assert_eq!(times_of(&filter("stack-parse", &[], &text)), expected, "{seed}");
    }
}

#[test]
fn what_was_read_before_a_cut_is_kept() {
    let (text, _) = session(&mut Random(7));
    let records = text.find("\"frame_records\"").expect("records");
    let mut before = 0;
    for cut in (records..text.len()).step_by(97) {
        let output = output("stack-parse", &[], &text[..cut]);
        assert_eq!(output.status.code(), Some(2), "{cut}: {}", stderr(&output));
        let folded = String::from_utf8(output.stdout).expect("UTF-8");
        let sum = times_of(&folded).values().sum();
        assert!(sum >= before, "{cut}");
        before = sum;
    }
    assert!(before > 0);
}

#[test]
fn samples_have_threads_times_and_the_lines_where_they_were() {
    let text = "{\"start_time\": 100.5, \"duration\": 2.0, \"sample_count\": 2, \
        \"start_call_stack\": [], \"frame_records\": [[[\"Main\\u0000<thread>\\u000042\", \
        \"work\\u0000/src/a.py\\u00003\\u0001l4\"], 1.25], [[\"work\\u0000/src/a.py\\u00003\", \
        \"open\\u0000<built-in>\\u00000\"], 0.5]]}";
    let labels = ["--per-sample", "--srcline", "--labels", "comm,tid,time"];
    assert_eq!(
        filter("stack-parse", &labels, text),
        "time=101.750000000\tcomm=Main\ttid=42\tMain;work (/src/a.py:4) 1250000000\n\
         time=102.250000000\twork (/src/a.py:3);open 500000000\n"
    );
}

#[test]
fn a_time_that_is_no_number_is_said() {
    let text = "{\"start_call_stack\": [], \"frame_records\": [[[\"f\"], NaN], [[\"f\"], -1.0], \
        [[\"f\"]], [[\"f\"], 2.0]]}";
    let output = output("stack-parse", &[], text);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "f 2000000000\n");
    let said = stderr(&output);
    assert!(said.contains("3 times are not numbers"), "{said}");
}
