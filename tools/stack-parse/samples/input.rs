//! The input that is being read, and its format.

use super::root::Root;
use super::sums::Advice;
use super::weight::{Rule, Weighs};

/// What the table of formats says of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputFormat {
    pub(crate) name: &'static str,
    /// The default [`Root`].
    pub(crate) root: &'static Root,
    pub(crate) weighs: Weighs,
    /// Reports what is wrong with a recording.
    pub(crate) advice: Option<Advice>,
}

/// The input that is being read.
#[derive(Clone, Debug)]
pub(super) struct ThisInput {
    pub(super) name: String,
    pub(super) format: InputFormat,
    pub(super) rule: Rule,
}

impl ThisInput {
    /// What is known before the first input.
    pub(super) fn none() -> ThisInput {
        let (root, weighs, advice) = (&Root::None, Weighs::Value, None);
        let format = InputFormat { name: "", root, weighs, advice };
        ThisInput { name: String::new(), format, rule: Rule::Count }
    }
}
