//! The page that stack-brief prints, and its numbers beside those of other tools.

use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use crate::util::{TempFile, command, few_cases, folded_lines, output, stderr};

// Each number by another way.
mod numbers;

// The programs of tests/planted.
mod planted;

// How far recordings can be trusted.
mod trust;

const SOURCE: &str = "int main(void)\n{\n\tfor (;;)\n\t\tserve(next());\n}\n\
    void append(struct event *event)\n{\n\
    \tint length = render(event);\n\
    \twrite(1, text, length);\n\tfdatasync(1);\n}\n";

const STACKS: &str = "# event: cpu-clock\n# unit: samples\n# samples: 4,000 samples\n\
    # lost: 0 of 4,000 samples\n# nameless: 40 of 9,000 frames\n# program: app\n# rate: 1000 Hz\n\
    app;main (src/a.c:4)_[o];append(event*) (src/a.c:10)_[o]_[i];fdatasync_[l];do_syscall_64_[k];do_fsync_[k] 2000\n\
    app;main (src/a.c:4)_[o];append(event*) (src/a.c:9)_[o]_[i];write_[l];vfs_write_[k] 800\n\
    app;main (src/a.c:4)_[o];append(event*) (src/a.c:8)_[o]_[i];printf_[l];malloc_[l] 400\n\
    app;main (src/a.c:4)_[o];next (src/b.c:7)_[o] 600\n\
    app;main (src/a.c:3)_[o] 100\n\
    app;start_thread_[l];futex_[k] 100\n";

/// What stack-brief prints in a folder with `src/a.c`.
fn brief(args: &[&str], folded: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a new folder");
    fs::write(folder.path().join("src/a.c"), SOURCE).expect("a new file");
    fs::write(folder.path().join("app.folded"), folded).expect("a new file");
    let mut tool = command("stack-brief");
    let output = tool.current_dir(folder.path()).args(args).arg("app.folded").output();
    let output = output.expect("it starts");
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_page_has_lines_callers_calls_trust_and_what_to_ask_next() {
    let expected = "\
# app: 4.00 s of CPU: 72.5 % in the kernel, 17.5 % computing, 10.0 % allocating

## `append`  src/a.c:8-10  80.0 % of CPU

         .  4                  serve(next());
         .  6  void append(struct event *event)
    10.0 %  8          int length = render(event);
    20.0 %  9          write(1, text, length);
    50.0 %  10          fdatasync(1);
    called by  main:4 > append  (100.0 %)
    goes into  fdatasync > do_fsync (kernel, 62.5 %)
               write > vfs_write (kernel, 25.0 %)
               printf > malloc (12.5 %)

## then

- 15.0 %  `next`  src/b.c:7
- 2.5 %  `main`  src/a.c:3  for (;;)

## trust

good: 80.0 % is ± 1.3 points; 0.4 % of the frames without a name, none of them in the rows above

## next

    stack-source --sort own -e '^append\\(' app.folded  # all its lines
    stack-top --callers '^append\\(' app.folded  # who calls it
    stack-grep '^append\\(' app.folded | stack-svg > flame.svg  # a picture of it
";
    assert_eq!(brief(&[], STACKS), expected);
}

/// The object of `--json`.
fn json(args: &[&str], folded: &str) -> Value {
    let file = TempFile::new(folded);
    let mut tool = command("stack-brief");
    let output = tool.args(args).arg("--json").arg(file.path()).output().expect("it starts");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn whole_rows_fall_away_where_a_page_must_be_short() {
    for chars in [500, 600, 800, 1100, 2000] {
        let page = brief(&["--chars", &chars.to_string()], STACKS);
        assert!(page.chars().count() <= chars, "{page}");
        assert!(page.starts_with("# app: 4.00 s of CPU") && page.contains("## trust"), "{page}");
    }
    let page = brief(&["--chars", "500"], STACKS);
    assert!(page.contains("- 17.5 %  2 more functions\n"), "{page}");
    let output = output("stack-brief", &["--chars", "499"], STACKS);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn other_events_have_a_line_each() {
    let stacks = "# event: cycles cycles\n# event: page-faults faults\n# event: bytes bytes\n\
        cycles;main (a.c:2)_[o];work (a.c:7)_[o] 90\n\
        page-faults;main (a.c:2)_[o];grow (a.c:5)_[o];memset_[l] 60\n\
        page-faults;main (a.c:2)_[o] 20\n\
        bytes;main (a.c:2)_[o];malloc_[l] 4096\n";
    let page = brief(&[], stacks);
    let start = "# app.folded: 90 cycles of CPU\n\n\
        - bytes 4.0 KiB: 100.0 % in main a.c:2\n- page-faults 80 faults: 75.0 % in grow a.c:5\n\n\
        ## `work`";
    assert!(page.starts_with(start), "{page}");
    let labelled = stacks.replace("cycles;main", "event=cycles\tmain");
    let labelled = labelled.replace("page-faults;main", "event=page-faults\tmain");
    let labelled = labelled.replace("bytes;main", "event=bytes\tmain");
    assert_eq!(brief(&[], &labelled), page);
}

#[test]
fn slices_have_the_path_the_processor_and_the_waiting() {
    let slice = |thread: u32, from: u64, length: u64, state: &str, waker: &str, stack: &str| {
        let waker = if waker.is_empty() { String::new() } else { format!("waker={waker}\t") };
        format!(
            "time=0.{from:09}\ttid={thread}\tpid=1\tstate={state}\t{waker}app;main (a.c:9)_[o];{stack} {length}\n"
        )
    };
    // Thread 1 waits for thread 2, which waits for a disk and then works.
    let slices = [
        "# event: wall-clock\n# unit: ns\n# lost: 0 of 9 samples\n".to_owned(),
        slice(1, 0, 10, "running", "", "start (a.c:1)_[o]"),
        slice(1, 10, 90, "waiting", "2", "join (a.c:2)_[o];pthread_join_[l];mutex_lock_[l]"),
        slice(1, 100, 5, "running", "", "stop (a.c:3)_[o]"),
        slice(2, 5, 65, "waiting", "interrupt", "load (a.c:4)_[o];read_[l];schedule_[k]"),
        slice(2, 70, 30, "running", "", "work (a.c:5)_[o]"),
    ]
    .concat();
    let page = json(&[], &slices);
    assert_eq!(page["columns"][0]["column"], "the critical path");
    let rows: Vec<(&str, u64)> = page["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (row["function"].as_str().expect("a name"), row["own"].as_u64().expect("ns")))
        .collect();
    assert_eq!(rows, [("load", 65), ("work", 30), ("stop", 10)]);
    let text = brief(&[], &slices);
    assert!(
        text.starts_with("# app: 105 ns; its 2 threads are 77.5 % waiting, 22.5 % running\n"),
        "{text}"
    );
    assert!(
        text.contains("locks: 90 ns of waiting, 58.1 % of all; all of it in join a.c:2"),
        "{text}"
    );
    assert!(
        text.contains("61.9 % of the critical path, 65 ns of waiting in all threads"),
        "{text}"
    );
    // Who ended the waits is not known: running and waiting count together.
    let without = slices.replace("state=waiting\twaker=2", "state=waiting-or-runnable");
    let without = without.replace("state=waiting\twaker=interrupt", "state=waiting-or-runnable");
    let page = json(&[], &without);
    assert_eq!(page["rows"][0]["function"], "join");
    assert_eq!(page["total"], 200);
    // Nor with which stacks threads wait: only running counts.
    let of_waits = regex::Regex::new("(?m)(state=waiting.*\\tapp);.* ").expect("a pattern");
    let without = of_waits.replace_all(&without, "$1 ");
    let page = brief(&[], &without);
    let said = "- for what threads wait is not in this recording: the rows are of CPU\n";
    assert!(page.contains(said) && page.contains("## `work`  a.c:5  66.7 % of CPU\n"), "{page}");
}

#[test]
fn events_without_a_unit_of_their_own_have_that_of_all() {
    let stacks = "# event: probe:begin\n# event: cpu-clock\n# unit: samples\n\
        event=cpu-clock\tapp;main_[o];work_[o] 60\nevent=probe:begin\tapp;main_[o] 3\n";
    let page = brief(&[], stacks);
    assert!(page.starts_with("# app: 60 samples of CPU\n"), "{page}");
}

#[test]
fn what_changed_is_what_stack_diff_finds() {
    let file = |name: &str| crate::util::golden_path(&format!("diff/{name}.folded.gz"));
    let files =
        |side: &str| (1..=5).map(|number| file(&format!("{side}-0{number}"))).collect::<Vec<_>>();
    let (before, after) = (files("base"), files("slower"));
    let run = |tool: &str, args: &[&str]| {
        let mut tool = command(tool);
        tool.arg("--before").args(&before).arg("--after").args(&after).args(args);
        String::from_utf8(tool.output().expect("it starts").stdout).expect("UTF-8")
    };
    let page = run("stack-brief", &[]);
    let diff: Value = serde_json::from_str(&run("stack-diff", &["--json"])).expect("JSON");
    let hot = diff["rows"].as_array().expect("rows").iter().find(|row| row["function"] == "hot");
    let own = &hot.expect("the function that got slower")["self"];
    let number = |key: &str| own[key].as_f64().expect("a number");
    let expected = format!(
        "## `hot`  {:.1} % before, {:.1} % after: +{:.1} ± {:.1} points",
        number("before"),
        number("after"),
        number("diff"),
        number("error")
    );
    assert!(page.contains(&expected), "{expected}: {page}");
    let same =
        command("stack-brief").arg("--before").args(&before).arg("--after").args(&before).output();
    let same = String::from_utf8(same.expect("it starts").stdout).expect("UTF-8");
    assert!(same.contains("no own function changed beyond noise"), "{same}");
}

#[test]
fn commands_name_the_recording_and_not_its_arguments() {
    let page = brief(&["--recording", "my app.data"], STACKS);
    let next = "    stack-flame -i 'my app.data' --source='^append\\('  # all its lines\n    stack-flame -i 'my app.data'  # a picture\n";
    assert!(page.ends_with(next), "{page}");
    let piped = output("stack-brief", &[], STACKS).stdout;
    assert!(!String::from_utf8(piped).expect("UTF-8").contains("## next"));
}

#[test]
fn without_own_code_it_says_what_the_rows_are() {
    let page = brief(&[], "main_[l];std::sort_[l] 9\nmain_[l] 1\n");
    assert!(
        page.contains("\n- no frame is known to be own code: the rows are libraries\n"),
        "{page}"
    );
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn any_page_is_short_narrow_and_plain(folded in folded_lines(), chars in 500..3000usize) {
        let output = output("stack-brief", &["--chars", &chars.to_string()], &folded);
        let page = String::from_utf8(output.stdout).expect("UTF-8");
        prop_assert!(page.chars().count() <= chars, "{page}");
        for line in page.lines() {
            prop_assert!(console::measure_text_width(line) <= 100, "{line}");
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
    }
}
