//! What a thread did in a slice of wall time, as `stack-parse --wall` prints it.

use super::FoldedLine;

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadState {
    /// It ran on a processor.
    Running,
    /// It could run, and had no processor.
    Runnable,
    /// It waited.
    Waiting,
    /// It left its processor, and nobody recorded when it was woken.
    WaitingOrRunnable,
    /// A record that would tell it is missing.
    NotRecorded,
}

impl ThreadState {
    /// All of them.
    pub const ALL: [ThreadState; 5] = [
        ThreadState::Running,
        ThreadState::Runnable,
        ThreadState::Waiting,
        ThreadState::WaitingOrRunnable,
        ThreadState::NotRecorded,
    ];

    /// The value of the label `state`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            ThreadState::Running => "running",
            ThreadState::Runnable => "runnable",
            ThreadState::Waiting => "waiting",
            ThreadState::WaitingOrRunnable => "waiting-or-runnable",
            ThreadState::NotRecorded => "not-recorded",
        }
    }

    /// The frame below the stack, where lines have no such label.
    #[must_use]
    pub fn frame(self) -> &'static str {
        match self {
            ThreadState::Running => "[running]",
            ThreadState::Runnable => "[runnable]",
            ThreadState::Waiting => "[waiting]",
            ThreadState::WaitingOrRunnable => "[waiting or runnable]",
            ThreadState::NotRecorded => "[not recorded]",
        }
    }

    /// Whether it waits, or may wait.
    #[must_use]
    pub fn is_waiting(self) -> bool {
        matches!(self, ThreadState::Waiting | ThreadState::WaitingOrRunnable)
    }

    /// Whether the thread is away: it waits, or is not known to run.
    #[must_use]
    pub fn is_away(self) -> bool {
        !matches!(self, ThreadState::Running | ThreadState::Runnable)
    }

    /// The state with this label.
    #[must_use]
    pub fn of_label(label: &[u8]) -> Option<ThreadState> {
        ThreadState::ALL.into_iter().find(|state| state.label().as_bytes() == label)
    }
}

/// Whether a line is a slice of wall time: then it lasts as many nanoseconds as it weighs, and is not
/// of a moment.
#[must_use]
pub fn is_slice(line: &FoldedLine<'_>) -> bool {
    line.labels.get(b"state").and_then(ThreadState::of_label).is_some()
}
