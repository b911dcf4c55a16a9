//! Profiles as samply writes them, which have addresses instead of names.

use std::path::Path;

use serde_json::json;

/// A program that was recorded.
#[derive(Clone, Copy)]
pub(super) struct Recorded<'a> {
    pub(super) path: &'a Path,
    /// The build-id in hexadecimal digits, or empty.
    pub(super) code_id: &'a str,
    /// The id in Breakpad's form.
    pub(super) breakpad_id: &'a str,
}

impl<'a> Recorded<'a> {
    /// A program of Linux, identified by its build-id.
    pub(super) fn new(path: &'a Path, build_id: &'a str) -> Recorded<'a> {
        Recorded { path, code_id: build_id, breakpad_id: "" }
    }

    /// A profile with one sample for each of `addresses`.
    pub(super) fn profile(self, addresses: &[u64]) -> String {
        let stacks: Vec<Vec<u64>> = addresses.iter().map(|&address| vec![address]).collect();
        self.profile_of_stacks(49, &stacks)
    }

    /// A profile of this version with one sample for each of `stacks`, root first.
    pub(super) fn profile_of_stacks(self, version: u32, stacks: &[Vec<u64>]) -> String {
        let addresses: Vec<u64> = stacks.concat();
        let count = addresses.len();
        let (mut prefixes, mut leaves) = (Vec::new(), Vec::new());
        for stack in stacks {
            let first = prefixes.len();
            prefixes
                .extend((0..stack.len()).map(|depth| depth.checked_sub(1).map(|it| first + it)));
            leaves.push(prefixes.len() - 1);
        }
        let rows: Vec<usize> = (0..count).collect();
        let times: Vec<f64> = (0..leaves.len()).map(|time| time as f64).collect();
        let names: Vec<String> = addresses.iter().map(|address| format!("{address:#x}")).collect();
        let name = self.path.file_name().and_then(|name| name.to_str()).expect("a UTF-8 name");
        json!({
            "meta": {"preprocessedProfileVersion": version, "version": 24, "interval": 1,
                "startTime": 0, "processType": 0, "symbolicated": false},
            "libs": [{"name": name, "path": self.path, "debugName": name, "debugPath": self.path,
                "breakpadId": self.breakpad_id, "codeId": self.code_id, "arch": null}],
            "threads": [{
                "name": name, "pid": "1", "tid": "1",
                "samples": {"length": leaves.len(), "stack": leaves, "time": times,
                    "weight": vec![1; leaves.len()], "weightType": "samples"},
                "stackTable": {"length": count, "prefix": prefixes, "frame": rows},
                "frameTable": {"length": count, "address": addresses, "func": rows,
                    "inlineDepth": vec![0; count]},
                "funcTable": {"length": count, "name": rows, "resource": vec![0; count]},
                "resourceTable": {"length": 1, "lib": [0], "name": [0], "type": [1]},
                "stringArray": names,
            }],
        })
        .to_string()
    }
}
