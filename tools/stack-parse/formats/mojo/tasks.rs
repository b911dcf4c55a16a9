//! The tasks of asyncio: where each waits, and for how long.
//!
//! A recording says where a task is only if that changed. From then on it waits there for as long
//! as the samples of its thread last, except those in which it runs.

use std::collections::BTreeMap;

use super::frames::FrameIndex;
use super::threads::Thread;

/// A task that is alive.
struct Task {
    thread: usize,
    name: Vec<u8>,
    /// Where it is, root first.
    stack: Vec<FrameIndex>,
    /// The clock of its thread when it came there, and how long it ran since, in microseconds.
    since: u64,
    ran: u64,
}

/// How long a task waited where it was.
pub(super) struct Wait {
    pub(super) thread: usize,
    pub(super) name: Vec<u8>,
    /// Root first.
    pub(super) stack: Vec<FrameIndex>,
    /// In microseconds.
    pub(super) time: u64,
}

impl Task {
    fn end(self, threads: &[Thread]) -> Wait {
        let Task { thread, name, stack, since, ran } = self;
        let time = threads[thread].clock.saturating_sub(since).saturating_sub(ran);
        Wait { thread, name, stack, time }
    }
}

/// The index of a process and the id of a task.
type TaskId = (usize, u64);

/// The tasks that are alive; memory grows with them only.
#[derive(Default)]
pub(super) struct Tasks {
    tasks: BTreeMap<TaskId, Task>,
    /// The task whose frames are being read, and how many are missing.
    read: Option<(TaskId, Task, u64)>,
}

impl Tasks {
    /// Whether frames of a task are missing.
    pub(super) fn is_within_a_stack(&self) -> bool {
        self.read.is_some()
    }

    /// A task of a thread is somewhere else now, in as many of the next frames; if there are none, it
    /// is gone. An empty name is not known. Returns how long the task waited where it was.
    pub(super) fn begin(
        &mut self,
        thread: usize,
        (id, name, frames): (u64, &[u8], u64),
        threads: &[Thread],
    ) -> Option<Wait> {
        let id = (threads[thread].process, id);
        let mut before = self.tasks.remove(&id);
        if frames == 0 {
            // The end of a task may come with a sample of another process.
            let other = self.tasks.keys().find(|other| other.1 == id.1).copied();
            let before = before.or_else(|| self.tasks.remove(&other?));
            return before.map(|task| task.end(threads));
        }
        let mut name = name.to_vec();
        if let Some(before) = before.as_mut().filter(|_| name.is_empty()) {
            name.clone_from(&before.name);
        }
        let since = threads[thread].clock;
        self.read = Some((id, Task { thread, name, stack: Vec::new(), since, ran: 0 }, frames));
        before.map(|task| task.end(threads))
    }

    /// Adds the next frame of the task whose frames are being read.
    pub(super) fn call(&mut self, frame: FrameIndex) {
        let Some((id, mut task, missing)) = self.read.take() else { return };
        task.stack.push(frame);
        if missing > 1 {
            self.read = Some((id, task, missing - 1));
        } else {
            self.tasks.insert(id, task);
        }
    }

    /// A task of a process ran for so many microseconds. Returns its name, if that is known.
    pub(super) fn run(&mut self, process: usize, id: u64, time: u64) -> Option<&[u8]> {
        let task = self.tasks.get_mut(&(process, id))?;
        task.ran = task.ran.saturating_add(time);
        Some(&task.name[..]).filter(|name| !name.is_empty())
    }

    /// Ends all tasks that are still alive.
    pub(super) fn finish(&mut self, threads: &[Thread]) -> Vec<Wait> {
        std::mem::take(&mut self.tasks).into_values().map(|task| task.end(threads)).collect()
    }
}
