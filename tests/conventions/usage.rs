//! What a person types to learn about a tool.

use crate::util::{TOOLS, filter, tool, trouble};

#[test]
fn help_starts_with_one_sentence() {
    for (name, _) in TOOLS {
        let help = filter(name, &["--help"], "");
        let (sentence, rest) = help.split_once('\n').expect("more than a line");
        assert!(sentence.starts_with(|first: char| first.is_uppercase()), "{name}: {sentence}");
        assert!(!sentence.contains(". "), "{name}: {sentence}");
        assert!(rest.starts_with('\n'), "{name}: a sentence and a blank line:\n{help}");
        assert!(help.contains(&format!("\nUsage: {name} [OPTIONS]")), "{name}:\n{help}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    for (name, _) in TOOLS {
        let expected = format!("{name} {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(filter(name, &["--version"], ""), expected);
        assert_eq!(filter(name, &["-V"], ""), expected);
    }
}

#[test]
fn an_unknown_option_is_named_and_is_an_error() {
    for (name, _) in TOOLS {
        let output = tool(name).arg("--no-such-option").output().expect("it starts");
        let stderr = String::from_utf8(output.stderr).expect("UTF-8 messages");
        assert_eq!(output.status.code(), Some(trouble(name)), "{name}");
        assert!(stderr.starts_with(&format!("{name}: unexpected argument")), "{name}: {stderr}");
        assert!(stderr.contains("--no-such-option"), "{name}: {stderr}");
        assert!(output.stdout.is_empty(), "{name} writes to stdout");
    }
}

#[test]
fn every_shell_can_complete_every_tool() {
    for (name, _) in TOOLS {
        for shell in ["bash", "zsh", "fish"] {
            let script = filter(name, &["--completions", shell], "");
            assert!(script.contains(name), "{name} --completions {shell}: {script}");
        }
    }
}
