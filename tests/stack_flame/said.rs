//! What is said, where, and the browser.

use super::*;

/// A stack with own code, the most of it on one line.
const STACKS: &str = "# unit: samples\n\
    main (src/a.c:9)_[o];append (src/a.c:2)_[o]_[i];fdatasync_[l] 60\n\
    main (src/a.c:9)_[o];append (src/a.c:3)_[o]_[i];write_[l] 15\n\
    main (src/a.c:9)_[o] 25\n";

const ANSWER: [&str; 2] = [
    "75.00% in append: a.c:2 (60.00%), :3 (15.00%), calls fdatasync (60.00%), write (15.00%)",
    "25.00% in main: a.c:9 (25.00%)",
];

#[test]
fn the_answer_is_where_the_picture_is_and_what_own_code_weighs() {
    let place = Place::new("stack-flame-answer");
    fs::write(place.folder.join("x.folded"), STACKS).expect("a writable folder");
    let output = place.stack_flame(&["x.folded"]);
    let url = format!("file://{}/flame.svg", path(&place.folder));
    let expected = [&format!("drawn: flame.svg, open {url}"), ANSWER[0], ANSWER[1]];
    let expected: String = expected.iter().map(|line| format!("stack-flame: {line}\n")).collect();
    assert_eq!(stderr(&output), expected);
    assert!(output.stdout.is_empty());
    // A box has the line in which its function weighs most.
    let picture = place.read("flame.svg");
    assert!(picture.contains("append (a.c:2)") && !picture.contains("a.c:3"), "{picture}");
    // The picture itself is on standard output.
    let output = place.stack_flame(&["-o", "-", "x.folded"]);
    assert!(output.stdout.starts_with(b"<?xml") && stderr(&output).contains(ANSWER[0]));
}

#[test]
fn the_answer_begins_as_the_page_of_stack_brief() {
    let place = Place::new("stack-flame-begins");
    let stacks = format!("# event: cpu-clock\n# program: app\n{STACKS}");
    fs::write(place.folder.join("x.folded"), &stacks).expect("a writable folder");
    let said = stderr(&place.stack_flame(&["x.folded"]));
    let lines: Vec<&str> = said.lines().collect();
    let page = String::from_utf8(place.stack_flame(&["--brief", "-i", "x.folded"]).stdout);
    let page = page.expect("UTF-8");
    let title = page.lines().next().expect("a line").replacen("# ", "stack-flame: ", 1);
    assert_eq!(lines[1], title);
    assert_eq!(title, "stack-flame: app: 100 samples of CPU");
    assert!(lines[2].contains(ANSWER[0]) && page.contains("## `append`"), "{said}{page}");
    // Its stacks may be kept.
    place.stack_flame(&["--brief", "--folded", "kept", "-i", "x.folded"]);
    assert_eq!(place.read("kept").lines().filter(|line| line.contains("append")).count(), 2);
}

#[test]
fn at_most_four_lines_are_said_besides_the_answer_and_all_if_that_is_wanted() {
    let place = Place::new("stack-flame-four-lines");
    let run = |args: &[&str]| {
        let args = [args, &["--call-graph", "fp", "--", "sh", "-c", "exit 3"]].concat();
        let said = stderr(&place.stack_flame(&args));
        said.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (few, all) = (run(&[]), run(&["--verbose"]));
    let is_note = |line: &&String| line.starts_with("stack-parse: ");
    let notes: Vec<&String> = all.iter().filter(is_note).collect();
    assert!(notes.len() >= 3 && all[0] == CLOCK.trim_end(), "{all:?}");
    let drawn = few.iter().position(|it| it.contains(": drawn: ")).expect("an answer");
    assert!(drawn <= 4, "{few:?}");
    assert_eq!(few[0], "stack-flame: sh ended with status 3");
    // Those that touch the most come first; they have no name of a file that is deleted.
    let share = |line: &str| -> f64 {
        let (before, _) = line.split_once(" %").expect(line);
        before.rsplit(' ').next().expect(line).parse().expect(line)
    };
    let shares: Vec<f64> = few[1..drawn].iter().filter(is_note).map(|it| share(it)).collect();
    assert!(shares.len() >= 2 && shares.is_sorted_by(|a, b| a >= b), "{few:?}");
    assert!(!few.iter().any(|line| line.contains("/stack-flame.")), "{few:?}");
}

#[test]
fn what_was_not_recorded_is_said_with_our_own_option() {
    let place = Place::new("stack-flame-not-recorded");
    let recording = crate::util::recording("formats/perf-data/dwarf-rust.perf.data.gz");
    fs::write(place.folder.join("x.data"), recording).expect("a writable folder");
    for (args, expected) in [
        (&["--latency"][..], "has no switches of threads: record with 'stack-flame --latency'"),
        (&["--off-cpu"], "needs sched:sched_switch: record with 'stack-flame --off-cpu'"),
    ] {
        let output = place.stack_flame(&[args, &["-i", "x.data"]].concat());
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_status(&output, 125);
    }
}

#[test]
fn what_cannot_be_said_is_no_reason_to_draw_nothing() {
    let place = Place::new("stack-flame-unsaid");
    let script = "\"$0\" --call-graph fp -- sh -c 'exit 3' 2> /dev/full";
    let output = place.here("sh".as_ref()).args(["-c", script, binary("stack-flame")]).output();
    assert_status(&output.expect("it starts"), 3);
    assert!(place.read("flame.svg").contains("<svg"));
}

/// What a user sees at a terminal of 200 columns, whose desktop opens files by a program of ours.
fn at_a_terminal(place: &Place, display: &str, args: &str) -> String {
    let command = format!("stty cols 200 rows 40; {} {args}", binary("stack-flame"));
    let mut script = place.here("script".as_ref());
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]);
    script.env("TERM", "xterm-256color").env("DISPLAY", display).env_remove("WAYLAND_DISPLAY");
    let output = script.env_remove("SSH_CONNECTION").stdin(Stdio::null()).output();
    String::from_utf8_lossy(&output.expect("script, of util-linux").stdout).into_owned()
}

#[test]
fn at_a_terminal_the_answer_is_printed_and_the_picture_opened() {
    if goes_without(&[&["script"]]) {
        return;
    }
    let place = Place::new("stack-flame-browser");
    fs::write(place.folder.join("x.folded"), STACKS).expect("a writable folder");
    let opener = "#!/bin/sh\necho \"$1\" > opening && mv opening opened\n";
    place.program(if cfg!(target_os = "macos") { "open" } else { "xdg-open" }, opener);
    let opened = place.folder.join("opened");
    for (display, args) in [("", "x.folded"), (":7", "--no-open x.folded"), (":7", "-o - x.folded")]
    {
        let seen = at_a_terminal(&place, display, args);
        let short = "75.00% in append: a.c:2 (60.00%), calls fdatasync (60.00%)\r\n";
        assert!(seen.contains(short), "{seen:?}");
        assert!(!seen.contains("stack-flame: "), "{seen:?}");
    }
    let is_of_mac = cfg!(target_os = "macos");
    assert!(is_of_mac || !opened.exists(), "nobody asked for it");
    at_a_terminal(&place, ":7", "x.folded");
    let end = Instant::now() + Duration::from_secs(60);
    while !opened.exists() {
        assert!(Instant::now() < end, "it is not opened");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(place.read("opened"), format!("{}/flame.svg\n", path(&place.folder)));
    // Where standard output is no terminal, it is opened if that is asked for.
    fs::remove_file(&opened).expect("it is there");
    place.stack_flame(&["--open", "x.folded"]);
    while !opened.exists() {
        assert!(Instant::now() < end, "it is not opened");
        thread::sleep(Duration::from_millis(10));
    }
}
