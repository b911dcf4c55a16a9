//! Promises that every tool must keep, checked for every tool.

use std::collections::BTreeSet;
use std::fs;

use crate::util::TOOLS;

// Edge cases: limits of the system, closed files, bytes that are not text.
mod edges;

// Input: files, standard input, every form of folded lines.
mod reading;

// Header lines.
mod header_lines;

// Labels before a stack.
mod labels;

// Output: the lines, the sums of --stats, the messages, and when they appear.
mod writing;

// What a person types to learn about a tool.
mod usage;

// Hints for users of other programs.
mod hints;

// Files that hold no folded stacks.
mod foreign;

// The man pages, which must say what the tools do.
mod pages;

// Running out of memory.
mod memory;

// Standard input that is closed.
#[cfg(target_os = "linux")]
mod closed_input;

/// The names in a folder of the project.
fn names_in(folder: &str) -> BTreeSet<String> {
    fs::read_dir([env!("CARGO_MANIFEST_DIR"), "/", folder].concat())
        .expect("a folder of the project")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect()
}

#[test]
fn every_folder_of_tools_is_tested() {
    let tested: BTreeSet<String> = TOOLS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names_in("tools"), tested);
}
