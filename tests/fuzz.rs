//! The code that `scripts/fuzz` runs and that nothing else runs: it must keep up with the tools.

use crate::util::TOOLS;

const TARGETS: &str = include_str!("fuzz/targets");

/// They run other programs, or need a terminal.
const NOT_FUZZED: [&str; 2] = ["stack-flame", "stack-view"];

#[test]
fn every_tool_that_runs_alone_is_fuzzed() {
    let tools = TOOLS.map(|(name, _)| name);
    for tool in tools.into_iter().filter(|tool| !NOT_FUZZED.contains(tool)) {
        let short = tool.strip_prefix("stack-").expect("a name of ours");
        let is_of_tool = |line: &str| line.split_whitespace().nth(2) == Some(short);
        assert!(TARGETS.lines().any(is_of_tool), "tests/fuzz/targets: no target for {tool}");
    }
}
