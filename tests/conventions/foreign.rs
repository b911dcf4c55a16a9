//! Files that hold no folded stacks: every tool says what they are, and which command reads them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::util::{
    EXECUTABLE, binary, feed, folded_tools, golden_path, output, recording, scratch, tool,
};

/// The command that a tool should name: its own, with stack-parse before it.
fn pipeline(name: &str, file: &str) -> String {
    let options = match name {
        "stack-source" => " --srcline",
        "stack-brief" => " --header --annotate --srcline",
        _ => "",
    };
    // What the tests give to each tool.
    let args = match name {
        "stack-brief" => " --recording app.data",
        "stack-export" => " --to callgrind",
        "stack-grep" => " .",
        _ => "",
    };
    format!("stack-parse{options}{file} | {name}{args}\n")
}

#[test]
fn every_tool_names_the_format_once_and_the_command_that_reads_it() {
    let table =
        output("stack-parse", &["--table"], recording("formats/perf-script/fresh-header.gz"));
    for (bytes, format) in [
        (recording("formats/perf-script/fresh-header.gz"), "perf-script"),
        (recording("formats/perf-data/dwarf-deep-8k.perf.data.gz"), "perf-data"),
        (recording("formats/pprof/go-cpu.pb.gz"), "pprof"),
        (recording("formats/jfr/jdk17-alloc.jfr.gz"), "jfr"),
        (recording("formats/pstats/demo.pstats.gz"), "pstats"),
        (recording("formats/svg/inferno.svg.gz"), "svg"),
        (recording("formats/landmarks-text/demo.txt.gz"), "landmarks-text"),
        // Its first lines are empty.
        (recording("formats/dtrace/execname.txt"), "dtrace"),
    ] {
        for name in folded_tools().filter(|name| *name != "stack-parse") {
            let output = feed(name, &[], &bytes);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let hint = format!("{name}: <stdin>: it is {format}, not folded stacks: ");
            assert_eq!(stderr.matches(&hint).count(), 1, "{name}: {stderr}");
            // What it is explains what is wrong with its lines. That of a few bytes is known at
            // their end.
            assert!(bytes.len() < 512 || stderr.starts_with(&hint), "{name}: {stderr}");
            assert!(stderr.contains(&[&hint[..], &pipeline(name, "")].concat()), "{stderr}");
            assert_eq!(output.status.code(), Some(2), "{name}");
        }
    }
    for name in folded_tools().filter(|name| *name != "stack-parse") {
        let stderr = String::from_utf8(feed(name, &[], &table.stdout).stderr).expect("UTF-8");
        assert!(stderr.contains("it looks like the table of 'stack-parse --table': "), "{stderr}");
        let program = fs::read(EXECUTABLE).expect("an executable");
        let stderr = String::from_utf8(feed(name, &[], &program).stderr).expect("UTF-8");
        assert!(stderr.contains("an executable: stack-symbols lists its functions"), "{stderr}");
    }
}

/// A recording of each format, where one is detected without options.
fn recordings() -> Vec<(String, PathBuf)> {
    let files = |path: &Path| {
        let files = fs::read_dir(path).expect("a folder").map(|it| it.expect("an entry").path());
        let mut files: Vec<PathBuf> = files.collect();
        files.sort();
        files
    };
    let is_recording = |path: &PathBuf| {
        let ends = ["args", "folded", "weight", "err"];
        path.is_file() && !path.extension().is_some_and(|end| ends.iter().any(|it| end == *it))
    };
    files(&golden_path("formats"))
        .into_iter()
        .filter(|folder| !["du", "find", "folded"].iter().any(|it| folder.ends_with(it)))
        .filter_map(|folder| {
            let name = folder.file_name()?.to_str()?.to_owned();
            Some((name, files(&folder).into_iter().find(is_recording)?))
        })
        .collect()
}

#[test]
fn every_format_of_stack_parse_is_known_to_a_filter() {
    let recordings = recordings();
    assert!(recordings.len() > 55, "{}", recordings.len());
    for (format, path) in recordings {
        let output = tool("stack-merge").arg(&path).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let names = [&format[..], "JSON"].map(|name| format!("it is {name}, not folded stacks: "));
        assert!(names.iter().any(|name| stderr.contains(name)), "{format}: {stderr}");
    }
}

#[test]
fn the_named_command_works() {
    let path = scratch("foreign.perf-script", recording("formats/perf-script/fresh-header.gz"));
    let path = path.to_str().expect("UTF-8");
    let output = output("stack-top", &["--tsv", path], "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let (_, command) = stderr.split_once("not folded stacks: ").expect("a command");
    let command = command.lines().next().expect("a line");
    assert_eq!(command, format!("stack-parse {path} | stack-top --tsv"));
    let folder = Path::new(binary("stack-top")).parent().expect("a folder");
    let shell =
        std::process::Command::new("/bin/sh").args(["-c", command]).env("PATH", folder).output();
    let printed = shell.expect("a shell").stdout;
    assert!(printed.starts_with(b"function\tself\ttotal\n"), "{command}");
    assert!(printed.len() > 100, "{command}");
}

#[test]
fn of_two_files_the_other_one_stays_in_the_command() {
    let foreign = scratch("foreign-of-two.svg", recording("formats/svg/inferno.svg.gz"));
    let other = scratch("other-of-two.folded", "a;b 1\n");
    let [foreign, other] = [&foreign, &other].map(|path| path.to_str().expect("UTF-8"));
    for name in ["stack-diff", "stack-merge", "stack-svg"] {
        let stderr = String::from_utf8(output(name, &[foreign, other], "").stderr).expect("UTF-8");
        assert!(
            stderr.contains(&format!("stack-parse {foreign} | {name} - {other}\n")),
            "{stderr}"
        );
    }
}

#[test]
fn tools_that_read_something_else_name_the_format_too() {
    let svg = recording("formats/svg/inferno.svg.gz");
    for (name, expected) in [
        ("stack-heat", "it is svg, not folded stacks: stack-parse --labels since | stack-heat\n"),
        ("stack-view", "it is svg, not folded stacks: stack-parse | stack-view\n"),
        ("stack-symbols", "expected an executable, found svg, which stack-parse reads\n"),
    ] {
        let stderr = String::from_utf8(output(name, &[], &svg).stderr).expect("UTF-8");
        assert!(stderr.contains(expected), "{name}: {stderr}");
    }
}

#[test]
fn a_damaged_line_among_good_ones_is_no_other_format() {
    for name in folded_tools() {
        let output = feed(name, &[], "main;a 1\n\t  55d0c6a8b1c9 main (/demo)\nmain;b 2\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.lines().count(), 1, "{name}: {stderr}");
    }
}

#[test]
fn folded_stacks_whose_first_line_is_damaged_are_called_nothing_else() {
    for name in folded_tools().filter(|name| *name != "stack-parse") {
        let output = feed(name, &[], "in;b\nmain;a 1\nmain;b 2\nmain;c 3\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.lines().count(), 1, "{name}: {stderr}");
    }
}

#[test]
fn many_foreign_files_are_not_all_described() {
    let path = scratch("foreign-of-many.svg", recording("formats/svg/inferno.svg.gz"));
    let path = path.to_str().expect("UTF-8");
    let stderr = String::from_utf8(output("stack-merge", &[path; 20], "").stderr).expect("UTF-8");
    assert_eq!(stderr.matches("it is svg").count(), 3, "{stderr}");
}

#[test]
fn a_tool_without_stack_parse_beside_it_says_what_writes_stacks() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("alone");
    fs::create_dir_all(&folder).expect("a writable folder");
    let alone = folder.join("stack-merge");
    // A file that this process wrote cannot be run while another test starts a process.
    let copied = std::process::Command::new("cp").arg(binary("stack-merge")).arg(&alone).status();
    assert!(copied.expect("cp").success());
    let svg = scratch("foreign-alone.svg", recording("formats/svg/inferno.svg.gz"));
    let output = std::process::Command::new(alone).arg(&svg).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let svg = svg.display();
    let command = format!("stack-parse writes folded stacks: stack-parse {svg} | stack-merge\n");
    assert!(stderr.contains(&command), "{stderr}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn detect_says_what_files_are() {
    let path = scratch("detect.svg", recording("formats/svg/inferno.svg.gz"));
    let path = path.to_str().expect("UTF-8");
    let about = "Flame graphs as pictures: stack-svg, flamegraph.pl, inferno";
    let said = output("stack-parse", &["--detect", path, "-"], "\n");
    assert_eq!(
        String::from_utf8_lossy(&said.stdout),
        format!("{path}: svg, {about}\n<stdin>: nothing, it is empty\n")
    );
    assert_eq!(said.status.code(), Some(0));
    let said = output("stack-parse", &["--detect", "--tsv"], "hello\n");
    assert_eq!(said.stdout, b"file\tformat\tabout\n<stdin>\t\tunknown\n");
    assert_eq!(said.status.code(), Some(1));
}
