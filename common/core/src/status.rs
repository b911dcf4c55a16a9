//! How a run ended, and the exit status that says so.

/// How a run without errors ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Something came out: exit status 0.
    Success,
    /// What was looked for was found, and nothing else was asked: exit status 0,
    /// even if something went wrong before.
    Found,
    /// Nothing came out, or nothing matched: exit status 1.
    Nothing,
}

/// The exit status when something came out, and when the reader of a pipe
/// left early.
pub(crate) const SUCCESS: u8 = 0;

/// The exit status when nothing came out, or nothing matched.
pub(crate) const NOTHING: u8 = 1;

/// The exit status of errors: bad usage, bad input, a failed write.
pub(crate) const TROUBLE: u8 = 2;

/// The exit status of a wrapper's own trouble, as of env(1): no other program has it.
pub(crate) const TROUBLE_OF_WRAPPER: u8 = 125;

impl Status {
    /// The exit status of a run that ended so, where `is_trouble` says whether
    /// something went wrong before.
    pub(crate) fn code(self, is_trouble: bool) -> u8 {
        match self {
            Status::Found => SUCCESS,
            _ if is_trouble => TROUBLE,
            Status::Success => SUCCESS,
            Status::Nothing => NOTHING,
        }
    }
}
