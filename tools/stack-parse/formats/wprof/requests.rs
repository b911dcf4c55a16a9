//! Requests, from begin to end, and the threads that work on them.
//!
//! ```text
//! begin  thread 7   the request begins
//! set    thread 7   the thread works on it
//! unset  thread 7   and no longer does
//! set    thread 9   another one goes on
//! clear  thread 9   the request has ended
//! ```

use hashbrown::HashMap;

use super::line::Line;
use crate::samples::{Samples, Span};

/// The requests under way, by their process and their id, which is used again.
#[derive(Default)]
pub(super) struct Requests {
    open: HashMap<(Vec<u8>, Vec<u8>), Request>,
    /// How many events are of requests that did not begin.
    unbegun: u64,
}

struct Request {
    /// An id that no other request has.
    id: Vec<u8>,
    name: Vec<u8>,
    /// The threads that work on it, and since when. Until some are known, that is the one in which
    /// it began.
    threads: Vec<(Vec<u8>, u64)>,
    is_new: bool,
}

impl Requests {
    pub(super) fn add(&mut self, line: &Line, time: u64, samples: &mut Samples<'_>) {
        let key = (line.task.pid.clone(), line.request.clone());
        let tid = &line.task.tid;
        match &line.request_event[..] {
            b"begin" | b"start" => {
                let threads = vec![(tid.clone(), time)];
                let (id, name) = (samples.span_id(&line.request), line.name.clone());
                let request = Request { id, name, threads, is_new: true };
                if let Some(before) = self.open.insert(key, request) {
                    before.end(&line.task.pid, time, samples);
                }
            }
            b"set" | b"unset" => match self.open.get_mut(&key) {
                Some(request) => request.switch(line, time, samples),
                None => self.unbegun += 1,
            },
            b"clear" => match self.open.remove(&key) {
                Some(mut request) => {
                    if request.threads.is_empty() {
                        // No thread works on it, but until now it was not done.
                        request.threads.push((tid.clone(), time));
                    }
                    request.end(&line.task.pid, time, samples);
                }
                None => self.unbegun += 1,
            },
            // What has this name comes between the others, and never from wprof's own probes.
            _ => {}
        }
    }

    /// The requests that are under way last to the end.
    pub(super) fn finish(&mut self, end: u64, samples: &mut Samples<'_>) {
        let mut open: Vec<_> = std::mem::take(&mut self.open).into_iter().collect();
        open.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let unended = open.len() as u64;
        for ((pid, _), request) in open {
            request.end(&pid, end, samples);
        }
        samples.note_counts(&[
            (unended, "requests did not end: they last to the last event"),
            (self.unbegun, "events are of requests that did not begin: they are left out"),
        ]);
    }
}

impl Request {
    /// A thread begins or ends to work on it.
    fn switch(&mut self, line: &Line, time: u64, samples: &mut Samples<'_>) {
        let (pid, tid) = (&line.task.pid, &line.task.tid);
        let at = self.threads.iter().position(|(known, _)| known == tid);
        let is_new = std::mem::take(&mut self.is_new);
        match (&line.request_event[..], at) {
            (b"set", None) => {
                if is_new {
                    // The thread in which it began gave it to this one.
                    self.end_threads(pid, time, samples);
                }
                self.threads.push((tid.clone(), time));
            }
            (b"unset", Some(at)) => {
                let (tid, start) = self.threads.swap_remove(at);
                self.part(pid, &tid, [start, time], samples);
            }
            _ => {}
        }
    }

    fn end(mut self, pid: &[u8], time: u64, samples: &mut Samples<'_>) {
        self.end_threads(pid, time, samples);
    }

    fn end_threads(&mut self, pid: &[u8], time: u64, samples: &mut Samples<'_>) {
        for (tid, start) in std::mem::take(&mut self.threads) {
            self.part(pid, &tid, [start, time], samples);
        }
    }

    fn part(&self, pid: &[u8], tid: &[u8], times: [u64; 2], samples: &mut Samples<'_>) {
        let [start, end] = times.map(|time| i64::try_from(time).unwrap_or(i64::MAX));
        let (id, name) = (&self.id[..], &self.name[..]);
        samples.span(&Span { start, end, tid, pid, id, name, is_part: true });
    }
}
