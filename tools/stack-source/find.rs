//! Where the source is, which may have been compiled elsewhere.

mod toolchains;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use clap::Args;
use hashbrown::HashMap;

use toolchains::Toolchains;

/// Where sources may be.
#[derive(Args, Clone, Debug)]
pub(crate) struct SourceArgs {
    /// Where the sources are, if not where they were compiled; the longest end of a path that
    /// exists there is used; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Take this off the beginning of paths; may be given several times
    #[arg(long, value_name = "PREFIX")]
    trim_path: Vec<PathBuf>,
}

/// The sources that were asked for.
pub(crate) struct Sources {
    args: SourceArgs,
    toolchains: Toolchains,
    /// By their paths as they were recorded; `None` if it was not found.
    known: HashMap<Vec<u8>, Option<Source>>,
}

/// The text of a source.
#[derive(Debug)]
pub(crate) struct Source {
    /// Where it was found.
    pub(crate) file: PathBuf,
    text: Vec<u8>,
    /// Where its lines are in the text.
    lines: Vec<Range<usize>>,
}

impl Source {
    fn read(file: PathBuf) -> Option<Source> {
        let text = fs::read(&file).ok()?;
        let start = text.as_ptr() as usize;
        let range = |line: &[u8]| {
            let at = line.as_ptr() as usize - start;
            at..at + line.len()
        };
        let whole = text.strip_suffix(b"\n").unwrap_or(&text);
        let lines = common::io::lines(whole).map(range).collect();
        Some(Source { file, text, lines })
    }

    /// How many lines it has.
    pub(crate) fn len(&self) -> u32 {
        self.lines.len() as u32
    }

    /// The text of a line, counted from 1, if there is such a line.
    pub(crate) fn line(&self, number: u32) -> Option<&[u8]> {
        let index = (number as usize).checked_sub(1)?;
        self.lines.get(index).map(|range| &self.text[range.clone()])
    }
}

impl Sources {
    pub(crate) fn new(args: SourceArgs) -> Sources {
        Sources { args, toolchains: Toolchains::default(), known: HashMap::new() }
    }

    /// Looks for the source with this path, unless that was done before.
    pub(crate) fn look_for(&mut self, recorded: &[u8]) {
        if !recorded.is_empty() && !self.known.contains_key(recorded) {
            let source = self.find(recorded).and_then(Source::read);
            self.known.insert(recorded.to_vec(), source);
        }
    }

    /// What was found for this path.
    pub(crate) fn get(&self, recorded: &[u8]) -> Option<&Source> {
        self.known.get(recorded)?.as_ref()
    }

    fn find(&mut self, recorded: &[u8]) -> Option<PathBuf> {
        // Node writes the files of modules like this.
        let path = recorded.strip_prefix(b"file://").unwrap_or(recorded);
        let path = trimmed(path, &self.args.trim_path);
        let as_recorded = path.to_path_lossy().into_owned();
        if as_recorded.is_file() {
            return Some(as_recorded);
        }
        let below = longest_end(path, &self.args.source_path);
        below.or_else(|| self.toolchains.find(path))
    }

    /// The message about the sources that were not found.
    pub(crate) fn hint(&self) -> Option<String> {
        let missing = self.known.iter().filter(|(_, source)| source.is_none());
        let mut missing: Vec<&[u8]> = missing.map(|(path, _)| &path[..]).collect();
        missing.sort_unstable();
        let (first, others) = missing.split_first()?;
        let others = match others.len() {
            0 => String::new(),
            1 => " and of 1 other file".to_owned(),
            more => format!(" and of {more} other files"),
        };
        let of_rust = missing.iter().any(|path| toolchains::is_of_rust(path));
        let rust = if of_rust { ", 'rustup component add rust-src' brings Rust's own" } else { "" };
        let first = first.as_bstr();
        Some(format!("no source of {first}{others}: --source-path DIR says where it is{rust}"))
    }
}

/// The path without the first of these prefixes that it has.
fn trimmed<'a>(path: &'a [u8], prefixes: &[PathBuf]) -> &'a [u8] {
    let rest_after = |prefix: &PathBuf| {
        let prefix = prefix.as_os_str().as_encoded_bytes();
        let rest = path.strip_prefix(prefix)?;
        match rest.strip_prefix(b"/") {
            Some(rest) => Some(rest),
            None => prefix.ends_with(b"/").then_some(rest),
        }
    };
    prefixes.iter().find_map(rest_after).unwrap_or(path)
}

/// The file whose path below one of the folders is the longest end of `path` that exists there.
fn longest_end(path: &[u8], folders: &[PathBuf]) -> Option<PathBuf> {
    let is_separator = |byte: u8| matches!(byte, b'/' | b'\\');
    let starts = (0..path.len()).filter(|&at| at == 0 || is_separator(path[at - 1]));
    let mut ends = starts.map(|at| &path[at..]).filter(|end| !is_separator(end[0]));
    ends.find_map(|end| below(end, folders))
}

/// The first file with this path below one of the folders.
fn below(path: &[u8], folders: &[impl AsRef<Path>]) -> Option<PathBuf> {
    let path = path.replace(b"\\", b"/");
    let mut files = folders.iter().map(|folder| folder.as_ref().join(path.to_path_lossy()));
    files.find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_end_where_a_folder_ends() {
        let prefixes = ["/build", "/x/"].map(PathBuf::from);
        for (path, expected) in [
            ("/build/src/a.c", "src/a.c"),
            ("/builder/a.c", "/builder/a.c"),
            ("/x/a.c", "a.c"),
            ("/y/build/a.c", "/y/build/a.c"),
        ] {
            assert_eq!(trimmed(path.as_bytes(), &prefixes).as_bstr(), expected);
        }
    }

    #[test]
    fn the_longest_end_wins_in_whatever_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        for file in [one.join("a.c"), one.join("b.c"), two.join("lib/a.c")] {
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, "").expect("a file");
        }
        let folders = [one.clone(), two.clone()];
        for (path, expected) in [
            ("/src/lib/a.c", Some(two.join("lib/a.c"))),
            ("lib/a.c", Some(two.join("lib/a.c"))),
            ("C:\\src\\lib\\a.c", Some(two.join("lib/a.c"))),
            ("/src/app/a.c", Some(one.join("a.c"))),
            ("a.c", Some(one.join("a.c"))),
            ("/src/c.c", None),
            // A folder is not a source.
            ("/src/lib", None),
        ] {
            assert_eq!(longest_end(path.as_bytes(), &folders), expected, "{path}");
        }
    }

    #[test]
    fn lines_are_counted_from_1() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "one\r\n\nthree").expect("a file");
        let source = Source::read(file.path().to_path_buf()).expect("a source");
        let lines = [0, 1, 2, 3, 4].map(|number| source.line(number).map(<[u8]>::as_bstr));
        assert_eq!(
            lines,
            [None, Some("one"), Some(""), Some("three"), None].map(|it| it.map(Into::into))
        );
        assert_eq!(source.len(), 3);
    }
}
