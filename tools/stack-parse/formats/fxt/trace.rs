//! The contents of a trace, which are held until its end.

use common::{Result, stacks::FrameTable};
use hashbrown::HashMap;

use super::names::{Clock, Provider, Titles, Whose, inline};
use super::records::Record;
use crate::frame::Frame;
use crate::read::bytes::Ended;
use crate::read::held::{Held, Thread};
use crate::read::spans::{Edge, Spans};
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::{Loss, Samples, Span};

/// The types of records that are read.
mod kind {
    pub(super) const METADATA: u64 = 0;
    pub(super) const INITIALIZATION: u64 = 1;
    pub(super) const STRING: u64 = 2;
    pub(super) const THREAD: u64 = 3;
    pub(super) const EVENT: u64 = 4;
    pub(super) const KERNEL_OBJECT: u64 = 7;
}

/// The types of events that are spans, or parts of them, or may tell a loss.
mod event {
    pub(super) const INSTANT: u64 = 0;
    pub(super) const BEGIN: u64 = 2;
    pub(super) const END: u64 = 3;
    pub(super) const COMPLETE: u64 = 4;
    pub(super) const TASK_BEGIN: u64 = 5;
    pub(super) const TASK_END: u64 = 7;
}

/// What happened to a provider, and that its buffer was full.
const PROVIDER_EVENT: u64 = 3;
const BUFFER_IS_FULL: u64 = 0;

/// The types of kernel objects whose names are used.
const PROCESS: u64 = 1;
const THREAD: u64 = 2;

#[derive(Default)]
pub(super) struct Trace {
    providers: HashMap<u64, Provider>,
    /// The provider of the records that follow.
    provider: u64,
    clock: Clock,
    names: FrameTable,
    titles: Titles,
    numbers: HashMap<Whose, u32>,
    spans: Spans,
    stacks: Stacks,
    held: Held,
    /// How many records are too short for their contents.
    damaged: u64,
    /// How many providers had no room for more records.
    full_buffers: u64,
    /// How many records the kernel of Fuchsia had no room for.
    dropped: u64,
    /// How many times magic-trace could not follow the processor.
    undecoded: u64,
}

/// A span for the time in which records were dropped: `num_records` says how many.
const DROPPED: &[u8] = b"ktrace_drop_stats";

/// How magic-trace begins the name of an instant: `[decode error: Overflow packet]`.
const UNDECODED: &[u8] = b"[decode error:";

impl Trace {
    /// Reads a record.
    ///
    /// # Errors
    ///
    /// What adding samples returns.
    pub(super) fn add(&mut self, record: Record<'_>, samples: &mut Samples<'_>) -> Result<()> {
        match self.read(record) {
            Ok(Some(thread)) => self.settle(thread, samples),
            Ok(None) => Ok(()),
            Err(Ended) => {
                self.damaged += 1;
                Ok(())
            }
        }
    }

    /// Reads a record; returns the thread if it has a new event.
    fn read(&mut self, Record { header, body }: Record<'_>) -> Result<Option<u32>, Ended> {
        let provider = self.providers.entry(self.provider).or_default();
        match header.kind() {
            kind::METADATA if matches!(header.bits(16, 4), 1 | 2) => {
                self.provider = header.bits(20, 32);
            }
            kind::METADATA if header.bits(16, 4) == PROVIDER_EVENT => {
                self.full_buffers += u64::from(header.bits(52, 4) == BUFFER_IS_FULL);
            }
            kind::INITIALIZATION => self.clock.set(body)?,
            kind::STRING => provider.declare_string(header, body, &mut self.names)?,
            kind::THREAD => provider.declare_thread(header, body)?,
            kind::KERNEL_OBJECT => self.name_object(Record { header, body })?,
            kind::EVENT if header.bits(16, 4) == event::INSTANT => {
                self.read_instant(Record { header, body })?;
            }
            kind::EVENT => return self.read_event(Record { header, body }),
            // Logs of the kernel or the user, blocks of bytes, and unknown types.
            _ => {}
        }
        Ok(None)
    }

    /// Notes the name of a thread or a process.
    fn name_object(&mut self, Record { header, mut body }: Record<'_>) -> Result<(), Ended> {
        let number = body.u64()?;
        let titles = match header.bits(16, 8) {
            PROCESS => &mut self.titles.processes,
            THREAD => &mut self.titles.threads,
            _ => return Ok(()),
        };
        let provider = self.providers.entry(self.provider).or_default();
        let name = provider.name(header.bits(24, 16), &mut body, &mut self.names)?;
        titles.insert(number, self.names.name(name).to_vec());
        Ok(())
    }

    /// Reads an event; returns its thread if it begins or ends a span that is not a task's.
    fn read_event(
        &mut self,
        Record { header, mut body }: Record<'_>,
    ) -> Result<Option<u32>, Ended> {
        let kind = header.bits(16, 4);
        let is_task = matches!(kind, event::TASK_BEGIN | event::TASK_END);
        if !is_task && !matches!(kind, event::BEGIN | event::END | event::COMPLETE) {
            return Ok(None);
        }
        let provider = self.providers.entry(self.provider).or_default();
        let time = self.clock.time(body.u64()?);
        let mut whose = provider.whose(header.bits(24, 8), self.provider, &mut body)?;
        let _category = inline(header.bits(32, 16), &mut body)?;
        let name = provider.name(header.bits(48, 16), &mut body, &mut self.names)?;
        if self.names.name(name) == DROPPED {
            let count = header.bits(20, 4);
            let dropped = provider.argument(b"num_records", count, &mut body, &self.names)?;
            self.dropped = self.dropped.saturating_add(dropped.unwrap_or_default());
            return Ok(None);
        }
        // Arguments come before the last word, which is the end or the number of the task.
        let last = || body.0.last_chunk().map(|word| u64::from_le_bytes(*word)).ok_or(Ended);
        if is_task {
            let process = match whose {
                Whose::Thread { process, .. } => process,
                Whose::Reference { .. } | Whose::Task { .. } => 0,
            };
            whose = Whose::Task { process, task: last()? };
        }
        let (name, edge) = match kind {
            event::BEGIN | event::TASK_BEGIN => (name, Edge::Begin),
            event::COMPLETE => {
                let end = self.clock.time(last()?);
                let length = time.zip(end).and_then(|(start, end)| end.checked_sub(start));
                (name, Edge::Whole(length))
            }
            // An end closes the innermost span, whatever its name is.
            _ => (Spans::NO_NAME, Edge::End),
        };
        let thread = self.number(whose);
        self.spans.add(thread, time, name, edge);
        Ok((!is_task).then_some(thread))
    }

    /// Reads an event that takes no time, as it may be an error.
    fn read_instant(&mut self, Record { header, mut body }: Record<'_>) -> Result<(), Ended> {
        let provider = self.providers.entry(self.provider).or_default();
        let _time = body.u64()?;
        let _thread = provider.whose(header.bits(24, 8), self.provider, &mut body)?;
        let _category = inline(header.bits(32, 16), &mut body)?;
        let name = provider.text(header.bits(48, 16), &mut body, &self.names)?;
        self.undecoded += u64::from(name.starts_with(UNDECODED));
        Ok(())
    }

    /// The number of a thread or a task.
    fn number(&mut self, whose: Whose) -> u32 {
        let held = &mut self.held;
        *self.numbers.entry(whose).or_insert_with(|| held.thread(Thread::default()))
    }

    /// Counts the time of a thread if many of its events are held.
    fn settle(&mut self, thread: u32, samples: &mut Samples<'_>) -> Result<()> {
        let Trace { spans, stacks, held, .. } = self;
        spans.settle_held(thread, stacks, held, samples)
    }

    /// Adds what was read; returns how many records are damaged.
    pub(super) fn finish(self, samples: &mut Samples<'_>) -> Result<u64> {
        self.report(samples);
        let Trace { names, titles, numbers, mut spans, mut stacks, mut held, damaged, .. } = self;
        let mut threads: Vec<(Whose, u32)> = numbers.into_iter().collect();
        // Tasks come last, as the event that comes first is the default.
        threads.sort_by_key(|(whose, number)| (matches!(whose, Whose::Task { .. }), *number));
        for (whose, number) in &threads {
            *held.thread_mut(*number) = titles.thread(*whose);
        }
        if samples.wants.spans {
            list_spans(&mut spans, &threads, &mut held, &names, samples);
            return Ok(damaged);
        }
        let mut frames = FrameNames::default();
        for name in 0..names.len() as u32 {
            frames.push(&Frame { name: names.name(name), ..Frame::default() }, samples);
        }
        for (_, number) in threads {
            spans.finish_held(number, &mut stacks, &mut held, &frames, samples)?;
        }
        spans.report(samples);
        held.finish(&mut stacks, &frames, samples)?;
        Ok(damaged)
    }

    /// Reports what was lost while recording.
    fn report(&self, samples: &mut Samples<'_>) {
        for (count, what) in [
            (self.full_buffers, "providers had no room for more records: some are missing"),
            (
                self.undecoded,
                "errors of decoding: parts of the trace are lost, and stacks begin anew after them",
            ),
        ] {
            if count > 0 {
                samples.doubt(format_args!("{count} {what}"));
            }
        }
        let (of, remedy) = ("records", "use a larger buffer");
        let (count, recorded, is_exact) = (self.dropped, None, false);
        samples.note_loss(Loss { count, of, recorded, remedy, is_exact });
    }
}

/// Passes on all spans as such.
fn list_spans(
    spans: &mut Spans,
    threads: &[(Whose, u32)],
    held: &mut Held,
    names: &FrameTable,
    samples: &mut Samples<'_>,
) {
    for (whose, number) in threads {
        let Thread { tid, pid, .. } = held.thread_mut(*number);
        let id = match whose {
            Whose::Task { task, .. } => task.to_string(),
            Whose::Thread { .. } | Whose::Reference { .. } => String::new(),
        };
        let whose = Span { tid, pid, id: id.as_bytes(), ..Span::default() };
        spans.list(*number, |name| name, whose, |name| names.name(name), samples);
    }
    spans.report(samples);
}
