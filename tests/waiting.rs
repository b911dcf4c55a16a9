//! The critical path of programs that wait in different ways, whose sources say what it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::needs::skip;
use crate::place::Place;
use crate::util::{output, stderr};

/// One thread sends what another one has worked for; `light` runs beside it.
const CHANNEL: &str = r#"
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

fn spin(milliseconds: u64) {
    let end = Instant::now() + Duration::from_millis(milliseconds);
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

#[inline(never)]
fn heavy() {
    spin(60);
    std::hint::black_box(());
}

#[inline(never)]
fn light() {
    spin(12);
    std::hint::black_box(());
}

fn main() {
    let (ask, asked) = mpsc::channel::<()>();
    let (answer, answered) = mpsc::channel::<()>();
    let worker = thread::spawn(move || {
        for () in asked {
            heavy();
            answer.send(()).expect("a receiver");
        }
    });
    for _ in 0..6 {
        ask.send(()).expect("a receiver");
        light();
        answered.recv().expect("an answer");
    }
    drop(ask);
    worker.join().expect("no panic");
}
"#;

/// The weight below a function, and of all.
fn below(folded: &[u8], function: &str) -> (u64, u64) {
    let text = String::from_utf8_lossy(folded);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let counted = lines.filter_map(|line| {
        let (stack, count) = line.rsplit_once(' ')?;
        let stack = stack.rsplit('\t').next()?;
        Some((stack.split(';').any(|frame| frame == function), count.parse::<u64>().ok()?))
    });
    counted.fold((0, 0), |(part, all), (is_in, count)| {
        (part + if is_in { count } else { 0 }, all + count)
    })
}

fn run(place: &Place, command: &str) -> bool {
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", command]).current_dir(&place.folder).output().expect("a shell");
    if !output.status.success() {
        skip(&format!("{command}: {}", stderr(&output)));
    }
    output.status.success()
}

/// Records a program and finds its path: what the others wait for is on it, what runs beside it is
/// not, though it takes a sixth of the processor's time.
fn check(place: &Place, program: &str) {
    let record = format!(
        "perf record -q -g -e cpu-clock/freq=999/ \
         -e sched:sched_switch/call-graph=dwarf,stack-size=1024/ -e sched:sched_waking \
         --switch-events -m 4M -o waits.data {program}"
    );
    // Other programs may keep a thread from its processor once.
    let mut seen = Vec::new();
    for _ in 0..10 {
        if !run(place, &record) {
            return;
        }
        let data = place.folder.join("waits.data");
        let labels = "time,tid,pid,comm,state,waker";
        let args = ["--wall", "--per-sample", "--labels", labels];
        let slices = output("stack-parse", &[&args[..], &[&shown(&data)]].concat(), "").stdout;
        let demangled = output("stack-demangle", &[], slices).stdout;
        let found = output("stack-critical", &[], &demangled);
        assert_eq!(found.status.code(), Some(0), "{program}: {}", stderr(&found));
        let cpu = output("stack-parse", &["--event", "cpu-clock", &shown(&data)], "").stdout;
        let cpu = output("stack-demangle", &[], cpu).stdout;
        let [heavy, light] = ["heavy", "light"].map(|name| match program.contains("channel") {
            true => format!("channel::{name}"),
            false => name.to_owned(),
        });
        let (ran, _) = below(&cpu, &light);
        let [(heavy, all), (light, _)] = [heavy, light].map(|name| below(&found.stdout, &name));
        let what =
            format!("{program}: {heavy} and {light} of {all} ns; light ran in {ran} samples");
        if heavy * 10 > all * 8 && light * 20 < all && ran > 20 {
            return;
        }
        seen.push(what);
    }
    panic!("{}", seen.join("\n"));
}

fn shown(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn paths_go_through_what_the_others_wait_for() {
    let place = Place::new("waiting-c");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/waiting/waits.c");
    if !run(&place, &format!("cc -O1 -g -fno-omit-frame-pointer -pthread -o waits {source}")) {
        return;
    }
    for how in ["condition", "rwlock", "semaphore", "epoll"] {
        check(&place, &format!("./waits {how}"));
    }
}

#[test]
fn a_channel_of_rust_is_waited_for() {
    let place = Place::new("waiting-rust");
    fs::write(place.folder.join("channel.rs"), CHANNEL).expect("a writable folder");
    if !run(&place, "rustc -O -g -C force-frame-pointers=yes channel.rs") {
        return;
    }
    check(&place, "./channel");
}

/// A process ends before it wakes who waits for it, and that is not recorded.
#[test]
fn a_shell_waits_for_its_programs() {
    let place = Place::new("waiting-shell");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/waiting/waits.c");
    let build = format!("cc -O1 -g -fno-omit-frame-pointer -pthread -o waits {source}");
    if !run(&place, &build) {
        return;
    }
    place.program("waits.sh", "#!/bin/sh\nfor how in semaphore condition; do ./waits $how; done\n");
    check(&place, "./waits.sh");
}
