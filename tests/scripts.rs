//! The scripts that users run.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

use crate::needs::{NEED_ALL, SHELL, goes_without};
use crate::place::{Place, folder_of_tools};
use crate::util::TOOLS;
use crate::util::stderr;

#[test]
fn flame_draws_the_shipped_recording() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("flame-shipped");
    let output = place.flame(&["-o", "shipped.svg", "--folded", "shipped.folded"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("stack-flame: drawn: shipped.svg, open "), "{said}");
    assert!(said.contains("file:///") && said.contains("/shipped.svg\n"), "{said}");
    assert!(output.stdout.is_empty());
    let picture = place.read("shipped.svg");
    assert!(picture.contains("treegc: an OCaml 4.13 program") && picture.contains("[GC]"));
    assert!(place.read("shipped.folded").contains(";[GC] "));
}

#[test]
fn flame_hands_a_program_to_stack_flame() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("flame-program");
    let output = place.flame(&["--", "sh", "-c", "echo out; echo err >&2; exit 3"]);
    let said = stderr(&output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n");
    assert!(said.starts_with("err\n") && said.contains("sh ended with status 3\n"), "{said}");
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(place.read("flame.svg").contains("<svg"));
}

#[test]
fn flame_says_what_it_takes() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("flame-usage");
    let help = place.flame(&["--help"]);
    assert!(help.status.success() && help.stdout.starts_with(b"Draw a flame graph\n"));
    let output = place.flame(&["sleep", "1"]);
    assert!(!output.status.success(), "{}", stderr(&output));
}

/// The table of scripts/fresh, which installs nothing here, and the page go together.
#[test]
fn fresh_finds_in_the_page_how_to_record() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("fresh-list");
    let fresh = |option: &str| place.command("fresh").arg(option).output().expect("it starts");
    let help = fresh("--help");
    assert!(
        help.status.success() && help.stdout.starts_with(b"Install the newest release of each")
    );
    let list = fresh("--list");
    assert!(list.status.success(), "{}", stderr(&list));
    let list = String::from_utf8(list.stdout).expect("UTF-8");
    let row = |line: &str| {
        list.lines().any(|it| it.split_whitespace().collect::<Vec<_>>().join(" ") == line)
    };
    assert!(row("py-spy folded py-spy record -f raw -o out.txt -p PID"), "{list}");
    assert!(row("perf perf-script perf record -g -o perf.data PROG; perf script"), "{list}");
    let output = fresh("no-such-profiler");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

/// A cargo whose tests have the result that we want; its other commands succeed.
const CARGO: &str = r#"#!/bin/sh
[ "$1 $2" = 'test --workspace' ] || exit 0
case "$*" in *--no-run) exit ;; esac
echo "all needed: ${STACK_TOOLS_NEED_ALL:-no}"
echo 'running 2 tests'
echo 'test browser::shown ... ok'
echo 'test limits::a_long_line ... ok'
echo 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'
echo 'browser::shown: SKIPPED: chromium is missing' >&2
echo "test result: ok. 2 passed; $FAILED failed; 0 ignored; 0 measured; 0 filtered out"
exit "$FAILED"
"#;

/// scripts/test, which finds only the programs of every system, and `programs`.
fn test_with(name: &str, programs: &[(&str, &str)], args: &[&str]) -> (String, Option<i32>) {
    let place = Place::new(name);
    place.link_from_system(&[
        "awk", "bash", "cat", "cut", "dirname", "grep", "head", "mktemp", "nproc", "rm", "sed",
        "sh", "sort", "tee",
    ]);
    place.program("rustc", "#!/bin/sh\necho /no/such/folder\n");
    for (program, text) in programs {
        place.program(program, text);
    }
    let mut command = place.command("test");
    // The script may run this test; then it reports what the tests need.
    command.env_remove(NEED_ALL).env("PATH", &place.folder).env("FAILED", "0");
    let output = command.args(args).output();
    let output = output.expect("it starts");
    let said = [&output.stdout[..], &output.stderr].concat();
    (String::from_utf8(said).expect("UTF-8"), output.status.code())
}

#[test]
fn test_skips_and_counts_what_needs_a_missing_program_with_no_install() {
    if goes_without(&[SHELL]) {
        return;
    }
    let apt_get = "#!/bin/sh\necho apt-get was run\n";
    let programs = [("cargo", CARGO), ("apt-get", apt_get), ("mandoc", "#!/bin/sh\n")];
    let (said, status) = test_with("test-no-install", &programs, &["--no-install"]);
    assert!(said.contains("\nall needed: no\n"), "{said}");
    let end = "browser::shown: SKIPPED: chromium is missing\n4 passed, 0 failed, 1 skipped\n";
    assert!(said.ends_with(end), "{said}");
    let (_, slowest) = said.split_once("filtered out\nThe slowest tests:\n").expect("a list");
    let is_listed = |name: &str| slowest.contains(&format!(" 0.0 s  {name}\n"));
    assert!(is_listed("browser::shown") && is_listed("limits::a_long_line"), "{said}");
    assert!(said.contains("-- shellcheck is missing: "), "{said}");
    assert!(!said.contains("apt-get was run") && !said.contains("-- mandoc"), "{said}");
    assert_eq!(status, Some(0), "{said}");

    let failing = CARGO.replace("$FAILED", "1");
    let programs = [("cargo", &*failing)];
    let (said, status) = test_with("test-failing", &programs, &["--no-install"]);
    assert!(said.ends_with("4 passed, 1 failed, 1 skipped\n") && status == Some(1), "{said}");
}

#[test]
fn test_says_what_it_installs_and_why_and_fails_where_it_cannot() {
    if goes_without(&[SHELL]) {
        return;
    }
    let apt_get = "#!/bin/sh\necho \"apt-get $*\" >&2\n";
    let root = [("id", "#!/bin/sh\necho 0\n"), ("env", "#!/bin/sh\nshift\n\"$@\"\n")];
    let programs = [&root[..], &[("cargo", CARGO), ("apt-get", apt_get)]].concat();
    let (said, status) = test_with("test-install", &programs, &[]);
    let announced = "test: installing with apt-get, as root (--no-install does without):\n\
                     test:   mandoc to check the man pages (mandoc)\n";
    assert!(said.starts_with(announced), "{said}");
    let purpose = "test:   chromium-driver to drive that browser (chromedriver)\n";
    let install = said.find("install -y --no-install-recommends mandoc shellcheck ");
    assert!(said.find(purpose) < install && install.is_some(), "{said}");
    assert!(said.contains("\ntest: missing, and could not be installed"), "{said}");
    assert_eq!(status, Some(2), "{said}");
}

/// A cargo whose tests fail in the second run, and which notes the processes that run beside it.
#[cfg(target_os = "linux")]
const CARGO_THAT_FAILS_ONCE: &str = r#"#!/bin/sh
case "$*" in *--no-run) exit ;; esac
echo run >> runs
cat /proc/$PPID/task/$PPID/children > beside
echo 'browser::shown: SKIPPED: chromium is missing' >&2
echo 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out'
[ "$(grep -c run runs)" = 2 ] || exit 0
echo "---- $* stdout ----"
echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored'
exit 101
"#;

#[cfg(target_os = "linux")]
#[test]
fn test_runs_a_few_tests_again_and_again_beside_busy_processes() {
    use std::time::{Duration, Instant};

    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("test-steady-runs");
    let runs =
        CARGO_THAT_FAILS_ONCE.replace("beside", &format!("{}/beside", place.folder.display()));
    let runs = runs.replace(" runs", &format!(" {}/runs", place.folder.display()));
    let args = ["--no-install", "--steady", "shown", "3"];
    let (said, status) = test_with("test-steady", &[("cargo", &runs)], &args);
    let skipped = "browser::shown: SKIPPED: chromium is missing\n";
    let expected = format!(
        "run 1 of 3\nrun 2 of 3\n{skipped}\
         test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out\n\
         ---- test --workspace --lib --bins --tests --locked --no-fail-fast -- shown stdout ----\n\
         test result: FAILED. 1 passed; 1 failed; 0 ignored\nrun 3 of 3\n\
         {skipped}{skipped}{skipped}1 passed, 1 failed, 3 skipped\n"
    );
    assert_eq!((said, status), (expected, Some(1)));
    let beside = place.read("beside");
    let beside: Vec<&str> = beside.split_whitespace().collect();
    // The last one is cargo itself.
    let processors = std::thread::available_parallelism().expect("a number").get();
    assert_eq!(beside.len(), processors + 1);
    // They were told to end.
    let began = Instant::now();
    while beside.iter().any(|id| Path::new("/proc").join(id).exists()) {
        assert!(began.elapsed() < Duration::from_secs(60), "{beside:?} are left");
        std::thread::sleep(Duration::from_millis(20));
    }
    for args in [&["--steady"][..], &["--steady", "shown", "often"]] {
        let (said, status) = test_with("test-steady", &[("cargo", "#!/bin/sh\nexit 7\n")], args);
        let needs = "test: --steady needs a NAME, and TIMES is a number, see --help\n";
        assert_eq!((&*said, status), (needs, Some(2)));
    }
}

#[test]
fn continuous_integration_reads_the_recordings_that_are_beside_the_clone() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("ci");
    let ci = include_str!("../.ci/run");
    for folder in ["clone/.ci", "clone/scripts"] {
        fs::create_dir_all(place.folder.join(folder)).expect("a new folder");
    }
    place.program("clone/.ci/run", ci);
    place.program("clone/scripts/test", "echo \"${STACK_TOOLS_DATA:-none}\"\n");
    let said = || {
        let mut run = place.here(&place.folder.join("clone/.ci/run"));
        let output = run.env_remove("STACK_TOOLS_DATA").output().expect("it starts");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(said(), "none\n");
    fs::create_dir_all(place.folder.join("shared/data")).expect("a new folder");
    let data = place.folder.join("shared/data");
    assert_eq!(said(), format!("{}\n", data.canonicalize().expect("it is there").display()));
}

#[test]
fn continuous_integration_skips_nothing() {
    let ci = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/run")).expect("it");
    assert!(ci.contains("\nexec bash scripts/test < /dev/null\n"), "{ci}");
    let test = include_str!("../scripts/test");
    assert!(test.contains("\n    export STACK_TOOLS_NEED_ALL=1\nfi\n"), "{test}");
}

#[test]
fn install_adds_the_documents_to_what_cargo_installed() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("install-docs");
    let mut command = place.command("install");
    command.args(["--docs", "--from", folder_of_tools(), "--prefix"]).arg(&place.folder);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(place.read("share/man/man1/stack-merge.1").contains(".Dt STACK-MERGE 1"));
    assert!(place.read("share/fish/vendor_completions.d/stack-merge.fish").contains("complete"));
    assert!(!place.folder.join("bin").exists());
}

#[test]
fn install_puts_everything_below_the_prefix_and_takes_it_away() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = Place::new("install");
    let install = |args: &[&str]| {
        let mut command = place.command("install");
        command.env("DESTDIR", place.folder.join("root")).args(["--prefix", "/usr"]).args(args);
        let output = command.output().expect("it starts");
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let usr = place.folder.join("root/usr");
    let installed = install(&["--from", folder_of_tools()]);
    for (name, _) in TOOLS {
        let version = Command::new(usr.join("bin").join(name)).arg("--version").output();
        assert!(version.expect("it starts").stdout.starts_with(name.as_bytes()));
        for (file, start) in [
            (format!("share/bash-completion/completions/{name}"), "complete -F".to_owned()),
            (format!("share/zsh/site-functions/_{name}"), format!("#compdef {name}")),
            (format!("share/fish/vendor_completions.d/{name}.fish"), "complete -c".to_owned()),
            (format!("share/man/man1/{name}.1"), ".Dd ".to_owned()),
        ] {
            let text = fs::read_to_string(usr.join(&file)).expect(&file);
            assert!(text.contains(&start), "{file}:\n{text}");
        }
    }
    assert!(usr.join("share/man/man5/folded-stack.5").exists());
    assert!(installed.lines().all(|line| Path::new(line).is_file()), "{installed}");
    assert_eq!(install(&["--uninstall"]), installed);
    assert!(!installed.lines().any(|line| Path::new(line).exists()));
    let output = place.command("install").args(["--uninstall", "--prefix", "/nowhere"]).output();
    let output = output.expect("it starts");
    let said = "install: nothing is installed below /nowhere: --prefix says where it is\n";
    assert_eq!((stderr(&output), output.status.code()), (said.to_owned(), Some(2)));
}
