//! The input that is being read, and its format.

use std::path::Path;

use common::{Result, io::Input};

use super::Samples;
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

impl Samples<'_> {
    /// Opens an input.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with the error of the system.
    ///
    /// # Panics
    ///
    /// In a helper thread, which gets its text from the thread that reads.
    pub(crate) fn open_input(&self, path: &Path) -> Result<Input> {
        self.pipe.as_ref().expect("inputs are opened where the output is").open(path)
    }
}
