//! A row of a table: what a sample says.

/// The row that is being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) is_open: bool,
    pub(super) time: Option<u64>,
    /// Whether there is a weight, though it may be none that can be read.
    pub(super) has_weight: bool,
    pub(super) weight: Option<u64>,
    /// Whether the weight is in cycles.
    pub(super) has_cycles: bool,
    pub(super) has_stack: bool,
    pub(super) thread: Thread,
    pub(super) process: Process,
    pub(super) core: Vec<u8>,
    /// What the thread does: `Running`.
    pub(super) state: Vec<u8>,
}

/// The thread that ran.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) tid: Vec<u8>,
    pub(super) name: Vec<u8>,
    pub(super) process: Process,
}

/// The process that the thread is of.
#[derive(Clone, Debug, Default)]
pub(super) struct Process {
    pub(super) name: Vec<u8>,
    pub(super) pid: Vec<u8>,
}

impl Row {
    /// Whether it says what a sample says.
    pub(super) fn is_sample(&self) -> bool {
        self.has_weight || self.has_stack
    }

    /// Whether its weight is one that cannot be read.
    pub(super) fn is_of_bad_weight(&self) -> bool {
        self.has_weight && self.weight.is_none()
    }
}
