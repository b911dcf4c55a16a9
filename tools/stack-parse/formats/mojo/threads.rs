//! The threads of a recording.

use bstr::ByteSlice;
use common::folded::Label;
use common::numbers::hexadecimal;
use hashbrown::HashMap;

use super::event::Origin;
use super::frames::FrameIndex;

/// A thread, and its last stack.
pub(super) struct Thread {
    /// The index of its process.
    pub(super) process: usize,
    pub(super) pid: Vec<u8>,
    pub(super) interpreter: Option<Vec<u8>>,
    /// Its id in decimal, or its name.
    tid: Vec<u8>,
    /// The interpreter and the thread, `0:6360`; without an interpreter the thread alone.
    pub(super) id: Vec<u8>,
    /// The frames of its last sample, without those that belong to that sample only.
    pub(super) stack: Vec<FrameIndex>,
    /// How long its samples have lasted so far, in microseconds.
    pub(super) clock: u64,
}

impl Thread {
    fn new(origin: &Origin<'_>, process: usize) -> Thread {
        let id = hexadecimal(origin.tid);
        let tid = id.map_or_else(|| origin.tid.to_vec(), |id| id.to_string().into_bytes());
        let interpreter = origin.interpreter.map(|number| number.to_string().into_bytes());
        let id = match &interpreter {
            Some(interpreter) => [interpreter, &b":"[..], &tid].concat(),
            None => tid.clone(),
        };
        let pid = origin.pid.to_string().into_bytes();
        Thread { process, pid, interpreter, tid, id, stack: Vec::new(), clock: 0 }
    }

    /// The labels of a sample of the thread that the text has, too.
    pub(super) fn labels(&self) -> Vec<Label<'_>> {
        match &self.interpreter {
            Some(value) => vec![
                Label { key: b"interpreter", value: value.as_bytes() },
                Label { key: b"tid", value: &self.tid },
            ],
            None => Vec::new(),
        }
    }
}

/// All threads.
#[derive(Default)]
pub(super) struct Threads {
    pub(super) threads: Vec<Thread>,
    /// The indexes of threads, by how they are written, and of processes.
    by_origin: HashMap<Box<[u8]>, usize>,
    by_pid: HashMap<i64, usize>,
    /// How the last thread was written, and its index.
    last: (Vec<u8>, usize),
}

impl Threads {
    /// The index of a thread.
    pub(super) fn find(&mut self, origin: &Origin<'_>) -> usize {
        // The next sample is mostly of the same thread.
        if self.last.0 != origin.written {
            let index = match self.by_origin.get(origin.written) {
                Some(known) => *known,
                None => self.add(origin),
            };
            self.last.0.clear();
            self.last.0.extend_from_slice(origin.written);
            self.last.1 = index;
        }
        self.last.1
    }

    fn add(&mut self, origin: &Origin<'_>) -> usize {
        let next = self.by_pid.len();
        let process = *self.by_pid.entry(origin.pid).or_insert(next);
        self.by_origin.insert(origin.written.into(), self.threads.len());
        self.threads.push(Thread::new(origin, process));
        self.threads.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_a_number_or_a_name() {
        for (tid, id) in [(&b"18d8"[..], &b"0:6360"[..]), (b"MainThread", b"0:MainThread")] {
            let origin = Origin { pid: 1, interpreter: Some(0), tid, written: tid };
            assert_eq!(Thread::new(&origin, 0).id, id);
        }
    }
}
