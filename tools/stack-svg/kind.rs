//! What kind of picture is drawn.

/// What is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The roots of what is drawn without the script are the leaves.
    pub(crate) reverse: bool,
    /// From left to right is time.
    pub(crate) chart: bool,
    /// Weights are those of two profiles.
    pub(crate) diff: bool,
}
