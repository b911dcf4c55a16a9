//! Profiles as gperftools and Go wrote them before profile.proto, and as both still print them: the
//! processor's, a file of words, and those of memory, locks and threads, which are text. A list of
//! the mapped files comes at the end; it serves to name the addresses.
//!
//! Grammar from gperftools' src/profiledata.cc and src/heap-profile-table.cc, Go's
//! src/runtime/pprof/pprof.go, and the readers of both in pprof's
//! profile/legacy_profile.go.

mod cpu;
mod text;

use crate::format::Format;
use crate::samples::{Root, Weighs};

pub(super) const CPU: Format = Format {
    name: "gperftools",
    about: "A processor profile of gperftools, as it is or by 'google-pprof --raw'",
    detect: cpu::detect,
    parse: cpu::parse,
    root: Root::None,
    weighs: Weighs::Sum,
    extras: &[],
};

pub(super) const TEXT: Format = Format {
    name: "pprof-text",
    about: "Go's profiles with debug=1, and the heap and lock profiles of gperftools",
    detect: text::detect,
    parse: text::parse,
    root: Root::None,
    weighs: Weighs::Sum,
    extras: &[],
};
