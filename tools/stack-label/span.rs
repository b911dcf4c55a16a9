//! A span: a time in which a thread, or a process, worked on one thing.

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// In nanoseconds; it ends before `end`.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) name: Vec<u8>,
    /// The number of the row where the table has no ids. Rows with one id are one span, which moved
    /// between threads.
    pub(crate) id: Vec<u8>,
    /// The fields of the columns that become labels.
    pub(crate) fields: Vec<Vec<u8>>,
}

/// Whose a span is. What is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Whose {
    pub(crate) tid: Option<Vec<u8>>,
    pub(crate) pid: Option<Vec<u8>>,
}

impl Whose {
    /// Whether a line of this thread and process may be in such a span.
    pub(crate) fn may_be(&self, tid: Option<&[u8]>, pid: Option<&[u8]>) -> bool {
        let is_tid = self.tid.as_deref().is_none_or(|own| tid == Some(own));
        // A line that does not say its process is told by its thread.
        let is_pid = self.pid.as_deref().is_none_or(|own| match pid {
            Some(pid) => pid == own,
            None => self.tid.is_some(),
        });
        is_tid && is_pid
    }
}
