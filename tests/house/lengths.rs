//! Short files and functions. Tests and tables may be longer.

use super::{code_of, crates, files_below, read, shown};

/// The most lines of a file, without the tests in it, and of a function.
const MOST_IN_FILE: usize = 400;
const MOST_IN_FUNCTION: usize = 50;

/// The name of the function that begins with the first of these lines, and how many lines it has.
fn function(lines: &[String]) -> Option<(&str, usize)> {
    let line = lines.first()?;
    let indent = &line[..line.len() - line.trim_start().len()];
    let (before, after) = line.split_once("fn ")?;
    let is_word = |word: &str| {
        let words = ["pub", "const", "unsafe", "extern", "\"C\""];
        words.iter().any(|known| word.starts_with(known))
    };
    let name = after.split(['(', '<']).next()?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !before.split_whitespace().all(is_word) || !is_name {
        return None;
    }
    let signature = lines.iter().position(|line| line.ends_with(['{', ';', '}']))?;
    let is_end = |line: &String| line.strip_prefix(indent) == Some("}");
    let end = lines[signature].ends_with('{').then(|| lines.iter().position(is_end)).flatten();
    Some((name, end.unwrap_or(signature) + 1))
}

fn functions(lines: &[String]) -> impl Iterator<Item = (&str, usize)> {
    (0..lines.len()).filter_map(|at| function(&lines[at..]))
}

#[test]
fn files_and_functions_are_short() {
    let mut long = Vec::new();
    for folder in crates() {
        for (path, lines) in code_of(&folder) {
            let file = shown(&path);
            if lines.len() > MOST_IN_FILE {
                long.push(format!("{file} has {} lines", lines.len()));
            }
            let functions = functions(&lines).filter(|(_, length)| *length > MOST_IN_FUNCTION);
            long.extend(
                functions.map(|(name, length)| format!("{file}: {name} has {length} lines")),
            );
        }
        let is_page = |ending: &std::ffi::OsStr| ending == "js" || ending == "css";
        for path in files_below(&folder) {
            let lines = path.extension().is_some_and(is_page).then(|| read(&path).lines().count());
            if let Some(lines) = lines.filter(|lines| *lines > MOST_IN_FILE) {
                long.push(format!("{} has {lines} lines", shown(&path)));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn functions_are_measured_from_their_names_to_their_ends() {
    let code = "trait T {\n    fn declared(\n        &self,\n    ) -> u8;\n\n    fn given(&self) -> u8 {\n        \
        0\n    }\n}\n\npub(crate) const fn short() {}\n\nfn long<T>(\n    one: T,\n) {\n    call(|| {\n    });\n}";
    let lines: Vec<String> = code.lines().map(str::to_owned).collect();
    let lengths: Vec<_> = functions(&lines).collect();
    assert_eq!(lengths, [("declared", 3), ("given", 3), ("short", 1), ("long", 6)]);
}
