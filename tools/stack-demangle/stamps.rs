//! What `--stamps` takes.

use clap::ValueEnum;
use common::ocaml::Stamps;

/// What becomes of the numbers that the OCaml compiler appends to names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StampsArg {
    /// Dropped, but kept where a function has no name
    Anonymous,
    /// Dropped
    Drop,
    /// Kept
    Keep,
    /// Kept where one name has several; reads all input first
    Auto,
}

impl StampsArg {
    /// What is done to each name by itself; `None` where it depends on others.
    pub(crate) fn for_each_name(self) -> Option<Stamps> {
        match self {
            StampsArg::Anonymous => Some(Stamps::Anonymous),
            StampsArg::Drop => Some(Stamps::Drop),
            StampsArg::Keep => Some(Stamps::Keep),
            StampsArg::Auto => None,
        }
    }
}
