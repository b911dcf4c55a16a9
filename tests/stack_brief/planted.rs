//! The programs of tests/planted: their recorded stacks, and the answers beside their sources.

use std::fs;
use std::path::PathBuf;

use regex::Regex;

use crate::util::{command, golden_path};

/// Where an answer must be.
const CHARS: usize = 1500;

struct Planted {
    name: String,
    folder: PathBuf,
    function: String,
    /// The file, and the lines of the cause.
    file: String,
    lines: Vec<u32>,
}

impl Planted {
    fn read(name: &str) -> Planted {
        let folder =
            PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/planted")).join(name);
        let answer = fs::read_to_string(folder.join("answer")).expect("an answer");
        let field = |key: &str| {
            let line = answer.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            line.unwrap_or_else(|| panic!("{name}: {key}")).to_owned()
        };
        let (mut file, mut lines) = (String::new(), Vec::new());
        for place in field("place").split(',') {
            let (path, span) = place.trim().rsplit_once(':').expect("a line");
            let (first, last) = span.split_once('-').unwrap_or((span, span));
            let [first, last]: [u32; 2] = [first, last].map(|it| it.parse().expect("a number"));
            path.clone_into(&mut file);
            lines.extend(first..=last);
        }
        Planted { name: name.to_owned(), folder, function: field("function"), file, lines }
    }

    /// The first characters of the page about it.
    fn page(&self) -> String {
        let stacks = golden_path(&format!("planted/{}.folded.gz", self.name));
        let mut tool = command("stack-brief");
        let output = tool.current_dir(&self.folder).arg(stacks).output().expect("it starts");
        let page = String::from_utf8(output.stdout).expect("UTF-8");
        page.chars().take(CHARS).collect()
    }

    /// The class and the own name, as `Session::request` of `quotes::Session::request`.
    fn short_function(&self) -> &str {
        let mut starts: Vec<usize> = vec![0];
        for separator in ["::", "."] {
            let found = self.function.match_indices(separator);
            // A dot in a receiver, `(*Resolver)`, has none.
            starts.extend(found.map(|(at, _)| at + separator.len()));
        }
        starts.sort_unstable();
        let start = starts.len().checked_sub(2).map_or(0, |at| starts[at]);
        &self.function[start..]
    }

    fn has_line(&self, page: &str) -> bool {
        let file = regex::escape(&self.file);
        let place = Regex::new(&format!(r"{file}:(\d+)(?:[^-\d]|$)")).expect("a pattern");
        let listed = Regex::new(r"(?m)^    .*(?:%|s|\.|B)  (\d+)(?:  |$)").expect("a pattern");
        let called = Regex::new(r":(\d+)").expect("a pattern");
        let is_one = |text: &str| self.lines.contains(&text.parse().expect("a number"));
        if place.captures_iter(page).any(|found| is_one(&found[1])) {
            return true;
        }
        page.split("\n## ").skip(1).any(|part| {
            let heading = part.split("\n\n    ").next().unwrap_or_default();
            let chains = part.lines().filter(|line| line.starts_with("    called by"));
            let mut chained = chains.flat_map(|line| called.captures_iter(line));
            heading.contains(&self.file)
                && (listed.captures_iter(part).any(|found| is_one(&found[1]))
                    || chained.any(|found| is_one(&found[1])))
        })
    }
}

#[test]
fn pages_name_the_planted_function_and_line() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/planted");
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut names: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    names.sort();
    let (mut functions, mut lines, mut missed) = (0, 0, Vec::new());
    for folder in &names {
        let planted = Planted::read(&folder.file_name().expect("a name").to_string_lossy());
        let page = planted.page();
        let found = [page.contains(planted.short_function()), planted.has_line(&page)];
        functions += usize::from(found[0]);
        lines += usize::from(found[0] && found[1]);
        if !(found[0] && found[1]) {
            missed.push(format!("{}: {found:?}", planted.name));
        }
    }
    assert_eq!(names.len(), 20);
    assert!(functions >= 19 && lines >= 18, "{missed:?}");
}
