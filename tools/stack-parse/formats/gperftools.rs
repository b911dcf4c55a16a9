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

pub(super) const CPU: Format = Format::new(
    "gperftools",
    "A processor profile of gperftools, as it is or by 'google-pprof --raw'",
    cpu::detect,
    cpu::parse,
);

pub(super) const TEXT: Format = Format::new(
    "pprof-text",
    "Go's profiles with debug=1, and the heap and lock profiles of gperftools",
    text::detect,
    text::parse,
);
