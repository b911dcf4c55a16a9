//! Records in the order of their time.
//!
//! perf empties the buffers of all processors one after the other, which is a
//! round, and marks its end. What a round brings is in order for each processor
//! only. A record that was written before a round began is in that round at the
//! latest, so at the end of a round all is known up to the newest time of the
//! round *before*. Two rounds are kept at most; how long a round is depends on
//! the buffers that `perf record -m` asks for, some MB altogether.

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

/// Records that wait, and those whose turn it is.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// First those whose turn it is, in order, then the others.
    records: Vec<WaitingRecord>,
    /// The next whose turn it is, and where they end.
    next: usize,
    due: usize,
    /// The newest time of all, and of the rounds before this one.
    newest: u64,
    limit: u64,
    /// The newest time that was handed out.
    reached: u64,
    late: u64,
}

impl Order {
    /// Notes the time of a record that is not needed.
    pub(crate) fn note(&mut self, time: u64) {
        self.newest = self.newest.max(time);
    }

    #[inline]
    pub(crate) fn push(&mut self, record: WaitingRecord) {
        self.note(record.time);
        self.late += u64::from(record.time < self.reached);
        self.records.push(record);
    }

    /// The next record whose turn it is.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<WaitingRecord> {
        if self.next == self.due {
            return None;
        }
        let record = self.records[self.next];
        self.next += 1;
        Some(record)
    }

    /// Ends a round: it is the turn of what is no newer than the rounds before.
    pub(crate) fn end_round(&mut self) {
        let limit = std::mem::replace(&mut self.limit, self.newest);
        self.make_due(|waiting| waiting.partition_point(|record| record.time <= limit));
    }

    /// Makes room where no round ends: it is the turn of the older half.
    pub(crate) fn make_room(&mut self) {
        self.make_due(|waiting| waiting.len().div_ceil(2));
    }

    /// Ends the input: it is the turn of all.
    pub(crate) fn end(&mut self) {
        self.make_due(<[WaitingRecord]>::len);
    }

    /// How much memory the records need that wait, without their bytes: to sort them takes half
    /// as much again.
    pub(crate) fn bytes(&self) -> usize {
        let waiting = self.records.len() - self.next;
        waiting * size_of::<WaitingRecord>() * 3 / 2
    }

    /// How many records came later than they could be handed out in order.
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
