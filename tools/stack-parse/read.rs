//! What several formats read alike.

pub(crate) mod byte_string;
pub(crate) mod call_graph;
pub(crate) mod call_tree;
pub(crate) mod costs;
pub(crate) mod csv;
pub(crate) mod decimal;
pub(crate) mod documents;
pub(crate) mod held;
pub(crate) mod json;
pub(crate) mod leaf_first;
pub(crate) mod lines;
pub(crate) mod listed;
pub(crate) mod mapped_code;
pub(crate) mod nodes;
pub(crate) mod numbers;
pub(crate) mod outline;
pub(crate) mod paths;
pub(crate) mod perf_health;
pub(crate) mod protobuf;
pub(crate) mod records;
pub(crate) mod source;
pub(crate) mod stacks;
pub(crate) mod table_of_calls;
pub(crate) mod v8_profile;
pub(crate) mod valgrind_frame;
pub(crate) mod xml;
