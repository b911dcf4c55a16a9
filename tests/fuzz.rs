//! The crate that `scripts/fuzz` builds, which nothing else does: it must keep up with the tools.

use std::collections::BTreeMap;

use regex::Regex;

use crate::util::TOOLS;

const CRATE: &str = include_str!("fuzz/Cargo.toml");
const TARGETS: &str = include_str!("fuzz/targets");

#[test]
fn every_tool_but_the_wrapper_is_fuzzed() {
    let tools = TOOLS.map(|(name, _)| name);
    for tool in tools.into_iter().filter(|&tool| tool != "stack-flame") {
        let source = format!("path = \"../../tools/{tool}/main.rs\"\n");
        assert!(CRATE.contains(&source), "tests/fuzz/Cargo.toml: expected '{source}'");
        let short = tool.strip_prefix("stack-").expect("a name of ours");
        let is_of_tool = |line: &str| line.split_whitespace().nth(2) == Some(short);
        assert!(TARGETS.lines().any(is_of_tool), "tests/fuzz/targets: no target for {tool}");
    }
}

/// `bstr = "1.13"` and `nix = { version = "0.31.3", ...`
fn versions(manifest: &str) -> BTreeMap<&str, &str> {
    let version = Regex::new(r#"(?m)^([\w-]+) = (?:\{ version = )?"(\d[^"]*)""#).expect("a regex");
    let pairs = version.captures_iter(manifest).map(|found| found.extract::<2>().1);
    pairs.map(|[name, version]| (name, version)).collect()
}

#[test]
fn it_is_built_of_the_same_versions() {
    let ours = versions(include_str!("../Cargo.toml"));
    let (_, dependencies) = CRATE.split_once("# Those of the tools.\n").expect("its dependencies");
    for (name, version) in versions(dependencies) {
        assert_eq!(ours.get(name), Some(&version), "tests/fuzz/Cargo.toml: {name}");
    }
}
