//! `perf.data`, as `perf record` writes it.

#[allow(dead_code, reason = "nothing reads perf.data yet")]
mod process;
#[allow(dead_code, reason = "nothing reads perf.data yet")]
mod unwind;
