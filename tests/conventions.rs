//! What design promises of every tool, checked for every tool.

use std::collections::BTreeSet;
use std::fs;

use crate::util::TOOLS;

#[test]
fn every_folder_of_tools_is_tested() {
    let folders: BTreeSet<String> = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tools"))
        .expect("tools/")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    let tested: BTreeSet<String> = TOOLS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders, tested);
}
