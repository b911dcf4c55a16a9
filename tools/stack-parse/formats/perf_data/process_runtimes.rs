//! Which runtimes the recorded processes have, by the files whose code they have mapped.

use std::collections::BTreeMap;

use stack_perf_data::MapRecord;
use symbolize::ObjectId;

use crate::read::runtimes::Runtime;

/// The runtimes of processes, and the processes of memory that is no file.
#[derive(Default)]
pub(super) struct ProcessRuntimes {
    runtimes: BTreeMap<u32, &'static Runtime>,
    processes: BTreeMap<ObjectId, u32>,
}

impl ProcessRuntimes {
    /// Notes that a process has mapped an object.
    pub(super) fn note(&mut self, object: ObjectId, map: &MapRecord<'_>) {
        if let Some(runtime) = Runtime::of_file(map.path) {
            self.runtimes.insert(map.pid, runtime);
        }
        self.processes.entry(object).or_insert(map.pid);
    }

    /// The runtime of the process that first mapped an object.
    pub(super) fn of(&self, object: ObjectId) -> Option<&'static Runtime> {
        self.runtimes.get(self.processes.get(&object)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_is_that_of_the_process_of_the_code() {
        let mut runtimes = ProcessRuntimes::default();
        let mut note = |object, pid, path: &str| {
            let (start, length, offset, build_id, file) = (0, 1, 0, None, None);
            let (is_code, is_kernel, path) = (true, false, path.as_bytes());
            let map =
                MapRecord { pid, start, length, offset, path, build_id, file, is_code, is_kernel };
            runtimes.note(ObjectId::from_index(object), &map);
        };
        note(0, 7, "//anon");
        note(1, 7, "/usr/bin/node");
        note(2, 8, "/opt/app");
        note(3, 8, "//anon");
        let remedy = |object| runtimes.of(ObjectId::from_index(object)).map(|it| it.remedy);
        assert_eq!(remedy(0), Some("node --perf-basic-prof"));
        assert_eq!(remedy(3), None);
    }
}
