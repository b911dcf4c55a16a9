//! Where the source is, which may have been compiled elsewhere.

mod reach;
mod readable;
mod toolchains;

use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::stacks::Room;
use bstr::ByteSlice;
use clap::Args;
use hashbrown::HashMap;

use reach::{Reach, is_within};
use toolchains::Toolchains;

pub use readable::readable;

/// The largest source that is read, in bytes. What people write, and sources in one file such as
/// SQLite's, have fewer than 10 MB.
const LARGEST: u64 = 16 << 20;

/// Where sources may be.
#[derive(Args, Clone, Debug)]
pub struct SourceArgs {
    /// Where the sources are, if not below this folder; the longest end of a path that exists
    /// there is used; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Take this off the beginning of paths; may be given several times
    #[arg(long, value_name = "PREFIX")]
    trim_path: Vec<PathBuf>,
}

/// The sources that were asked for.
pub struct Sources {
    args: SourceArgs,
    reach: Reach,
    toolchains: Toolchains,
    /// By their paths as they were recorded.
    known: HashMap<Vec<u8>, Result<Source, Missing>>,
}

/// Why there is no source.
#[derive(Debug)]
enum Missing {
    NotFound,
    /// Whoever wrote the profile chose this file, and nobody said that it may be read.
    OutOfReach(PathBuf),
    TooLarge,
}

/// The text of a source.
#[derive(Debug)]
pub struct Source {
    /// Where it was found.
    pub file: PathBuf,
    text: Vec<u8>,
    /// Where its lines are in the text.
    lines: Vec<Range<usize>>,
}

impl Source {
    fn read(file: PathBuf) -> Result<Source, Missing> {
        let found = fs::metadata(&file).ok().filter(fs::Metadata::is_file);
        let size = found.ok_or(Missing::NotFound)?.len();
        if size > LARGEST {
            return Err(Missing::TooLarge);
        }
        let mut text = Vec::new();
        // Some files of /proc wait for what comes next, so no more than the size says is read.
        let read = File::open(&file).and_then(|open| open.take(size).read_to_end(&mut text));
        read.map_err(|_| Missing::NotFound)?;
        let start = text.as_ptr() as usize;
        let whole = text.strip_suffix(b"\n").unwrap_or(&text);
        let mut lines = Vec::new();
        for line in crate::io::lines(whole) {
            let at = line.as_ptr() as usize - start;
            lines.make_room(1);
            lines.push(at..at + line.len());
        }
        Ok(Source { file, text, lines })
    }

    /// How many lines it has.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// The text of a line, counted from 1, if there is such a line.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let index = (number as usize).checked_sub(1)?;
        self.lines.get(index).map(|range| &self.text[range.clone()])
    }
}

impl Sources {
    /// Sources that are looked for where these arguments say.
    #[must_use]
    pub fn new(args: SourceArgs) -> Sources {
        let reach = Reach::of(&args.source_path);
        Sources { args, reach, toolchains: Toolchains::default(), known: HashMap::new() }
    }

    /// Looks for the source with this path, unless that was done before.
    pub fn look_for(&mut self, recorded: &[u8]) {
        if !recorded.is_empty() && !self.known.contains_key(recorded) {
            let source = self.find(recorded).and_then(Source::read);
            self.known.insert(recorded.to_vec(), source);
        }
    }

    /// What was found for this path.
    pub fn get(&self, recorded: &[u8]) -> Option<&Source> {
        self.known.get(recorded)?.as_ref().ok()
    }

    fn find(&mut self, recorded: &[u8]) -> Result<PathBuf, Missing> {
        // Node writes the files of modules like this.
        let path = recorded.strip_prefix(b"file://").unwrap_or(recorded);
        let path = trimmed(path, &self.args.trim_path);
        let as_recorded = path.to_path_lossy().into_owned();
        let exists = as_recorded.is_file();
        if exists && self.reach.has(&as_recorded) {
            return Ok(as_recorded);
        }
        let below = longest_end(path, &self.args.source_path);
        let found = below.or_else(|| self.toolchains.find(path));
        let missing = if exists { Missing::OutOfReach(as_recorded) } else { Missing::NotFound };
        found.ok_or(missing)
    }

    /// The messages about the sources that were not read.
    pub fn hints(&self) -> Vec<String> {
        let mut missing: Vec<(&[u8], &Missing)> = Vec::new();
        for (path, source) in &self.known {
            missing.extend(source.as_ref().err().map(|why| (&path[..], why)));
        }
        missing.sort_unstable_by_key(|(path, _)| *path);
        let of = |is_of: fn(&Missing) -> bool| {
            let these = missing.iter().filter(|(_, why)| is_of(why));
            these.copied().collect::<Vec<_>>()
        };
        let not_found = of(|why| matches!(why, Missing::NotFound));
        let out_of_reach = of(|why| matches!(why, Missing::OutOfReach(_)));
        let too_large = of(|why| matches!(why, Missing::TooLarge));
        let is_of_rust = not_found.iter().any(|(path, _)| toolchains::is_of_rust(path));
        let of_rust =
            if is_of_rust { ", 'rustup component add rust-src' brings Rust's own" } else { "" };
        let folder = out_of_reach.iter().find_map(|(_, why)| why.folder()).unwrap_or_default();
        let folder = crate::shell::argument(&folder);
        let hints = [
            named(&not_found).map(|sources| {
                format!("no {sources}: --source-path DIR says where it is{of_rust}")
            }),
            named(&out_of_reach).map(|sources| {
                format!(
                    "the {sources} is not below this folder and was not read: \
                     --source-path {folder} allows it"
                )
            }),
            named(&too_large).map(|sources| {
                format!("the {sources} is over {} MiB and was not read", LARGEST >> 20)
            }),
        ];
        hints.into_iter().flatten().collect()
    }
}

impl Missing {
    /// The folder that must be named for a file out of reach to be read.
    fn folder(&self) -> Option<String> {
        let Missing::OutOfReach(file) = self else { return None };
        Some(fs::canonicalize(file).ok()?.parent()?.display().to_string())
    }
}

/// `source of a.c and of 2 other files`
fn named(files: &[(&[u8], &Missing)]) -> Option<String> {
    let ((first, _), others) = files.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => " and of 1 other file".to_owned(),
        more => format!(" and of {more} other files"),
    };
    Some(format!("source of {}{others}", first.as_bstr()))
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

/// The first file with this path below one of the folders, where neither `..` nor a link leads out
/// of it.
fn below(path: &[u8], folders: &[impl AsRef<Path>]) -> Option<PathBuf> {
    let path = path.replace(b"\\", b"/");
    let found = |folder: &Path| {
        let file = folder.join(path.to_path_lossy());
        (file.is_file() && is_within(&file, folder)).then_some(file)
    };
    folders.iter().find_map(|folder| found(folder.as_ref()))
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
        assert_eq!(source.line_count(), 3);
    }
}
