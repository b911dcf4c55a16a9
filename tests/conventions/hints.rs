//! What helps a user who came from another program: options and commands of that program are
//! answered by what does it here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use common::peers::{self, EVERY_TOOL, Row};

use crate::util::{TOOLS, filter, output, tool, trouble};

// Commands that people type, and what the answer must have in it.
mod wrong_commands;

/// The options of flamegraph.pl that stack-svg has, and of stackcollapse-perf.pl that stack-parse
/// has, with a value where one is needed.
const SAME_HERE: [(&str, &[&[&str]]); 2] = [
    (
        "stack-svg",
        &[
            &["--title", "x"],
            &["--subtitle", "x"],
            &["--width", "800"],
            &["--height", "16"],
            &["--minwidth", "0.1"],
            &["--minwidth", "0.1%"],
            &["--fontsize", "11"],
            &["--countname", "bytes"],
            &["--colors", "java"],
            &["--color", "io"],
            &["--reverse"],
            &["--inverted"],
            &["--flamechart"],
        ],
    ),
    ("stack-parse", &[&["--srcline"]]),
];

#[test]
fn options_that_are_the_same_here_work() {
    for (name, options) in SAME_HERE {
        for args in options {
            let output = output(name, args, "d;f 1\n");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args:?}");
        }
    }
}

#[test]
fn other_unknown_options_are_compared_with_ours() {
    let output = tool("stack-svg").arg("--subtitel").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("a similar argument exists: '--subtitle'"), "{stderr}");
}

#[test]
fn no_tip_says_to_pass_an_option_as_a_file() {
    for (args, has_tip) in [(&["--nonsense"], false), (&["-Y"], false), (&["->next"], true)] {
        let stderr = String::from_utf8(output("stack-grep", args, "").stderr).expect("UTF-8");
        assert_eq!(stderr.contains("to pass"), has_tip, "{stderr}");
    }
}

#[test]
fn patterns_that_look_like_options_of_others_are_patterns() {
    let [dash, word] = [["-e", "-list"], ["-e", "-focus"]]
        .map(|args| output("stack-grep", &args, "a;x-list 1\na;x-focus 2\n").stdout);
    assert_eq!((&dash[..], &word[..]), (&b"a;x-list 1\n"[..], &b"a;x-focus 2\n"[..]));
}

/// The options of each tool, and its help, which has their values.
struct Help {
    text: String,
    options: BTreeSet<String>,
}

impl Help {
    fn of(name: &str) -> Help {
        let text = filter(name, &["--help"], "");
        let mut options = BTreeSet::new();
        for line in text.lines() {
            // `  -c, --count              Print`
            if line.trim_start().starts_with('-') {
                let ends = line.trim_start().split(['<', '[']).next().unwrap_or_default();
                let words = ends.split("  ").next().unwrap_or_default().split([' ', ',']);
                options.extend(words.filter(|word| word.starts_with('-')).map(str::to_owned));
            }
            if let Some((_, alias)) = line.split_once("[alias: ") {
                options.extend(alias.split(']').next().map(str::to_owned));
            }
        }
        // Aliases that the help does not show.
        let same = SAME_HERE.iter().filter(|(tool, _)| *tool == name);
        options.extend(same.flat_map(|(_, all)| all.iter().map(|args| args[0].to_owned())));
        Help { text, options }
    }

    fn has(&self, option: &str) -> bool {
        let long = format!("--{}", option.trim_start_matches('-'));
        self.options.contains(if option.len() > 2 { &*long } else { option })
    }
}

fn helps() -> BTreeMap<&'static str, Help> {
    TOOLS.into_iter().map(|(name, _)| (name, Help::of(name))).collect()
}

/// The commands in quotes in an answer.
fn quoted(answer: &str) -> impl Iterator<Item = &str> {
    // An apostrophe is within a word.
    let marks: Vec<usize> = answer
        .match_indices('\'')
        .map(|(at, _)| at)
        .filter(|&at| {
            let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
            let bytes = answer.as_bytes();
            !(is_letter(at.checked_sub(1).and_then(|at| bytes.get(at)))
                && is_letter(bytes.get(at + 1)))
        })
        .collect();
    assert!(marks.len().is_multiple_of(2), "{answer}");
    let pairs: Vec<&str> = marks.chunks(2).map(|pair| &answer[pair[0] + 1..pair[1]]).collect();
    pairs.into_iter()
}

/// Checks that all options and values of a command are those of the tool.
fn check_command(words: &[&str], help: &Help, row: Row) {
    for (at, option) in words.iter().enumerate().filter(|(_, word)| word.starts_with('-')) {
        assert!(help.has(option), "{row:?}: no {option}");
        // `FORMAT` is for the user to replace, `chrome` is a value; those of presets are a list.
        let value = words.get(at + 1).copied().unwrap_or_default();
        let is_value = value.starts_with(|first: char| first.is_ascii_lowercase())
            && !value.contains(['=', '.'])
            && *option != "--preset";
        assert!(!is_value || help.text.contains(value), "{row:?}: no {option} {value}");
    }
}

#[test]
fn answers_name_what_exists() {
    let helps = helps();
    // Words that are no command of ours.
    let others = ["perf", "sudo", "**", "^PATTERN$"];
    for row in peers::rows() {
        for tool in row.tools.split(' ') {
            let own = helps.get(tool);
            assert!(own.is_some() || tool == EVERY_TOOL, "{row:?}: no such tool");
            for command in quoted(row.answer) {
                let words: Vec<&str> = command.split(' ').collect();
                match words[0] {
                    name if helps.contains_key(name) => {
                        check_command(&words[1..], &helps[name], row);
                    }
                    "--help" | "--version" => {}
                    option if option.starts_with('-') => {
                        let help =
                            own.unwrap_or_else(|| panic!("{row:?}: {option} of which tool?"));
                        check_command(&words, help, row);
                    }
                    other => assert!(others.contains(&other), "{row:?}: {other}"),
                }
            }
        }
    }
}

#[test]
fn an_option_of_one_tool_is_answered_by_the_others() {
    let helps = helps();
    for option in helps.values().flat_map(|help| &help.options).filter(|it| it.len() > 2) {
        for (name, _) in helps.iter().filter(|(_, help)| !help.has(option)) {
            // What only stack-flame has not, as it reads no stacks.
            let is_of_filters = ["--line-buffered", "--stats"].contains(&option.as_str());
            assert!(is_of_filters || peers::answer(name, option).is_some(), "{name} {option}");
        }
    }
}

#[test]
fn every_answer_is_given() {
    let helps = helps();
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hints");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable folder");
    for (number, row) in peers::rows().enumerate() {
        for (index, word) in row.words.split(' ').enumerate() {
            // A row for every tool is tried with another tool for each word.
            let (any, _) = TOOLS[(number + index) % TOOLS.len()];
            for name in row.tools.split(' ').map(|it| if it == EVERY_TOOL { any } else { it }) {
                let option = word.split('=').next().unwrap_or_default();
                // Another spelling of an option of its own is no word of others.
                if (name, option) == ("stack-svg", "--flame-chart") {
                    continue;
                }
                let is_own = option.starts_with('-') && helps[name].has(option);
                let expected = peers::answer(name, word);
                assert!(row.tools == EVERY_TOOL || expected == Some(row.answer), "{row:?} {word}");
                if is_own && !word.contains('=') {
                    assert_eq!(row.tools, EVERY_TOOL, "{row:?}: {name} has {word}");
                    continue;
                }
                let Some(expected) = expected else { panic!("{row:?}: {name} {word}") };
                check_answer(name, word, expected, &folder);
            }
        }
    }
}

/// Types a word at a tool, in an empty folder.
fn check_answer(name: &str, word: &str, expected: &str, folder: &std::path::Path) {
    let word = word.replace('*', "x");
    let mut command = tool(name);
    // Words such as `sort` and `script` are programs, too.
    command.current_dir(folder).env("PATH", folder).arg(&word).write_stdin("");
    // What a tool needs before it opens a file.
    match name {
        "stack-diff" if !word.starts_with('-') => drop(command.arg("other")),
        "stack-grep" if !word.starts_with('-') => drop(command.args(["-e", "x"])),
        "stack-export" if !word.starts_with('-') => drop(command.args(["--to", "dot"])),
        // It needs a terminal first.
        "stack-view" if !word.starts_with('-') => return,
        _ => {}
    }
    let output = command.output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains(expected), "{name} {word}: {expected}\n{stderr}");
    let is_program = name == "stack-flame" && !word.starts_with('-');
    let expected = if is_program { 127 } else { trouble(name) };
    assert_eq!(output.status.code(), Some(expected), "{name} {word}");
}
