//! How a recording ends that a signal ends, and what it leaves.

use super::*;

/// Runs stack-flame with a folder for temporary files, and sends it a signal when perf records.
/// Returns what it said, its status, and how many files it left.
fn ended_by(place: &Place, signal: Signal, args: &[&str]) -> (String, Option<i32>, usize) {
    let folder = place.folder.join("temporary");
    fs::create_dir_all(&folder).expect("a writable folder");
    let mut command = place.here(binary("stack-flame").as_ref());
    command.args(args).env("TMPDIR", &folder).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let end = Instant::now() + Duration::from_secs(60);
    while !place.folder.join("records").exists() {
        assert!(Instant::now() < end, "the program does not run");
        thread::sleep(Duration::from_millis(10));
    }
    kill(Pid::from_raw(i32::try_from(child.id()).expect("a process")), signal).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let left = fs::read_dir(&folder).expect("our own folder").count();
    (stderr(&output), output.status.code(), left)
}

#[test]
fn every_signal_that_asks_for_an_end_leaves_no_folder() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGQUIT] {
        let place = Place::new(&format!("stack-flame-{signal}"));
        let args = ["-e", "cpu-clock", "--", "sh", "-c", "touch records; exec sleep 1000"];
        let (said, status, left) = ended_by(&place, signal, &args);
        assert!(said.contains("stack-flame: drawn: flame.svg, open "), "{signal}: {said}");
        assert_eq!((status, left), (Some(130), 0), "{signal}: {said}");
    }
}

/// As perf, which ends itself by the signal that it got when its program has ended. What a shell
/// starts like this ignores Ctrl-C, so the program gets another signal.
const HIDING: &str = r#"#!/bin/sh
for word; do
    [ "$word" != -- ] || break
    [ "$before" != -o ] || cat "$RECORDING" > "$word"
    before=$word
done
while [ "$1" != -- ]; do shift; done
shift
"$@" &
trap 'kill -TERM $!; wait $!; trap - INT; kill -INT $$' INT
wait $!
"#;

#[test]
fn no_end_is_claimed_of_a_program_that_catches_the_signal() {
    let place = Place::new("stack-flame-hidden-status");
    place.program("perf", HIDING);
    place.program(
        "prog",
        "#!/bin/sh\ntrap 'exit 5' TERM\ntouch records\nwhile :; do sleep 0.1; done\n",
    );
    let (said, status, _) = ended_by(&place, Signal::SIGINT, &["--call-graph", "fp", "./prog"]);
    let expected = "prog ended after signal 2 (SIGINT), with a status that perf hides\n";
    assert!(said.contains(expected) && !said.contains("was ended by"), "{said}");
    assert_eq!(status, Some(130), "{said}");
}
