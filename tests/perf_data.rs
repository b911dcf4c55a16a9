//! perf.data, read directly: the same samples as perf's, and its stacks.

mod agreement;
mod callers;
mod exact_names;
mod perf_text;
mod recordings;
mod remedies;
