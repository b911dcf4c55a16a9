//! What several formats read alike.

pub(crate) mod call_tree;
pub(crate) mod lines;
pub(crate) mod mapped_code;
pub(crate) mod protobuf;
