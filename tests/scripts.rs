//! The scripts a person types; tests of scripts/flame bring their own perf,
//! since what the real one may do differs from machine to machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

use crate::needs::{OCAML, goes_without};
use crate::programs::{BACKTRACE, EFFECTS, FRAMES};
use crate::util::{TOOLS, binary, golden_path};

/// A perf that knows only the CPU clock, as on many virtual machines; what it
/// records is a recording of ours.
const PERF: &str = r#"#!/bin/sh
case "$1 $*" in
    *" -e cpu-clock "*) ;;
    *) echo 'perf says no' >&2; exit 255 ;;
esac
while [ "$1" != -- ]; do
    [ "$1" != -o ] || gzip -dc "$RECORDING" > "$2"
    shift
done
shift
"$@"
"#;

#[test]
fn flame_draws_the_shipped_recording() {
    let place = Place::new("flame-shipped");
    let output = place.flame(&["-o", "shipped.svg", "--folded", "shipped.folded"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("flame: drawn: shipped.svg\n"), "{said}");
    assert!(said.contains("file:///") && said.contains("/shipped.svg\n"), "{said}");
    assert!(output.stdout.is_empty());
    let picture = place.read("shipped.svg");
    assert!(picture.contains("<svg") && picture.contains("[GC]"));
    assert!(place.read("shipped.folded").contains(";[GC] "));
}

#[test]
fn flame_keeps_what_the_program_writes_and_its_status() {
    let place = Place::new("flame-program");
    let output = place.flame(&["--", "sh", "-c", "echo out; echo err >&2; exit 3"]);
    let said = stderr(&output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n");
    assert!(said.starts_with("flame: no hardware counters here: sampling by the CPU clock\nerr\n"));
    assert!(said.contains("flame: sh ended with status 3\n"), "{said}");
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(place.read("flame.svg").contains("<svg"));
}

#[test]
fn flame_names_the_functions_of_ocaml_as_their_program_does() {
    let place = Place::new("flame-ocaml");
    let script = "app 1 1.0: 1 cpu-clock:\n\tffff camlFoo.run_12+0x1 (/app)\n\n";
    fs::write(place.folder.join("script"), script).expect("a writable folder");
    let packed = Command::new("gzip").current_dir(&place.folder).arg("script").output();
    assert!(packed.expect("gzip").status.success());
    let exe = FRAMES.to_str().expect("UTF-8");
    let mut command = place.command("flame");
    command.env("RECORDING", place.folder.join("script.gz")).args([
        "--from",
        folder_of_tools(),
        "--",
        exe,
    ]);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(place.read("flame.svg").contains("Foo.Make.run (1 count"));
}

#[test]
fn flame_unwinds_ocaml_4_without_frame_pointers_by_dwarf() {
    if goes_without(&[OCAML]) {
        return;
    }
    let place = Place::new("flame-unwinding");
    // Keeps what perf was told.
    place.program("perf", &PERF.replace("#!/bin/sh\n", "#!/bin/sh\necho \"$*\" >> perf.log\n"));
    let [ocaml_4, ocaml_5] = [&*BACKTRACE, &*EFFECTS].map(|exe| exe.to_str().expect("UTF-8"));
    let by_dwarf = "flame: OCaml 4 without frame pointers: unwinding by DWARF; --fp records less\n";
    let missing =
        "flame: OCaml 5 without frame pointers: callers will be missing, see man stack-tools\n";
    for (args, kind, told) in [
        (&["--", ocaml_4][..], "dwarf", by_dwarf),
        (&["--fp", "--", ocaml_4], "fp", ""),
        (&["--dwarf", "--", ocaml_4], "dwarf", ""),
        (&["--", ocaml_5], "fp", missing),
        (&["--", "sh", "-c", "true"], "fp", ""),
    ] {
        let _ = fs::remove_file(place.folder.join("perf.log"));
        let said = stderr(&place.flame(args));
        let clock = "flame: no hardware counters here: sampling by the CPU clock\n";
        assert!(said.starts_with(&format!("{told}{clock}")), "{args:?}: {said}");
        let log = place.read("perf.log");
        assert!(log.contains(&format!(" --call-graph {kind} ")), "{args:?}: {log}");
    }
}

#[test]
fn flame_says_how_to_permit_recording() {
    let place = Place::new("flame-refused");
    place.program("perf", "#!/bin/sh\necho 'perf says no' >&2\nexit 255\n");
    let output = place.flame(&["--", "sh", "-c", "echo it ran"]);
    let said = stderr(&output);
    assert!(said.starts_with("perf says no\n"), "{said}");
    assert!(said.contains("sudo sysctl kernel.perf_event_paranoid=1\n"), "{said}");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "the program ran");
}

#[test]
fn flame_says_where_perf_comes_from() {
    let place = Place::new("flame-no-perf");
    fs::remove_file(place.folder.join("perf")).expect("it is there");
    place.link_from_system(&["bash", "sh", "dirname", "mktemp", "rm", "uname"]);
    let output = place.command("flame").env("PATH", &place.folder).args(["--", "sh"]).output();
    let output = output.expect("it starts");
    let said = stderr(&output);
    assert!(said.starts_with("flame: perf is missing"), "{said}");
    assert!(said.contains("linux-perf\n"), "{said}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn flame_names_what_it_does_not_understand() {
    let place = Place::new("flame-usage");
    for (args, message) in [
        (&["sleep", "1"][..], "flame: sleep: unexpected argument"),
        (&["-o"], "flame: -o: expected a value"),
        (&["--"], "flame: expected a program after '--'"),
        (&["--", "no-such-program"], "flame: no-such-program: no such program"),
    ] {
        let output = place.flame(args);
        assert!(stderr(&output).starts_with(message), "{args:?}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    let help = place.flame(&["--help"]);
    assert!(help.status.success() && help.stdout.starts_with(b"Draw a flame graph\n"));
}

/// A cargo whose tests do what we want; its other commands find no fault.
const CARGO: &str = r#"#!/bin/sh
[ "$1" = test ] || exit 0
echo "without $STACK_TOOLS_MISSING"
echo 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'
echo 'browser::shown: SKIPPED: chromium is missing' >&2
echo "test result: ok. 2 passed; $FAILED failed; 0 ignored; 0 measured; 0 filtered out"
exit "$FAILED"
"#;

/// scripts/test where only what every system has is found, and `programs`.
fn test_with(name: &str, programs: &[(&str, &str)], args: &[&str]) -> (String, Option<i32>) {
    let place = Place::new(name);
    let found = ["awk", "bash", "cat", "dirname", "grep", "mktemp", "rm", "sed", "sh", "tee"];
    place.link_from_system(&found);
    place.program("rustc", "#!/bin/sh\necho /no/such/folder\n");
    for (program, text) in programs {
        place.program(program, text);
    }
    let mut command = place.command("test");
    let output = command.env("PATH", &place.folder).env("FAILED", "0").args(args).output();
    let output = output.expect("it starts");
    let said = [&output.stdout[..], &output.stderr].concat();
    (String::from_utf8(said).expect("UTF-8"), output.status.code())
}

#[test]
fn test_skips_and_counts_what_needs_a_missing_program_if_told_not_to_install() {
    let apt_get = "#!/bin/sh\necho apt-get was run\n";
    let programs = [("cargo", CARGO), ("apt-get", apt_get), ("mandoc", "#!/bin/sh\n")];
    let (said, status) = test_with("test-no-install", &programs, &["--no-install"]);
    assert!(said.contains("\nwithout shellcheck script chromium chromedriver ocamlopt "), "{said}");
    assert!(said.contains(" python3 pip3 make pandas\n"), "{said}");
    let end = "browser::shown: SKIPPED: chromium is missing\n4 passed, 0 failed, 1 skipped\n";
    assert!(said.contains(&format!("filtered out\n{end}")), "{said}");
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

#[test]
fn continuous_integration_skips_nothing() {
    let ci = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/run")).expect("it");
    assert!(ci.contains("\nexec bash scripts/test < /dev/null\n"), "{ci}");
}

#[test]
fn install_puts_everything_below_the_prefix_and_takes_it_away() {
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
}

/// An empty folder to work in, with a perf of its own.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Place {
        let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), name].iter().collect();
        // What an earlier run left; at first there is nothing.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a writable target directory");
        let place = Place { folder };
        place.program("perf", PERF);
        place
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::write(&path, text).expect("a writable folder");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
    }

    /// Makes these programs of the system be found here.
    fn link_from_system(&self, programs: &[&str]) {
        for program in programs {
            let found = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(program));
            let found = found.into_iter().find(|path| path.exists()).expect(program);
            std::os::unix::fs::symlink(found, self.folder.join(program)).expect("a new name");
        }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).expect(name)
    }

    /// One of scripts/, which finds our perf first.
    fn command(&self, script: &str) -> Command {
        let mut command = Command::new([env!("CARGO_MANIFEST_DIR"), "/scripts/", script].concat());
        let path = std::env::var("PATH").expect("a PATH");
        command
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{path}", self.folder.display()))
            .env("RECORDING", golden_path("formats/perf-script/treegc-4.13.1-fp.gz"));
        command
    }

    fn flame(&self, args: &[&str]) -> Output {
        let mut command = self.command("flame");
        command.args(["--from", folder_of_tools()]).args(args).output().expect("it starts")
    }
}

fn folder_of_tools() -> &'static str {
    binary("stack-merge").trim_end_matches("/stack-merge")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
