//! What a row of the map stands for: a value of a column of the table.

use clap::ValueEnum;

/// The column that has a row for each of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Comm,
    Pid,
    Tid,
    Cpu,
    Event,
}

impl By {
    /// The column's name in the table.
    pub(crate) fn column(self) -> &'static str {
        match self {
            By::Comm => "comm",
            By::Pid => "pid",
            By::Tid => "tid",
            By::Cpu => "cpu",
            By::Event => "event",
        }
    }

    /// What a row stands for.
    pub(crate) fn singular(self) -> &'static str {
        match self {
            By::Comm => "name of a thread",
            By::Pid => "process",
            By::Tid => "thread",
            By::Cpu => "processor",
            By::Event => "event",
        }
    }

    /// Whether a row's name is a number that means little without the name of the
    /// thread.
    pub(crate) fn shows_comm(self) -> bool {
        matches!(self, By::Pid | By::Tid)
    }
}
