//! How much of a stack perf copies for each sample, where callers are found by DWARF.

use crate::What;
use crate::kernel_files::{field, length, processors as all_processors, read};
use crate::said::explain;

/// In bytes, the best first. The first holds the stacks of most programs; the last is what perf
/// copies unless it is asked for another size.
const SIZES: [u32; 3] = [32768, 16384, 8192];

/// The most that is copied, in bytes a second on all processors: 32768 for each of 1000 samples a
/// second on 8 processors. With its own buffers of 8 processors, perf lost nothing of so much.
const MOST: u64 = 262_144_000;

/// Fewer processors count as this many. perf empties the buffer of each when it gets a processor
/// itself. With its own of 512 kB, which are all that some users may have, it lost 0.6 % at most at
/// half of this share, at twice the share 4 %.
const FEWEST: u64 = 4;

/// The value of `--call-graph` for copies of the stack. Says so where they are small.
pub(crate) fn choose(hertz: Option<u64>, what: &What) -> String {
    let processors = processors(what);
    let size = size(hertz, processors);
    if size < SIZES[0] {
        let why = match hertz {
            Some(hertz) => {
                let processors = common::numbers::counted(processors, "processors");
                format!("{hertz} samples a second on {processors} would be too much")
            }
            None => "every event is recorded, and that may be many".to_owned(),
        };
        explain(format_args!(
            "copying {size} bytes of each stack, which may cut it, and not {}: {why}; \
             --call-graph dwarf,BYTES copies more",
            SIZES[0]
        ));
    }
    format!("dwarf,{size}")
}

/// The largest size that is not too much; `hertz` is `None` where every event is recorded.
fn size(hertz: Option<u64>, processors: u64) -> u32 {
    let samples = hertz.map(|hertz| hertz.saturating_mul(processors.max(FEWEST)));
    let fits = |size: &u32| samples.is_some_and(|it| it.saturating_mul((*size).into()) <= MOST);
    SIZES.into_iter().find(fits).unwrap_or(SIZES[SIZES.len() - 1])
}

/// How many processors may be recorded at the same time.
fn processors(what: &What) -> u64 {
    let allowed = |status: &str| field(status, "Cpus_allowed_list:").map_or(1, length);
    match what {
        What::System(_) => all_processors(),
        What::Process(pid) => {
            let status = read(&format!("/proc/{pid}/status"));
            let threads = field(&status, "Threads:").and_then(|it| it.parse().ok());
            allowed(&status).min(threads.unwrap_or(u64::MAX))
        }
        What::Program(_) | What::File(_) => allowed(&read("/proc/self/status")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_large_where_their_rate_is_low() {
        for (hertz, processors, expected) in [
            (Some(999), 1, 32768),
            (Some(999), 8, 32768),
            (Some(999), 9, 16384),
            (Some(999), 16, 16384),
            (Some(999), 64, 8192),
            (Some(99), 64, 32768),
            (Some(4000), 1, 16384),
            (Some(4000), 2, 16384),
            (Some(u64::MAX), 64, 8192),
            (None, 1, 8192),
        ] {
            assert_eq!(size(hertz, processors), expected, "{hertz:?} on {processors}");
        }
    }
}
