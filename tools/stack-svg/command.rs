//! The command line that the picture shows, to draw it again with the same options.

use std::ffi::OsString;

use common::shell;

use crate::escape::visible;

/// The tool's name and its options, without files, `-o` and `--stats`: equal stacks give equal
/// pictures, whatever their file is called.
pub(crate) fn words(args: impl Iterator<Item = OsString>) -> String {
    let mut command = vec![env!("CARGO_BIN_NAME").to_owned()];
    let mut args = args.map(|arg| arg.to_string_lossy().into_owned()).peekable();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--" => break,
            "-o" | "--output" => drop(args.next()),
            "--stats" | "--line-buffered" => {}
            _ if arg.starts_with("--output=") || !arg.starts_with("--") => {}
            _ if takes_value(&arg) => {
                command.push(arg);
                command.extend(args.next().map(|value| shell::argument(&value)));
            }
            _ => command.push(shell::argument(&arg)),
        }
    }
    visible(&command.join(" "))
}

/// Whether the next word is the value of this option, and not a file.
fn takes_value(arg: &str) -> bool {
    const FLAGS: [&str; 6] =
        ["--reverse", "--flamechart", "--flame-chart", "--diff", "--no-script", "--inverted"];
    !arg.contains('=') && !FLAGS.contains(&arg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_has_no_files() {
        let table = [
            ("", "stack-svg"),
            ("a.folded --stats -o x.svg", "stack-svg"),
            ("--diff a --title it's --output=x - -ox", r"stack-svg --diff --title 'it'\''s'"),
            ("--width=9 a --unit ns -- --b", "stack-svg --width=9 --unit ns"),
        ];
        for (given, expected) in table {
            assert_eq!(words(given.split_whitespace().map(OsString::from)), expected, "{given}");
        }
    }
}
