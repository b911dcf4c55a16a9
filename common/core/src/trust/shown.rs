//! What the stacks of an answer show of how far it can be trusted.

use serde::Serialize;

use super::{LEAST, percent};

/// What was seen in the stacks of the rows that an answer shows. All are shares of the weight, from
/// 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shown {
    /// The largest row, and the next.
    #[serde(skip)]
    pub first: f64,
    /// The next row.
    #[serde(skip)]
    pub second: f64,
    /// Of all stacks: those that do not begin where a thread does, so that callers are missing.
    pub rootless: f64,
    /// Of all stacks: those without own code that have a frame without a name, which may be own.
    pub hidden: f64,
    /// Of the rows: stacks that are cut, broken or without a root.
    pub cut_in_rows: f64,
    /// Of the rows: stacks with a frame without a name below the own function.
    pub nameless_in_rows: f64,
}

impl Shown {
    /// What they show that no header line says.
    pub(super) fn reasons(&self) -> impl Iterator<Item = String> + use<> {
        let texts = [
            (self.rootless, "of the weight in stacks that do not begin where a thread does"),
            (self.hidden, "of the weight may be own code without a name"),
        ];
        let seen = texts.into_iter().filter(|(share, _)| *share >= LEAST);
        seen.map(|(share, what)| format!("{} {what}", percent(share)))
    }
}
