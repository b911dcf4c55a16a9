//! The functions at which stacks begin, by name: where programs, threads and fibers start.
//!
//! CFI says so itself where there is some, by a return address that is undefined. These are for code
//! without CFI, and for stacks whose copy ends in one of them.

/// The names, not demangled. stack-parse(1) has this list.
const ROOTS: &[&[u8]] = &[
    // Programs: the C library, and the dynamic linker before it.
    b"_start",
    b"_dl_start_user",
    b"_start_c",
    b"_dlstart",
    // Threads: glibc, musl.
    b"start_thread",
    b"clone",
    b"__clone",
    b"clone3",
    b"__clone3",
    b"thread_start",
    // Go.
    b"runtime.goexit",
    b"runtime.goexit.abi0",
    b"runtime.mstart",
    b"runtime.rt0_go",
    b"runtime.rt0_go.abi0",
    // Fibers: makecontext of glibc, Boost.Context.
    b"__start_context",
    b"make_fcontext",
    b"trampoline_finish",
];

/// Whether the function has no caller.
pub(crate) fn is_root(name: &[u8]) -> bool {
    ROOTS.contains(&name)
}
