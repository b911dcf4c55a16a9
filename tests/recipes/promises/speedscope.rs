//! What speedscope's file promises.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::Place;

/// Each thread is a profile, its time is in nanoseconds, and its stacks are in the order in which
/// the samples were taken.
pub(super) fn threads_have_stacks_in_their_order(place: &Place) {
    let text = fs::read(place.path("app.speedscope.json")).expect("it was written");
    let file: Value = serde_json::from_slice(&text).expect("JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let names: Vec<Value> =
        list(&file["shared"]["frames"]).iter().map(|it| it["name"].clone()).collect();
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for profile in list(&file["profiles"]) {
        assert_eq!(profile["unit"], "nanoseconds", "{profile}");
        let stack = |frames: &Value| {
            let frames = list(frames);
            let frames =
                frames.iter().map(|at| names[at.as_u64().expect("an index") as usize].as_str());
            frames.map(|name| name.expect("a name").to_owned()).collect::<Vec<_>>().join(";")
        };
        let mut stacks: Vec<String> = list(&profile["samples"]).iter().map(stack).collect();
        // Between samples there may be pauses without a stack.
        stacks.retain(|stack| !stack.is_empty());
        stacks.dedup();
        shown.insert(profile["name"].as_str().expect("a name").to_owned(), stacks);
    }
    // The table has the rows in the order of the recording.
    let (done, rows) = place.run("stack-parse --per-sample --labels tid app.data | stack-demangle");
    assert!(done);
    let mut taken: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows.lines().filter_map(|row| row.strip_prefix("tid=")) {
        let (tid, line) = row.split_once('\t').expect("a label");
        let (stack, _) = line.rsplit_once(' ').expect("a weight");
        taken.entry(tid.to_owned()).or_default().push(stack.to_owned());
    }
    taken.values_mut().for_each(Vec::dedup);
    assert!(
        taken.values().any(|stacks| stacks.len() > 2) && taken.len() == shown.len(),
        "{taken:?}"
    );
    for (thread, stacks) in shown {
        assert_eq!(Some(&stacks), taken.get(&thread), "{thread}");
    }
}
