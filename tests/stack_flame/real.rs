//! Programs of every kind, recorded by the real perf.

use bstr::ByteSlice;
use common::names::names_of_stack;

use super::*;

/// A folder with the real perf; `None` if that may not record.
fn place(name: &str) -> Option<Place> {
    if goes_without(&[&["perf"]]) {
        return None;
    }
    let place = Place::new(name);
    fs::remove_file(place.folder.join("perf")).expect("ours is there");
    let may =
        place.stack_flame(&["-F", "9999", "--", "sh", "-c", "for i in 1 2 3 4; do sh -c :; done"]);
    if stderr(&may).contains("perf cannot record here") {
        skip(&format!("perf does not record here: {}", stderr(&may)));
        return None;
    }
    Some(place)
}

/// The share of the stacks whose names contain this text, in percent.
fn share(folded: &str, part: &str) -> f64 {
    let lines = folded.lines().filter(|line| !line.starts_with('#'));
    let (mut all, mut found) = (0.0, 0.0);
    for (stack, weight) in lines.filter_map(|line| line.rsplit_once(' ')) {
        let weight: f64 = weight.parse().expect(stack);
        all += weight;
        let names = names_of_stack(stack.as_bytes(), false);
        found += if names.contains_str(part) { weight } else { 0.0 };
    }
    100.0 * found / all
}

#[test]
fn callers_are_there_with_and_without_frame_pointers() {
    let Some(place) = place("stack-flame-real") else { return };
    let kept = ["-O0", "-fno-omit-frame-pointer"];
    let omitted = ["-O1", "-fomit-frame-pointer"];
    for (name, options) in [("kept", kept), ("omitted", omitted)] {
        place.compile(name, &options);
        let program = format!("./{name}");
        let output = place.stack_flame(&["--folded", "stacks", "--", &program, "300000000"]);
        let folded = place.read("stacks");
        let found = share(&folded, &format!("{name};"));
        assert!(found > 99.0, "{folded}");
        let called = share(&folded, ";main;twice;work");
        assert!(called > 80.0, "{called} %: {}\n{folded}", stderr(&output));
        assert_status(&output, 0);
    }
}

#[test]
fn the_source_is_listed_of_the_hottest_functions_or_of_those_that_match() {
    let Some(place) = place("stack-flame-real-source") else { return };
    place.compile("lines", &["-g", "-O1", "-fno-inline"]);
    // The drawn picture shows that perf may record here.
    let picture = place.folder.join("flame.svg");
    let _ = fs::remove_file(&picture);
    let loop_of_work = "long work(long n) { long s = 0; for";
    for (option, is_listed) in
        [("--source", true), ("--source=^work$", true), ("--source=^no$", false)]
    {
        let output = place.stack_flame(&[option, "--", "./lines", "200000000"]);
        let listing = String::from_utf8_lossy(&output.stdout);
        assert_eq!(listing.contains(loop_of_work), is_listed, "{listing}\n{}", stderr(&output));
        assert_eq!(listing.contains("\n  own  total\n"), is_listed, "{listing}");
        let refused = stderr(&output).contains("no listing: no function matches, or there");
        assert_eq!(refused, !is_listed, "{}", stderr(&output));
    }
    assert!(!picture.exists());
}

#[test]
fn functions_of_ocaml_have_the_names_of_the_source() {
    if goes_without(&[OCAML]) {
        return;
    }
    let Some(place) = place("stack-flame-real-ocaml") else { return };
    let output = place.stack_flame(&["--folded", "stacks", "--", path(&crate::programs::APP)]);
    let folded = place.read("stacks");
    assert!(share(&folded, ";Server.handle;Db.query;") > 10.0, "{}\n{folded}", stderr(&output));
    assert!(folded.contains("Stdlib.Map.Make.add") && folded.contains("[GC]"), "{folded}");
}

#[test]
fn a_process_that_runs_is_recorded_for_a_time() {
    let Some(place) = place("stack-flame-real-process") else { return };
    place.compile("kept", &["-O0", "-fno-omit-frame-pointer"]);
    let mut child = place.here(&place.folder.join("kept")).arg("100000000000").spawn().expect("it");
    let pid = child.id().to_string();
    let output = place.stack_flame(&["-p", &pid, "-d", "2", "--text"]);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let table = String::from_utf8_lossy(&output.stdout);
    let hottest = table.lines().nth(1).unwrap_or_default();
    assert!(hottest.ends_with("  work"), "{table}\n{}", stderr(&output));
    assert!(table.starts_with("OWN ") || table.contains(" OWN  "), "{table}");
    assert_status(&output, 0);
}

#[test]
fn time_that_a_program_waits_is_that_of_its_sleep() {
    let Some(place) = place("stack-flame-real-off-cpu") else { return };
    let args =
        ["--off-cpu", "--folded", "stacks", "--", "perl", "-e", "select undef, undef, undef, .4"];
    // The kernel drops switches while the processors are busy with those of other programs, perhaps
    // the one back to the sleeping program: then the sleep is recorded again.
    let is_sleep = |line: &str| line.starts_with("perl;") && line.contains("select");
    let mut tries = 0;
    let (output, run) = loop {
        let began = Instant::now();
        let output = place.stack_flame(&args);
        tries += 1;
        let stacks = fs::read_to_string(place.folder.join("stacks"));
        let is_dropped = || !stacks.unwrap_or_default().lines().any(is_sleep);
        if tries == 10 || stderr(&output).contains("perf cannot record here") || !is_dropped() {
            break (output, began.elapsed());
        }
    };
    if stderr(&output).contains("perf cannot record here") {
        skip(&format!("perf does not record all programs here: {}", stderr(&output)));
        return;
    }
    let folded = place.read("stacks");
    let stacks = || folded.lines().filter(|line| !line.starts_with('#'));
    assert!(folded.contains("# unit: ns\n"), "{folded}");
    // On a busy machine the shell also waits, before it becomes perl, and perf's child before that.
    let roots = ["perl;", "sh;", "perf-exec"];
    let is_own = |line: &str| roots.iter().any(|root| line.starts_with(root));
    assert!(stacks().all(is_own), "{folded}\n{}", stderr(&output));
    let waits = stacks().filter(|line| is_sleep(line));
    let weight = |line: &str| line.rsplit(' ').next().and_then(|it| it.parse::<u64>().ok());
    let waited: u64 = waits.filter_map(weight).sum();
    let run = u64::try_from(run.as_nanos()).expect("it ends");
    assert!((390_000_000..run).contains(&waited), "{run}\n{folded}\n{}", stderr(&output));
    assert_status(&output, 0);
}

#[test]
fn a_recording_that_is_kept_answers_other_questions_later() {
    let Some(place) = place("stack-flame-real-kept") else { return };
    place.compile("kept", &["-g", "-O0", "-fno-omit-frame-pointer"]);
    let output = place.stack_flame(&["--keep", "app.data", "--", "./kept", "100000000"]);
    assert_status(&output, 0);
    for args in [&["--text"][..], &["--source"], &["--time"], &["--latency"]] {
        let output = place.stack_flame(&[args, &["-i", "app.data"]].concat());
        assert_status(&output, 0);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
        assert!(printed.contains("work"), "{args:?}: {printed}");
    }
    // Its times can be joined to those of a log.
    let kept = place.folder.join("app.data");
    let folded = crate::util::output("stack-parse", &["--header", path(&kept)], "").stdout;
    assert!(folded.contains_str("\n# clock: monotonic\n"), "{}", folded.as_bstr());
}

#[test]
fn a_page_says_where_a_program_runs_and_none_of_its_arguments() {
    let Some(place) = place("stack-flame-real-brief") else { return };
    place.compile("paged", &["-g", "-O1", "-fno-inline"]);
    let args = ["--brief", "--keep", "app.data", "--", "./paged", "300000000", "secret"];
    let output = place.stack_flame(&args);
    assert_status(&output, 0);
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(page.contains("\n## `work`  "), "{page}{}", stderr(&output));
    assert!(page.contains("called by  main:") && page.contains("twice:"), "{page}");
    assert!(
        page.contains("    stack-flame -i app.data --source='^work$'  # all its lines\n"),
        "{page}"
    );
    assert!(!page.contains("secret") && !page.contains("300000000"), "{page}");
    // The recording says the same later.
    let again = place.stack_flame(&["--brief", "-i", "app.data", "--source-path", "."]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), page);
}

#[test]
fn sleep_is_a_program_too() {
    let Some(place) = place("stack-flame-real-sleep") else { return };
    for _ in 0..10 {
        let output = place.stack_flame(&["--off-cpu", "--folded", "stacks", "--", "sleep", "0.3"]);
        if stderr(&output).contains("perf cannot record here") {
            skip(&format!("perf does not record all programs here: {}", stderr(&output)));
            return;
        }
        // On a busy machine the kernel drops records, perhaps all: then this is repeated.
        let Ok(folded) = fs::read_to_string(place.folder.join("stacks")) else { continue };
        let stacks = || folded.lines().filter(|line| !line.starts_with('#'));
        // perf's child may wait, too, before it becomes the program.
        let roots = ["env;", "sleep;", "perf-exec"];
        let is_own = |line: &str| roots.iter().any(|root| line.starts_with(root));
        assert!(stacks().all(is_own), "{folded}");
        if stacks().any(|line| line.starts_with("sleep;")) {
            return;
        }
    }
    panic!("no wait of sleep was recorded in ten runs");
}

#[test]
fn latency_is_drawn_of_what_a_program_does() {
    let Some(place) = place("stack-flame-real-latency") else { return };
    place.compile("kept", &["-O0", "-fno-omit-frame-pointer"]);
    let args = ["--latency", "--folded", "stacks", "--", "./kept", "100000000"];
    let output = place.stack_flame(&args);
    let folded = place.read("stacks");
    // For a single thread latency is time: nanoseconds of the clock, not samples.
    assert!(folded.contains("# unit: ns\n"), "{}\n{folded}", stderr(&output));
    assert!(share(&folded, ";main;twice;work") > 80.0, "{folded}");
    assert!(place.read("flame.svg").contains("latency of ./kept 100000000"), "{folded}");
    assert_status(&output, 0);
}

#[test]
fn the_waker_of_a_shell_is_the_program_that_it_waits_for() {
    let Some(place) = place("stack-flame-real-wakers") else { return };
    let args = ["--off-cpu", "--wakers", "--folded", "stacks", "--", "sh", "-c", "sleep .3; :"];
    let is_woken = |by: &str| {
        let ends = |line: &str| line.rsplit_once(' ').is_some_and(|it| it.0.ends_with(by));
        let folded = place.read("stacks");
        folded.lines().any(|line| line.starts_with("sh;") && line.contains(";--;") && ends(line))
    };
    // On a busy machine the kernel drops records, perhaps just these, or all: then this is repeated.
    let mut said = String::new();
    for _ in 0..10 {
        let output = place.stack_flame(&args);
        if stderr(&output).contains("perf cannot record here") {
            skip(&format!("perf does not record all programs here: {}", stderr(&output)));
            return;
        }
        if output.status.success() && is_woken(";sleep") {
            return;
        }
        said = stderr(&output);
    }
    panic!("{said}");
}
