//! A span: a time in which a thread, or a process, worked on one thing.

use common::folded::{Label, Labels, append_label};
use common::numbers::milliseconds;

/// A row of the table, once all are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// In nanoseconds; it ends before `end`.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The labels of lines in it: `span`, `span_ms`, `span_id` and those of further columns.
    labels: Vec<u8>,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) name: Vec<u8>,
    /// The number of the row where it has no id.
    pub(crate) id: Vec<u8>,
    /// Whether the table has the id. Rows with one id are one span, which moved between threads.
    pub(crate) has_id: bool,
    /// The fields of the columns that become labels.
    pub(crate) fields: Vec<Vec<u8>>,
}

impl Row {
    /// The span, where all rows of its id last so many nanoseconds. The keys are those of the fields.
    pub(crate) fn span(&self, duration: u64, keys: &[Vec<u8>]) -> Span {
        let milliseconds = milliseconds(duration);
        let mut labels = Vec::new();
        let ours: [(&[u8], &[u8]); 3] =
            [(b"span", &self.name), (b"span_ms", milliseconds.as_bytes()), (b"span_id", &self.id)];
        let fields = keys.iter().zip(&self.fields).map(|(key, value)| (&key[..], &value[..]));
        for (key, value) in ours.into_iter().chain(fields.filter(|(_, value)| !value.is_empty())) {
            append_label(Label { key, value }, &mut labels);
        }
        labels.shrink_to_fit();
        Span { start: self.start, end: self.end, labels }
    }
}

impl Span {
    pub(crate) fn labels(&self) -> Labels<'_> {
        Labels::of_text(&self.labels)
    }

    pub(crate) fn name(&self) -> &[u8] {
        self.labels().get(b"span").unwrap_or_default()
    }

    pub(crate) fn id(&self) -> &[u8] {
        self.labels().get(b"span_id").unwrap_or_default()
    }
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
