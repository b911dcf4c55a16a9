//! The options of stackcollapse-perf.pl that we do not have, and what to use instead.

use common::Known;

pub(crate) const OPTIONS: &[Known] = &[
    ("--addrs", "leave it out: a function without a name is called after its file, or its address"),
    ("--all", "use '--annotate'"),
    ("--context", "use '--srcline', and 'perf script -F +srcline'"),
    ("--event-filter", "use '--event GLOB'"),
    ("--inline", "leave it out: what perf script found to be inlined is kept, see '--inlined'"),
    ("--jit", "use '--annotate'"),
    ("--kernel", "use '--annotate'"),
    ("--pid", "use '--root pid'"),
    ("--tid", "use '--root tid'"),
];
