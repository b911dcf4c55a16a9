//! Debug information that only a server has: it is downloaded if the user asks for it, and never
//! otherwise.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::servers::{Server, no_server, silent_server};
use super::{ID, OTHER_ID, Program, TOOLS, WITH_ID, output, parse_command, said};
use crate::needs::goes_without;
use crate::util::weight;

const SERVER: &[&str] = &["debuginfod", "debuginfod-find"];

const WHY: &str = "no symbols for 100.0 % of all frames: it is stripped, and no debug file with \
                   its build-id 8a2b3c4d5e6f708192a3b4c5d6e7f80112233445 was found: install the \
                   package with its debug symbols, or name the folder of its debug files with \
                   --debug-dir, or build it without stripping it";

/// A stripped program, and a folder `served` with its debug information.
fn served(name: &str) -> Program {
    served_with(name, WITH_ID)
}

fn served_with(name: &str, build_id: &str) -> Program {
    let program = Program::new(name, &[build_id]);
    program.split();
    fs::create_dir(program.path("served")).expect("a new folder");
    fs::rename(program.path("app.debug"), program.path("served/app.debug")).expect("a file");
    program
}

impl Program {
    /// stack-parse of its recording; debuginfod's client asks the servers `urls`.
    fn parse(&self, args: &[&str], urls: &str) -> Command {
        let recording = self.path("perf.data");
        fs::write(&recording, self.recording().bytes).expect("a writable folder");
        let mut parse = parse_command();
        parse.args(args).arg(recording).env("DEBUGINFOD_URLS", urls);
        parse.env("DEBUGINFOD_CACHE_PATH", self.path("cache"));
        parse
    }

    /// Asserts that the recording keeps all of its weight.
    fn assert_weight(&self, output: &Output) {
        assert_eq!(weight(&output.stdout), u128::from(self.work.1));
    }

    /// Replaces debuginfod's client with a script of this text.
    fn with_client(&self, parse: &mut Command, text: &str) {
        let client = self.path("bin/debuginfod-find");
        fs::create_dir_all(self.path("bin")).expect("a writable folder");
        fs::write(&client, text).expect("a writable folder");
        fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).expect("our own file");
        let path = std::env::var("PATH").expect("a PATH");
        parse.env("PATH", format!("{}:{path}", self.path("bin").display()));
    }
}

#[test]
fn nothing_is_asked_for_without_the_option() {
    if goes_without(&[TOOLS, SERVER]) {
        return;
    }
    let program = served("unasked");
    let server = Server::start(&program.path("served"));
    let output = output(&mut program.parse(&[], &server.url()));
    program.assert_weight(&output);
    let app = program.app();
    assert_eq!(said(&output), [format!("{app}: {WHY}, or download it with --debuginfod")]);
    assert_eq!(server.requests(), [""; 0]);
    assert!(!program.path("cache").exists());
}

#[test]
fn names_and_lines_are_downloaded_once() {
    if goes_without(&[TOOLS, SERVER]) {
        return;
    }
    let program = served("asked");
    let server = Server::start(&program.path("served"));
    let run = |args: &[&str]| {
        // Each recording of a run needs the file.
        let mut parse = program.parse(args, &server.url());
        let recording = program.path("perf.data");
        let output = output(parse.args([&recording, &recording]));
        assert_eq!(said(&output), [""; 0]);
        assert_eq!(weight(&output.stdout), 3 * u128::from(program.work.1));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let folded = run(&["--debuginfod", "--srcline", "--annotate"]);
    let source = program.path("app.c");
    let inlined = format!("work ({0}:4)_[o];inner ({0}:1)_[o]_[i] ", source.display());
    assert!(folded.lines().any(|line| line.starts_with(&inlined)), "{folded}");
    assert!(folded.lines().all(|line| line.starts_with("work (")), "{folded}");
    let once = [format!("{ID}/debuginfo 200")];
    assert_eq!(server.requests(), once);
    // After that it is in the client's cache, also for users who do not ask servers.
    for args in [&["--debuginfod", "--srcline", "--annotate"][..], &["--srcline", "--annotate"]] {
        assert_eq!(run(args), folded);
        assert_eq!(server.requests(), once);
    }
}

#[test]
fn the_client_runs_once_for_each_file() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = served("once");
    let mut parse = program.parse(&["--debuginfod"], "http://127.0.0.1:1");
    let recording = program.path("perf.data");
    parse.args([&recording, &recording]).current_dir(&program.folder);
    let client = "#!/bin/sh\necho \"$*\" >> asked\n\
                  echo 'Server query failed: No such file or directory' >&2\nexit 1\n";
    program.with_client(&mut parse, client);
    let output = output(&mut parse);
    // There is a message for each recording.
    let why = format!("{}: {WHY} (no server has it)", program.app());
    assert_eq!(said(&output), [why.clone(), why.clone(), why]);
    let asked = fs::read_to_string(program.path("asked")).expect("a file");
    assert_eq!(asked, format!("debuginfo {ID}\n"));
}

#[test]
fn a_program_that_is_gone_is_downloaded_with_its_debug_file() {
    if goes_without(&[TOOLS, SERVER]) {
        return;
    }
    let program = served("gone");
    fs::rename(program.path("app"), program.path("served/app")).expect("a file");
    let server = Server::start(&program.path("served"));
    let output = output(&mut program.parse(&["--debuginfod"], &server.url()));
    program.assert_weight(&output);
    assert!(output.stdout.starts_with(b"work"), "{output:?}");
    assert_eq!(said(&output), [""; 0]);
    let expected = ["executable", "debuginfo"].map(|what| format!("{ID}/{what} 200"));
    assert_eq!(server.requests(), expected);
}

#[test]
fn what_no_server_has_is_reported() {
    if goes_without(&[TOOLS, SERVER]) {
        return;
    }
    let program = served("unknown");
    let other = Program::new("unknown-other", &[OTHER_ID]);
    fs::rename(other.path("app"), program.path("served/app.debug")).expect("a file");
    let server = Server::start(&program.path("served"));
    let output = output(&mut program.parse(&["--debuginfod"], &server.url()));
    program.assert_weight(&output);
    assert_eq!(said(&output), [format!("{}: {WHY} (no server has it)", program.app())]);
    assert_eq!(server.requests(), [format!("{ID}/debuginfo 404")]);
}

#[test]
fn without_servers_there_is_a_message() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = served("serverless");
    let expected = [
        format!("{}: {WHY}", program.app()),
        "--debuginfod downloads nothing, since DEBUGINFOD_URLS names no server: set it, such as \
         to https://debuginfod.elfutils.org"
            .to_owned(),
    ];
    for urls in [Some(""), Some(" "), None] {
        let mut parse = program.parse(&["--debuginfod"], urls.unwrap_or_default());
        if urls.is_none() {
            parse.env_remove("DEBUGINFOD_URLS");
        }
        let output = output(&mut parse);
        program.assert_weight(&output);
        assert_eq!(said(&output), expected, "{urls:?}");
    }
}

#[test]
fn a_missing_client_is_reported() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = served("clientless");
    let mut parse = program.parse(&["--debuginfod"], "http://127.0.0.1:1");
    let output = output(parse.env("PATH", "/nonexistent"));
    program.assert_weight(&output);
    let expected = [
        format!("{}: {WHY}", program.app()),
        "--debuginfod downloads nothing, since the program debuginfod-find was not found: install \
         it; packages are called debuginfod or elfutils-debuginfod-client"
            .to_owned(),
    ];
    assert_eq!(said(&output), expected);
}

#[test]
fn a_server_that_cannot_be_reached_is_reported() {
    if goes_without(&[TOOLS, SERVER]) {
        return;
    }
    let program = served("unreachable");
    let output = output(&mut program.parse(&["--debuginfod"], &no_server()));
    program.assert_weight(&output);
    let expected = [
        format!("{}: {WHY}", program.app()),
        "--debuginfod downloads nothing more, since debuginfod-find says 'Connection refused': \
         see whether the servers that DEBUGINFOD_URLS names can be reached"
            .to_owned(),
    ];
    assert_eq!(said(&output), expected);
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    if goes_without(&[TOOLS, SERVER]) {
        return;
    }
    let program = served("silent");
    assert_is_given_up(&program, &mut program.parse(&["--debuginfod=1"], &silent_server()));
}

#[test]
fn a_client_that_never_ends_is_given_up() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = served("endless");
    for client in
        ["#!/bin/sh\nexec sleep 1000\n", "#!/bin/sh\nexec yes\n", "#!/bin/sh\nexec yes >&2\n"]
    {
        let mut parse = program.parse(&["--debuginfod=1"], "http://127.0.0.1:1");
        program.with_client(&mut parse, client);
        assert_is_given_up(&program, &mut parse);
    }
}

fn assert_is_given_up(program: &Program, parse: &mut Command) {
    let started = Instant::now();
    let output = output(parse);
    let took = started.elapsed();
    program.assert_weight(&output);
    let app = program.app();
    let slow =
        "its debug information was not downloaded within 1 s: --debuginfod=SECONDS waits longer";
    assert_eq!(said(&output), [format!("{app}: {WHY}"), format!("{app}: {slow}")]);
    // The client would never end.
    assert!((1..120).contains(&took.as_secs()), "{took:?}");
}

#[test]
fn after_three_files_that_do_not_come_nothing_more_is_asked_for() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let programs: Vec<Program> = (0..4)
        .map(|number| {
            let id = format!("-Wl,--build-id=0x0{number}02030405060708090a0b0c0d0e0f1011121314");
            served_with(&format!("slow-{number}"), &id)
        })
        .collect();
    let mut parse = programs[0].parse(&["--debuginfod=1"], "http://127.0.0.1:1");
    programs[0].with_client(&mut parse, "#!/bin/sh\nexec sleep 1000\n");
    for program in &programs[1..] {
        fs::write(program.path("perf.data"), program.recording().bytes).expect("a writable folder");
        parse.arg(program.path("perf.data"));
    }
    let said = said(&output(&mut parse));
    let slow = said.iter().filter(|line| line.contains(" was not downloaded within 1 s: ")).count();
    assert_eq!(slow, 3, "{said:?}");
    let end = "--debuginfod downloads nothing more, since 3 files did not come in time: try again \
               later, or with --debuginfod=SECONDS";
    assert!(said.iter().any(|line| line == end), "{said:?}");
}

#[test]
fn a_client_is_not_waited_for_once_it_has_ended() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = served("left-behind");
    let file = program.path("served/app.debug");
    let mut parse = program.parse(&["--debuginfod"], "http://127.0.0.1:1");
    // The process that the client starts keeps its pipes open.
    let left = program.path("left");
    let client =
        format!("#!/bin/sh\nsleep 1000 &\necho $! > {}\necho {}\n", left.display(), file.display());
    program.with_client(&mut parse, &client);
    let output = parse.stdout(fs::File::create(program.path("out")).expect("a new file"));
    let status = output.stderr(std::process::Stdio::null()).status().expect("it starts");
    assert!(status.success());
    assert!(fs::read(program.path("out")).expect("a file").starts_with(b"work"));
    let left = fs::read_to_string(left).expect("its number");
    let kill = Command::new("sh").args(["-c", "kill $0", left.trim()]).status().expect("sh");
    assert!(kill.success(), "the end of what the client left behind was waited for");
}

#[test]
fn what_a_server_sends_must_be_of_the_recorded_build() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let other = Program::new("sent-other", &[OTHER_ID]);
    for is_gone in [false, true] {
        let program = served("sent");
        if is_gone {
            fs::remove_file(program.path("app")).expect("our own file");
        }
        let mut parse = program.parse(&["--debuginfod"], "http://127.0.0.1:1");
        program.with_client(&mut parse, &format!("#!/bin/sh\necho {}\n", other.app()));
        let output = output(&mut parse);
        program.assert_weight(&output);
        assert!(output.stdout.starts_with(b"[app+0x"), "{output:?}");
        let why = if is_gone {
            format!(
                "neither the file nor a copy with its build-id {ID} was found: put it below \
                     DIR, at this path, and use --symfs DIR (no server has it)"
            )
        } else {
            format!(
                "it is stripped, and the debug file {} is of another build: install the debug \
                     symbols of the same version, or name the folder of its debug files with \
                     --debug-dir (no server has it)",
                other.app()
            )
        };
        let why = format!("{}: no symbols for 100.0 % of all frames: {why}", program.app());
        assert_eq!(said(&output), [why]);
    }
}

#[test]
fn no_process_is_left() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = served("children");
    // The client ends while stack-parse still waits for the end of its input.
    let mut parse = program.parse(&["--debuginfod=1"], "http://127.0.0.1:1");
    parse.arg("-");
    program.with_client(&mut parse, "#!/bin/sh\necho $$ > client.pid\nexec sleep 1000\n");
    let mut child = parse
        .current_dir(&program.folder)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let pid_file = program.path("client.pid");
    let has_ended = || {
        let pid = fs::read_to_string(&pid_file).unwrap_or_default();
        !pid.trim().is_empty() && !Path::new("/proc").join(pid.trim()).exists()
    };
    let started = Instant::now();
    while !has_ended() && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let is_over = has_ended();
    drop(child.stdin.take());
    child.wait().expect("it ends");
    assert!(is_over, "the client is still there, or a zombie");
}
