//! The threads and tasks that events belong to.

use hashbrown::HashMap;

use super::event::TraceEvent;
use crate::read::held::Thread;
use crate::samples::Span;

/// The threads of a trace, and the tasks, which move from thread to thread.
#[derive(Default)]
pub(super) struct Threads {
    numbers: HashMap<Vec<u8>, u32>,
    list: Vec<Whose>,
    /// Names by process id, and by process and thread id.
    processes: HashMap<Vec<u8>, Vec<u8>>,
    threads: HashMap<Vec<u8>, Vec<u8>>,
    key: Vec<u8>,
}

struct Whose {
    pid: Vec<u8>,
    tid: Vec<u8>,
    /// The id of a task; `None` for a thread.
    task: Option<Vec<u8>>,
    /// Whether events of the task are of several threads.
    moves: bool,
}

impl Threads {
    /// The index of the thread of an event.
    pub(super) fn of_event(&mut self, event: &TraceEvent) -> u32 {
        self.number(event, [b"t", &event.pid, &event.tid, b""])
    }

    /// The index of the task of an event.
    pub(super) fn of_task(&mut self, event: &TraceEvent) -> u32 {
        self.number(event, [b"", &event.pid, &event.category, &event.id])
    }

    fn number(&mut self, event: &TraceEvent, key: [&[u8]; 4]) -> u32 {
        join(&key, &mut self.key);
        let next = self.list.len() as u32;
        let number = *self.numbers.entry_ref(&self.key[..]).or_insert(next);
        if number == next {
            let (pid, tid) = (event.pid.clone(), event.tid.clone());
            let task = key[0].is_empty().then(|| event.id.clone());
            self.list.push(Whose { pid, tid, task, moves: false });
        } else if key[0].is_empty() {
            let task = &mut self.list[number as usize];
            task.moves |= task.tid != event.tid;
        }
        number
    }

    /// Notes the name of a thread or a process, if the event has one.
    pub(super) fn name(&mut self, event: &TraceEvent) {
        match &event.name[..] {
            b"process_name" => _ = self.processes.insert(event.pid.clone(), event.named.clone()),
            b"thread_name" => {
                join(&[&event.pid, &event.tid], &mut self.key);
                self.threads.insert(self.key.clone(), event.named.clone());
            }
            _ => {}
        }
    }

    /// Whether this is a task.
    pub(super) fn is_task(&self, number: u32) -> bool {
        self.list[number as usize].task.is_some()
    }

    /// Whose the spans of a thread or task are. Those of a task that moves may be of any thread of its
    /// process.
    pub(super) fn span(&self, number: u32) -> Span<'_> {
        let Whose { pid, tid, task, moves } = &self.list[number as usize];
        let tid = if *moves { b"" } else { &tid[..] };
        Span { pid, tid, id: task.as_deref().unwrap_or_default(), ..Span::default() }
    }

    /// The properties that samples of an event share. A thread without a name gets that of its
    /// process.
    pub(super) fn get(&self, number: u32, event: &[u8]) -> Thread {
        let Whose { pid, tid, .. } = &self.list[number as usize];
        let mut key = Vec::new();
        join(&[pid, tid], &mut key);
        let name = self.threads.get(&key).filter(|name| !name.is_empty());
        let process = self.processes.get(pid);
        let name = name.or(process).cloned().unwrap_or_default();
        let process = process.cloned().unwrap_or_default();
        let (pid, tid, event) = (pid.clone(), tid.clone(), event.to_vec());
        Thread { name, pid, tid, event, process, ..Thread::default() }
    }
}

fn join(parts: &[&[u8]], key: &mut Vec<u8>) {
    key.clear();
    for part in parts {
        key.extend_from_slice(part);
        key.push(0);
    }
}
