//! The values of `--stamps`.

use clap::ValueEnum;
use common::names::ocaml::Stamps;

/// How to treat the numbers that the OCaml compiler appends to names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StampsArg {
    /// Dropped, but kept for functions without a name
    Anonymous,
    /// Dropped
    Drop,
    /// Kept
    Keep,
    /// Kept if several functions share a name; reads all input first
    Auto,
}

impl StampsArg {
    /// How to treat each name by itself; `None` if it depends on other names.
    pub(crate) fn for_each_name(self) -> Option<Stamps> {
        match self {
            StampsArg::Anonymous => Some(Stamps::Anonymous),
            StampsArg::Drop => Some(Stamps::Drop),
            StampsArg::Keep => Some(Stamps::Keep),
            StampsArg::Auto => None,
        }
    }
}
