//! Records in the order of their time.
//!
//! perf empties the buffers of all processors one after the other, which is a round, and marks its
//! end. Within a round, only the records of one processor are in order. A record that was written
//! before a round began is in that round at the latest. So at the end of a round, all records up to
//! the newest time of the round *before* are known. At most two rounds are kept; a round may be as
//! long as the buffers that `perf record -m` asks for.

use crate::stream::chunks::RecordAt;

/// A record that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitingRecord {
    /// In nanoseconds.
    pub(crate) time: u64,
    /// Where its bytes are.
    pub(crate) at: RecordAt,
    /// The index of its event.
    pub(crate) event: u32,
    /// Where it is in the input, in bytes.
    pub(crate) offset: u64,
}

/// Records that wait, and those that can be passed on.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// First those that can be passed on, in order, then those that wait.
    records: Vec<WaitingRecord>,
    /// The index of the next one to pass on, and the end of those that can be.
    next: usize,
    due: usize,
    /// The newest time of all records, and that of the rounds before this one.
    newest: u64,
    limit: u64,
    /// The newest time among records that could be passed on.
    reached: u64,
    late: u64,
}

impl Order {
    /// Notes the time of a record that is not kept.
    pub(crate) fn note(&mut self, time: u64) {
        self.newest = self.newest.max(time);
    }

    #[inline]
    pub(crate) fn push(&mut self, record: WaitingRecord) {
        self.note(record.time);
        self.late += u64::from(record.time < self.reached);
        self.records.push(record);
    }

    /// The next record that can be passed on.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<WaitingRecord> {
        if self.next == self.due {
            return None;
        }
        let record = self.records[self.next];
        self.next += 1;
        Some(record)
    }

    /// Ends a round: records that are not newer than the rounds before can be passed on.
    pub(crate) fn end_round(&mut self) {
        let limit = std::mem::replace(&mut self.limit, self.newest);
        self.make_due(|waiting| waiting.partition_point(|record| record.time <= limit));
    }

    /// Makes room where no round ends: the older half can be passed on.
    pub(crate) fn make_room(&mut self) {
        self.make_due(|waiting| waiting.len().div_ceil(2));
    }

    /// Ends the input: all records can be passed on.
    pub(crate) fn end(&mut self) {
        self.make_due(<[WaitingRecord]>::len);
    }

    /// The places of the records that wait or can be passed on.
    pub(crate) fn places(&mut self) -> impl Iterator<Item = &mut RecordAt> {
        self.records[self.next..].iter_mut().map(|record| &mut record.at)
    }

    /// How many bytes the waiting records need, besides their own bytes: half as much again is for
    /// sorting them.
    pub(crate) fn bytes(&self) -> usize {
        let waiting = self.records.len() - self.next;
        waiting * size_of::<WaitingRecord>() * 3 / 2
    }

    /// How many records came too late to be passed on in order.
    pub(crate) fn late(&self) -> u64 {
        self.late
    }

    fn make_due(&mut self, count: impl FnOnce(&[WaitingRecord]) -> usize) {
        self.records.drain(..self.next);
        // Records of the same time stay in the order in which they came.
        self.records.sort_by_key(|record| record.time);
        (self.next, self.due) = (0, count(&self.records));
        if let Some(last) = self.due.checked_sub(1) {
            self.reached = self.reached.max(self.records[last].time);
        }
    }
}
