//! Reads records, and passes them on in the order of their time.

use crate::bytes::U64s;
use crate::delivery::Delivery;
use crate::error::CallerStopped;
use crate::recording::order::{Order, WaitingRecord};
use crate::records::{self, Each, kinds};
use crate::sample::{time_from_end, time_from_start};
use crate::stream::Stream;
use crate::stream::chunks::{Chunks, RecordAt};
use crate::summary::Summary;

/// How many bytes may wait, which are those of the records and what is noted of each record. Where
/// it is more, as in recordings with large buffers or without rounds, the bytes are read again from
/// a file; of a pipe, the older half is passed on, in order or not.
const MOST_WAITING: usize = 128 << 20;

/// The records of a stream, those that wait for their turn, and what is known of events.
pub(crate) struct OrderedReader<'i> {
    pub(crate) stream: Stream<'i>,
    pub(crate) chunks: Chunks,
    pub(crate) delivery: Delivery,
    order: Order,
    /// The pieces so far of a record of simpleperf that is too long for one record.
    pub(crate) split: Vec<u8>,
    /// A record that was read again.
    again: Vec<u8>,
}

impl<'i> OrderedReader<'i> {
    pub(crate) fn new(stream: Stream<'i>, chunks: Chunks, delivery: Delivery) -> OrderedReader<'i> {
        let (order, split, again) = Default::default();
        OrderedReader { stream, chunks, delivery, order, split, again }
    }

    /// Takes a record that the kernel wrote, or perf in the kernel's name: it waits if it has a
    /// time. `offset` is where it is in the input, in bytes.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub(crate) fn record_of_kernel(
        &mut self,
        at: RecordAt,
        offset: u64,
        each: Each<'_>,
    ) -> Result<(), CallerStopped> {
        let record = self.chunks.record(at);
        let (kind, _, body) = records::split(record);
        let (body, is_sample) = (U64s::new(body), kind == kinds::SAMPLE);
        let event = self.delivery.events.of_record(body, is_sample);
        if is_sample && event.is_none() {
            self.delivery.summary.unknown_events += 1;
            return Ok(());
        }
        let event = event.unwrap_or(0);
        let time = self.delivery.events.get(event).and_then(|event| {
            let attr = &event.attr;
            let at = match is_sample {
                true => time_from_start(attr)?,
                false => body.len().checked_sub(time_from_end(attr)?)?,
            };
            body.get(at)
        });
        match time.unwrap_or(0) {
            // perf records the state of the system at the start without times.
            0 | u64::MAX => self.delivery.record(event, offset, record, each),
            time if !records::is_of_use(kind) && !self.needs_switch(kind) => {
                self.order.note(time);
                Ok(())
            }
            time => {
                self.chunks.hold(at);
                self.order.push(WaitingRecord { time, at, event: event as u32, offset });
                self.limit_memory(each)
            }
        }
    }

    /// Makes room if more waits than may.
    fn limit_memory(&mut self, each: Each<'_>) -> Result<(), CallerStopped> {
        if self.chunks.bytes_in_use() + self.order.bytes() <= MOST_WAITING {
            return Ok(());
        }
        if self.stream.can_read_again() {
            for at in self.order.places().filter(|at| !at.is_put_away()) {
                self.chunks.release(*at);
                *at = at.put_away();
            }
            if self.order.bytes() <= MOST_WAITING {
                return Ok(());
            }
        }
        self.order.make_room();
        self.hand_out(each)
    }

    /// Whether it is a record of a switch, and these are needed.
    fn needs_switch(&self, kind: u32) -> bool {
        let is_switch = matches!(kind, kinds::SWITCH | kinds::SWITCH_CPU_WIDE);
        is_switch && (self.delivery.running.is_counted() || self.delivery.passes_switches)
    }

    /// Ends a round: passes on the records before which no record of a later round can come.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub(crate) fn end_round(&mut self, each: Each<'_>) -> Result<(), CallerStopped> {
        self.order.end_round();
        self.hand_out(each)
    }

    /// Ends the recording: passes on all records that wait.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub(crate) fn finish(mut self, each: Each<'_>) -> Result<Summary, CallerStopped> {
        self.order.end();
        self.hand_out(each)?;
        self.delivery.finish(each)?;
        let mut summary = self.delivery.summary;
        summary.late = self.order.late();
        summary.counters_tell_lost = self.delivery.events.tell_lost();
        Ok(summary)
    }

    /// Passes on the records that do not have to wait.
    fn hand_out(&mut self, each: Each<'_>) -> Result<(), CallerStopped> {
        while let Some(WaitingRecord { at, event, offset, .. }) = self.order.pop() {
            if !at.is_put_away() {
                self.delivery.record(event as usize, offset, self.chunks.record(at), each)?;
                self.chunks.release(at);
                continue;
            }
            self.again.resize(at.size(), 0);
            match self.stream.read_again(offset, &mut self.again) {
                Ok(()) => self.delivery.record(event as usize, offset, &self.again, each)?,
                Err(_) => self.delivery.summary.add_damaged(offset),
            }
        }
        Ok(())
    }
}
