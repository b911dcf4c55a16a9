//! What lasts: calls of functions of Python and of PyTorch, interrupts, work of queues, probes.

use common::Result;
use hashbrown::HashMap;

use super::line::{Line, Task};
use super::stacks::StackTable;
use crate::read::held::{Held, Thread};
use crate::read::source::place;
use crate::read::spans::{Edge, Spans};
use crate::samples::{Samples, Span};

/// The spans of each thread.
#[derive(Default)]
pub(super) struct Calls {
    spans: Spans,
    held: Held,
    tracks: HashMap<Vec<u8>, u32>,
    threads: Vec<Task>,
    /// The names of frames without their lines, for the table of spans.
    names: Vec<Vec<u8>>,
}

impl Calls {
    /// Holds a span, or the begin or the end of one; false if it is none that is wanted. Functions
    /// also count as samples of the time that they take.
    pub(super) fn add(
        &mut self,
        line: &Line,
        time: u64,
        table: &mut StackTable,
        samples: &mut Samples<'_>,
    ) -> bool {
        let is_call = matches!(
            &line.kind[..],
            b"pytrace_entry" | b"pytrace_exit" | b"pytorch_entry" | b"pytorch_exit"
        );
        if !is_call && !samples.wants.spans {
            return false;
        }
        let edge = match (&line.kind[..], line.duration) {
            // The processors of a graphics card have no threads.
            (b"cuda_kernel" | b"cuda_memcpy" | b"cuda_memset" | b"cuda_sync", _) => return false,
            (kind, _) if kind.ends_with(b"_entry") => Edge::Begin,
            (kind, _) if kind.ends_with(b"_exit") => Edge::End,
            (_, Some(duration)) => Edge::Whole(i64::try_from(duration).ok()),
            _ => return false,
        };
        let start = match edge {
            Edge::Whole(_) => i128::from(time) - i128::from(line.duration.unwrap_or_default()),
            _ => i128::from(time),
        };
        let track = self.track(line);
        let source = match edge {
            Edge::Begin => place(&line.file, line.number.unwrap_or_default()),
            _ => Vec::new(),
        };
        let name = if line.name.is_empty() { &line.kind[..] } else { &line.name[..] };
        let frame = table.frame(&[b"[U] ", name].concat(), &source, samples);
        if samples.wants.spans {
            self.names.resize(self.names.len().max(frame as usize + 1), Vec::new());
            self.names[frame as usize] = name.to_vec();
        }
        self.spans.add(track, i64::try_from(start).ok(), frame, edge);
        true
    }

    /// The number of the track of spans that are inside of each other.
    fn track(&mut self, line: &Line) -> u32 {
        let kind = line.kind.split(|byte| *byte == b'_').next().unwrap_or_default();
        let key = [kind, &line.task.pid, &line.task.tid].join(&0);
        let Calls { tracks, threads, held, .. } = self;
        *tracks.entry(key).or_insert_with(|| {
            let Task { tid, pid, comm, process } = line.task.clone();
            threads.push(line.task.clone());
            let event = [kind, b"-time"].concat();
            let unit = b"ns".to_vec();
            held.thread(Thread { name: comm, pid, tid, event, unit, process, ..Thread::default() })
        })
    }

    pub(super) fn finish(
        &mut self,
        table: &mut StackTable,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let Calls { spans, held, threads, names, .. } = self;
        for number in 0..spans.threads() {
            if samples.wants.spans {
                let Task { tid, pid, .. } = &threads[number as usize];
                let whose = Span { tid, pid, ..Span::default() };
                let name = |frame: u32| &names[frame as usize][..];
                spans.list(number, |frame| frame, whose, name, samples);
            } else {
                spans.finish_held(number, &mut table.stacks, held, &table.names, samples)?;
            }
        }
        spans.report(samples);
        held.finish(&mut table.stacks, &table.names, samples)
    }
}
