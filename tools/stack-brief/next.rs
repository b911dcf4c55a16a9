//! What to ask next: commands with the user's own paths.

use std::path::{Path, PathBuf};

use common::names::{bare_name, printable_name};
use common::shell::{argument, word};
use regex_syntax::escape;

use crate::profile::{Measure, Profile};
use crate::rows::Row;
use crate::width::WIDTH;

/// The longest command that fits into a line of the page.
const LONGEST: usize = WIDTH - 4;

/// Where the stacks are from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    /// The recording, for stack-flame.
    Recording(&'a Path),
    /// The only file of folded stacks.
    Stacks(&'a Path),
    /// A pipe, or several files.
    Unknown,
}

impl Origin<'_> {
    /// The name of the file without its folders.
    pub(crate) fn file(self) -> Option<String> {
        let (Origin::Recording(file) | Origin::Stacks(file)) = self else { return None };
        Some(file.file_name()?.to_string_lossy().into_owned())
    }
}

/// A command, and what it answers.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) text: String,
    pub(crate) answers: &'static str,
}

impl Command {
    fn new(answers: &'static str, text: String) -> Command {
        Command { text, answers }
    }

    fn fits(&self) -> bool {
        self.text.chars().count() <= LONGEST
    }
}

/// Commands as lines, with what they answer where there is room.
pub(crate) fn lines(commands: &[Command]) -> Vec<String> {
    let line = |it: &Command| {
        let line = format!("{}  # {}", it.text, it.answers);
        if line.chars().count() <= LONGEST { line } else { it.text.clone() }
    };
    commands.iter().map(line).collect()
}

/// At most three commands.
pub(crate) fn commands(
    profile: &Profile,
    first: Option<&Row<'_>>,
    origin: Origin<'_>,
) -> Vec<Command> {
    let has_path = profile.column(Measure::Path).is_some();
    let pattern = first.map(|row| word(&pattern(row.name)));
    let has_lines = first.is_some_and(|row| !row.lines.is_empty());
    let path = |path: &Path| argument(&path.to_string_lossy());
    let mut commands = Vec::new();
    match origin {
        Origin::Recording(file) => {
            let file = path(file);
            let source = pattern.filter(|_| has_lines);
            let source = source.map(|it| format!("stack-flame -i {file} --source={it}"));
            commands.extend(source.map(|it| Command::new("all its lines", it)));
            let critical = has_path.then(|| format!("stack-flame -i {file} --critical"));
            commands.extend(critical.map(|it| Command::new("what would gain most", it)));
            commands.push(Command::new("a picture", format!("stack-flame -i {file}")));
        }
        Origin::Stacks(file) => {
            let file = path(file);
            let critical = has_path.then(|| format!("stack-critical --gains {file}"));
            if let Some(pattern) = pattern {
                let source = format!("stack-source --sort own -e {pattern} {file}");
                commands.extend(has_lines.then(|| Command::new("all its lines", source)));
                let callers = format!("stack-top --callers {pattern} {file}");
                commands.push(Command::new("who calls it", callers));
                commands.extend(critical.map(|it| Command::new("what would gain most", it)));
                let picture = format!("stack-grep {pattern} {file} | stack-svg > flame.svg");
                commands.push(Command::new("a picture of it", picture));
            }
        }
        Origin::Unknown => {}
    }
    commands.retain(Command::fits);
    commands.truncate(3);
    commands
}

/// What to ask of two sides that were compared.
pub(crate) fn of_change(sides: [&[PathBuf]; 2]) -> Vec<Command> {
    let words = sides.map(|files| {
        let files = files.iter().map(|file| argument(&file.to_string_lossy()));
        files.collect::<Vec<_>>().join(" ")
    });
    let [before, after] = &words;
    let all = format!("stack-diff --before {before} --after {after}");
    let mut commands = vec![Command::new("all that changed", all)];
    if sides.iter().all(|files| files.len() == 1) {
        let drawn = format!("stack-diff --folded {before} {after} | stack-svg --diff > diff.svg");
        commands.push(Command::new("a picture of it", drawn));
    }
    commands.retain(Command::fits);
    commands
}

/// A pattern that matches the function, and hardly others.
fn pattern(name: &[u8]) -> String {
    let name = printable_name(name);
    let bare = bare_name(&name);
    let rest = &name[bare.len()..];
    let end = match rest.chars().next() {
        None => "$",
        Some('(') => "\\(",
        Some(_) => "",
    };
    format!("^{}{end}", escape(bare))
}
