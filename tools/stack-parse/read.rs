//! What several formats read alike.

pub(crate) mod call_tree;
pub(crate) mod lines;
