//! The formats that can be written: the table.
//!
//! A new format is a file in this folder and a line in [`TARGETS`].

mod callgrind;
mod chrome;
mod d3;
mod dot;
mod firefox;
mod pprof;
mod speedscope;
mod tsv;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::target::Target;

/// All formats, in the order in which `--help` lists them.
static TARGETS: &[Target] = &[
    speedscope::TARGET,
    pprof::TARGET,
    firefox::TARGET,
    chrome::TARGET,
    d3::TARGET,
    callgrind::TARGET,
    dot::TARGET,
    tsv::TARGET,
];

/// Parses the name of a format.
pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Target> {
    let value = |target: &Target| PossibleValue::new(target.name).help(target.about);
    PossibleValuesParser::new(TARGETS.iter().map(value))
        .try_map(|name| TARGETS.iter().find(|target| target.name == name).ok_or("no such format"))
}
