//! Names of the program that ran, where another one is at its path: with the real perf.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::needs::{goes_without, skip};
use crate::place::Place;
use crate::programs::RECORD;
use crate::util::{command, stderr};

/// Two functions, and a line of output when the program runs: a time to act.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) long FIRST(long n)
{ volatile long s = 1; for (long i = 0; i < n; i++) s += i * i; return s; }
__attribute__((noinline)) long SECOND(long n)
{ volatile long s = 2; for (long i = 0; i < n; i++) s += i * 3; return s; }
int main(int count, char **words)
{
    puts("runs");
    fflush(stdout);
    for (long left = atol(words[1]); left > 0; left--)
        if (FIRST(1000000) == SECOND(4000000)) puts("equal");
    return 0;
}
"#;

/// Enough rounds of the program for a recording.
const ROUNDS: &str = "40";

/// Two programs: `app` is at a path, where `inside` ran.
struct Two {
    place: Place,
}

impl Two {
    /// `None` where this machine cannot record one in the place of the other.
    fn new(name: &str) -> Option<Two> {
        let needs = ["perf", "cc", "unshare", "mount", "chroot", "bash"];
        if goes_without(&[&needs]) {
            return None;
        }
        let is_root = Command::new("unshare").args(["-m", "true"]).status();
        if !is_root.expect("it starts").success() {
            skip("only root can make namespaces");
            return None;
        }
        let place = Place::new(name);
        fs::write(place.folder.join("app.c"), SOURCE).expect("a writable folder");
        let two = Two { place };
        two.compile("app", ["host_first", "host_second"]);
        two.compile("inside", ["inside_second", "inside_first"]);
        // The root of a file system with the one that ran at the path of the other.
        let below = two.root().join(two.path("app").strip_prefix("/").expect("a whole path"));
        fs::create_dir_all(below.parent().expect("a folder")).expect("a writable folder");
        fs::copy(two.path("inside"), below).expect("a writable folder");
        Some(two)
    }

    fn compile(&self, name: &str, [first, second]: [&str; 2]) {
        let names = [format!("-DFIRST={first}"), format!("-DSECOND={second}")];
        let options = ["-O1", "-g", "-static", "-fno-omit-frame-pointer", "app.c", "-o", name];
        let mut cc = Command::new("cc");
        let status = cc.args(options).args(names).current_dir(&self.place.folder).status();
        assert!(status.expect("a compiler of C").success());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.folder.join(name)
    }

    fn root(&self) -> PathBuf {
        self.path("root")
    }

    /// Records what a script of bash runs, whose first words are the paths of the two programs and
    /// the folder of the root.
    fn record(&self, script: &str) {
        let mut bash = Command::new("bash");
        bash.args(["-c", script, "bash"]).args(self.words());
        self.perf(bash);
    }

    fn words(&self) -> [PathBuf; 3] {
        [self.path("app"), self.path("inside"), self.root()]
    }

    fn perf(&self, program: Command) {
        let mut perf = Command::new("perf");
        perf.args(RECORD).args(["-e", "cpu-clock:u", "-F", "499", "-g", "-m", "1024", "-o"]);
        perf.arg(self.path("perf.data")).arg("--").arg(program.get_program());
        let status = perf.args(program.get_args()).stdout(Stdio::null()).status();
        assert!(status.expect("perf").success());
    }

    /// The folded stacks of the program, and the messages. perf keeps copies of files in the home
    /// folder.
    fn parse(&self, args: &[&str]) -> (String, String) {
        let mut parse = command("stack-parse");
        parse.args(args).arg(self.path("perf.data")).env("HOME", "/nonexistent");
        let output = parse.output().expect("it starts");
        assert!(output.status.success(), "{output:?}");
        let folded = String::from_utf8_lossy(&output.stdout).into_owned();
        let of_app = folded.split_inclusive('\n').filter(|line| line.starts_with("app;"));
        (of_app.collect(), stderr(&output))
    }

    /// Asserts that the messages warn, and that the way out that they name leads to the right
    /// names.
    fn assert_way_out(&self, warning: &str) {
        let (_, said) = self.parse(&[]);
        let app = self.path("app").display().to_string();
        assert!(said.contains(&format!("{app}{warning}")), "{said}");
        assert!(said.contains("--symfs DIR"), "{said}");
        let root = self.root();
        let (folded, said) = self.parse(&["--symfs", root.to_str().expect("UTF-8")]);
        assert!(!said.contains("may be wrong"), "{said}");
        let weight = |name: &str| -> u64 {
            let lines = folded.lines().filter(|line| line.contains(name));
            lines.map(|line| line.rsplit(' ').next().expect("a weight")).map(count).sum()
        };
        assert_eq!(weight("host_"), 0, "{folded}");
        assert!(weight(";main;inside_") * 100 >= weight("") * 95, "{folded}");
    }
}

fn count(weight: &str) -> u64 {
    weight.parse().expect("a weight")
}

const ANOTHER: &str = " is another file than when it was recorded, so its names may be wrong: use \
                       --symfs DIR, where DIR is the root of its container or chroot \
                       (/proc/PID/root while that runs), or has the recorded file at this path";

const IN_NAMESPACE: &str = r#"mount --bind "$2" "$1" && exec "$1" "#;

#[test]
fn a_program_of_a_namespace_that_is_gone() {
    let Some(two) = Two::new("other-gone") else { return };
    two.record(&format!("exec unshare -m bash -c '{IN_NAMESPACE} {ROUNDS}' bash \"$@\""));
    two.assert_way_out(ANOTHER);
}

/// perf enters the namespace of a process that still runs, and lists the build-id of its program.
#[test]
fn a_program_of_a_namespace_that_is_there() {
    let Some(two) = Two::new("other-there") else { return };
    let mut bash = Command::new("unshare");
    bash.args(["-m", "bash", "-c", &format!("{IN_NAMESPACE} 1000000"), "bash"]);
    let mut program = Started(bash.args(two.words()).stdout(Stdio::piped()).spawn().expect("bash"));
    program.wait_for_a_line();
    let pid = program.0.id().to_string();
    let data = two.path("perf.data");
    let mut perf = Command::new("perf");
    perf.args(RECORD).args(["-e", "cpu-clock:u", "-F", "499", "-g", "-p", &pid, "-o"]);
    let status = perf.arg(data).args(["--", "sleep", "1"]).status().expect("perf");
    assert!(status.success());
    drop(program);
    two.assert_way_out(": no symbols for ");
}

#[test]
fn a_program_of_a_chroot() {
    let Some(two) = Two::new("other-chroot") else { return };
    two.record(&format!("exec chroot \"$3\" \"$1\" {ROUNDS}"));
    two.assert_way_out(ANOTHER);
}

#[test]
fn a_program_that_was_replaced_while_it_ran() {
    let Some(two) = Two::new("other-replaced") else { return };
    let app = two.path("app");
    fs::rename(&app, two.path("newer")).expect("our own file");
    fs::copy(two.path("inside"), &app).expect("our own file");
    let script = "\"$1\" %ROUNDS% | { read line; mv \"${1%/*}/newer\" \"$1\"; cat; }";
    two.record(&script.replace("%ROUNDS%", ROUNDS));
    two.assert_way_out(ANOTHER);
}

#[test]
fn a_program_that_is_the_one_that_ran() {
    let Some(two) = Two::new("other-not") else { return };
    two.record(&format!("exec \"$1\" {ROUNDS}"));
    let (folded, said) = two.parse(&[]);
    assert!(folded.contains(";main;host_first "), "{folded}");
    assert_eq!(said, "");
}

/// A program that runs until it is dropped.
struct Started(Child);

impl Started {
    fn wait_for_a_line(&mut self) {
        let mut byte = [0];
        let output = self.0.stdout.as_mut().expect("a pipe");
        std::io::Read::read_exact(output, &mut byte).expect("a line");
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
