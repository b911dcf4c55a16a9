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
}

impl From<StampsArg> for Stamps {
    fn from(stamps: StampsArg) -> Stamps {
        match stamps {
            StampsArg::Anonymous => Stamps::Anonymous,
            StampsArg::Drop => Stamps::Drop,
            StampsArg::Keep => Stamps::Keep,
        }
    }
}
