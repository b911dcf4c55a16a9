//! What is promised of every tool, checked for every tool.

use std::collections::BTreeSet;
use std::fs;

use crate::util::TOOLS;

// What no user asks for: limits of the system, closed files, bytes that are not text.
mod edges;

// What is read: files, standard input, every shape of folded lines.
mod reading;

// Labels before a stack.
mod labels;

// What comes out: the lines, the accounts, the messages, and when.
mod writing;

// What a person types to learn about a tool.
mod usage;

// Hints for those who came from another program.
mod hints;

// Files that hold no folded stacks.
mod foreign;

// The man pages, which must say what the tools do.
mod pages;

// Memory that ends.
mod memory;

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
