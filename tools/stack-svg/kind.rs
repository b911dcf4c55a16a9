//! What kind of picture is drawn.

/// What kind of profile is drawn, and from where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The static layer is merged from the leaves, which are at the bottom.
    pub(crate) reverse: bool,
    /// Time runs from left to right.
    pub(crate) chart: bool,
    /// The weights are those of two profiles, before and after.
    pub(crate) diff: bool,
}
