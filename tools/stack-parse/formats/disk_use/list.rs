//! Lists of files with their sizes in bytes: of `tar tv`, `ls -lR` and `find -ls`.
//!
//! ```text
//! -rw-r--r-- root/root     33000 2026-11-20 19:33 tree/a.bin
//!
//! tree/sub:
//! total 400
//! -rw-r--r-- 1 root root 409600 Nov 20 19:33 big
//!
//! 10190940   36 -rw-r--r--  2 root  root   33000 Nov 20 19:33 tree/a\ b.bin
//! ```

use std::collections::HashSet;

use common::{Result, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::listed::{Listed, word};
use crate::read::paths::{parts, unescaped};
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Samples, Weighs};

pub(in crate::formats) const FORMAT: Format = Format::new(
    "file-list",
    "Lists of files with their sizes: tar tv, ls -lR, find -ls",
    detect,
    parse,
)
.weighs(Weighs::Exact);

/// Whether the first line that is neither empty, nor the name of a folder, nor the sum of its
/// blocks lists a file.
fn detect(head: &Head<'_>) -> bool {
    let is_start = |line: &&[u8]| !line.is_empty() && !line.ends_with(b":") && !is_total(line);
    head.lines().take(9).find(is_start).is_some_and(|line| ListedFile::parse(line).is_some())
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[Measure { name: b"", unit: b"bytes" }]);
    let mut list = List::default();
    for_each_line(input, |number, line| list.line(number, line, samples))?;
    list.report(samples);
    Ok(())
}

/// A line that lists a file.
struct ListedFile<'a> {
    /// The number that all names of a file share; only find prints it.
    inode: Option<u64>,
    file: Listed<'a>,
}

impl<'a> ListedFile<'a> {
    fn parse(line: &'a [u8]) -> Option<ListedFile<'a>> {
        if let Some(file) = Listed::parse(line) {
            return Some(ListedFile { inode: None, file });
        }
        let (inode, rest) = word(line)?;
        let (blocks, rest) = word(rest)?;
        decimal(blocks)?;
        Some(ListedFile { inode: Some(decimal(inode)?), file: Listed::parse(rest)? })
    }
}

/// `total 48`, the blocks of a folder.
fn is_total(line: &[u8]) -> bool {
    line.strip_prefix(b"total ").is_some_and(|blocks| decimal(blocks).is_some())
}

/// A list that is being read.
#[derive(Default)]
struct List {
    /// The folder of the lines that follow, from the last line `folder:` of ls.
    folder: Vec<u8>,
    /// Whether the line before was blank; `None` before the first line.
    is_blank: Option<bool>,
    /// The inodes of files with several names that were counted.
    counted: HashSet<u64>,
    /// The number of further names of those files, and their bytes, which are not counted.
    again: (u64, u128),
    /// The number of files with several names in a list without inodes.
    several_names: u64,
}

impl List {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let is_new_part = self.is_blank.replace(line.is_empty()).unwrap_or(true);
        if let Some(entry) = ListedFile::parse(line) {
            return self.add(&entry, samples);
        }
        match line.strip_suffix(b":") {
            Some(folder) if is_new_part => self.folder = folder.to_vec(),
            _ if line.is_empty() || is_total(line) => {}
            _ => samples.skipped.add(number, "expected a file with its mode, owner, size and time"),
        }
        Ok(())
    }

    fn add(&mut self, entry: &ListedFile<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let ListedFile { inode, file } = entry;
        if file.kind == b'-' && file.links > 1 {
            match inode {
                Some(inode) if !self.counted.insert(*inode) => {
                    self.again.0 += 1;
                    self.again.1 += u128::from(file.size);
                    return Ok(());
                }
                Some(_) => {}
                None => self.several_names += 1,
            }
        }
        // ls does not escape names unless it writes to a terminal.
        let name =
            if file.is_tar || inode.is_some() { unescaped(file.name) } else { file.name.to_vec() };
        let mut stack: Vec<_> = parts(&self.folder).map(|part| samples.frame(part)).collect();
        stack.extend(parts(&name).map(|part| samples.frame(part)));
        samples.add(&Sample { weights: &[file.size], ..Sample::default() }, &stack)
    }

    fn report(&self, samples: &mut Samples<'_>) {
        let (names, bytes) = self.again;
        if names > 0 {
            samples.note(format_args!(
                "{names} names are hard links to files that were counted before: {bytes} bytes \
                 are not counted again"
            ));
        }
        let what = "names are hard links of files with several names: each is counted";
        samples.note_count(self.several_names, what);
    }
}
