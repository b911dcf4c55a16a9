//! Writes the sums of each interval of a recording that still goes on: `--every`.
//!
//! The thread that parses may wait for input as long as the recorded program does nothing. So
//! another thread writes each interval when it is over.

use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use common::folded::{FoldedLine, end_line};
use common::io::{Output, Total};
use common::stacks::{Overflows, StackCounts};
use common::{Result, numbers::nanoseconds, pipe::Pipe};

use super::Sink;

/// The end lines have three digits after the point.
const SHORTEST: Duration = Duration::from_millis(1);

/// Parses the length of an interval, in seconds such as `2` or `0.5`.
pub(crate) fn parse_length(seconds: &str) -> Result<Duration, &'static str> {
    let length = nanoseconds(seconds.as_bytes()).map(Duration::from_nanos);
    length
        .filter(|length| *length >= SHORTEST)
        .ok_or("expected seconds such as 2 or 0.5, at least 0.001")
}

/// Sums samples until the current interval is over. The sums are cleared once they are written, so
/// memory holds only the distinct stacks of one interval.
#[derive(Debug)]
pub(crate) struct Every {
    length: Duration,
    added: Arc<Mutex<StackCounts>>,
    writer: Writer,
}

/// Writes one interval each time `--every` has passed.
#[derive(Debug)]
enum Writer {
    /// There was no sample yet.
    NotNeeded,
    /// The thread that writes; the sender is closed when all input is read.
    Running(Sender<()>, JoinHandle<Result<Intervals>>),
    /// The system refused to start a thread: the parsing thread writes an interval that is over
    /// when the next sample comes.
    Refused(Intervals),
}

impl Every {
    pub(crate) fn new(length: Duration) -> Every {
        Every { length, added: Arc::default(), writer: Writer::NotNeeded }
    }

    fn start(&mut self, pipe: &mut Pipe) -> Result<()> {
        // The header.
        pipe.out().flush()?;
        let out = pipe.out().try_clone()?;
        let intervals = Intervals::new(self.length, &self.added, out);
        let (input, end_of_input) = channel();
        let spawned = thread::Builder::new().spawn(move || intervals.write_all(&end_of_input));
        self.writer = match spawned {
            Ok(handle) => Writer::Running(input, handle),
            Err(_) => {
                let out = pipe.out().try_clone()?;
                Writer::Refused(Intervals::new(self.length, &self.added, out))
            }
        };
        Ok(())
    }
}

impl Sink for Every {
    /// Adds a sample to the current interval. The first one starts the clock.
    fn add(&mut self, stack: &[u8], weight: u64, pipe: &mut Pipe) -> Result<()> {
        match &mut self.writer {
            Writer::NotNeeded => self.start(pipe)?,
            // The thread ends before the input only if it cannot write.
            Writer::Running(_, thread) if thread.is_finished() => return self.finish(pipe),
            Writer::Running(..) => {}
            Writer::Refused(intervals) if intervals.is_over() => intervals.write()?,
            Writer::Refused(_) => {}
        }
        lock(&self.added).add(stack, weight);
        Ok(())
    }

    /// Writes the last interval, and counts all lines that were written.
    fn finish(&mut self, pipe: &mut Pipe) -> Result<()> {
        let intervals = match mem::replace(&mut self.writer, Writer::NotNeeded) {
            Writer::NotNeeded => return Ok(()),
            Writer::Running(input, thread) => {
                drop(input);
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))?
            }
            Writer::Refused(mut intervals) => intervals.write().map(|()| intervals)?,
        };
        pipe.count_written(intervals.written);
        pipe.leave_out(&intervals.overflows);
        Ok(())
    }
}

/// Writes what was added in each interval.
#[derive(Debug)]
struct Intervals {
    length: Duration,
    added: Arc<Mutex<StackCounts>>,
    out: Output,
    first_sample: Instant,
    /// When the current interval is over.
    end: Instant,
    written: Total,
    overflows: Overflows,
}

impl Intervals {
    fn new(length: Duration, added: &Arc<Mutex<StackCounts>>, out: Output) -> Intervals {
        let first_sample = Instant::now();
        Intervals {
            length,
            added: Arc::clone(added),
            out,
            first_sample,
            end: first_sample + length,
            written: Total::default(),
            overflows: Overflows::default(),
        }
    }

    /// Writes each interval when it is over, and the last one when the sender of `end_of_input` is
    /// dropped.
    fn write_all(mut self, end_of_input: &Receiver<()>) -> Result<Intervals> {
        loop {
            let rest = self.end.saturating_duration_since(Instant::now());
            let is_last = end_of_input.recv_timeout(rest) != Err(RecvTimeoutError::Timeout);
            self.write()?;
            if is_last {
                return Ok(self);
            }
        }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Writes the sums since the last call. The parser can add samples meanwhile, even if the
    /// reader of our output is slow.
    fn write(&mut self) -> Result<()> {
        let counts = mem::take(&mut *lock(&self.added));
        let since_first = self.first_sample.elapsed();
        let Intervals { out, written, overflows, .. } = self;
        overflows.absorb(counts.overflows());
        counts.for_each_sorted(|stack, weight| {
            *written += weight;
            out.folded(&FoldedLine::new(stack, weight))
        })?;
        out.line(&end_line(since_first))?;
        out.flush()?;
        // Intervals that ended while this one was written become part of the next.
        while self.is_over() {
            self.end += self.length;
        }
        Ok(())
    }
}

/// The tool ends anyway if a thread panicked, so poisoning does not matter.
fn lock(added: &Mutex<StackCounts>) -> MutexGuard<'_, StackCounts> {
    added.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_at_least_as_long_as_what_the_end_line_shows() {
        for (seconds, milliseconds) in [
            ("2", Some(2000)),
            ("0.5", Some(500)),
            ("0.001", Some(1)),
            ("0", None),
            ("0.0009", None),
        ] {
            let length = parse_length(seconds).ok();
            assert_eq!(length, milliseconds.map(Duration::from_millis), "{seconds}");
        }
        assert!(parse_length("-1").is_err() && parse_length("").is_err());
    }
}
