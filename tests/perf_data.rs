//! perf.data, read directly: the samples must be the same as perf's, and its stacks.

mod agreement;
mod callers;
mod exact_names;
mod other_programs;
mod perf_text;
mod recordings;
mod remedies;
mod simpleperf;
mod unwound;
