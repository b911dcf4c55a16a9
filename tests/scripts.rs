//! The scripts a person types; tests of scripts/flame bring their own perf,
//! since what the real one may do differs from machine to machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

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
    for program in ["bash", "sh", "dirname", "mktemp", "rm", "uname"] {
        let found = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(program));
        let found = found.into_iter().find(|path| path.exists()).expect(program);
        std::os::unix::fs::symlink(found, place.folder.join(program)).expect("a new name");
    }
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
