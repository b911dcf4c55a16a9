//! A row of a table, with the data of a sample.

/// The current row.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) is_open: bool,
    pub(super) time: Option<u64>,
    /// Whether there is a weight, even if it cannot be read.
    pub(super) has_weight: bool,
    pub(super) weight: Option<u64>,
    /// Whether the weight is in cycles.
    pub(super) has_cycles: bool,
    pub(super) has_stack: bool,
    pub(super) thread: Thread,
    pub(super) process: Process,
    pub(super) core: Vec<u8>,
    /// The state of the thread: `Running`.
    pub(super) state: Vec<u8>,
}

/// The thread that ran.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) tid: Vec<u8>,
    pub(super) name: Vec<u8>,
    pub(super) process: Process,
}

/// The process of the thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Process {
    pub(super) name: Vec<u8>,
    pub(super) pid: Vec<u8>,
}

impl Row {
    /// Whether the row is a sample.
    pub(super) fn is_sample(&self) -> bool {
        self.has_weight || self.has_stack
    }

    /// Whether it has a weight that cannot be read.
    pub(super) fn is_of_bad_weight(&self) -> bool {
        self.has_weight && self.weight.is_none()
    }
}
