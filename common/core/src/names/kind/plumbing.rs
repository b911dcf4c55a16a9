//! Functions that start programs and threads: they are below everything and say nothing.

use std::sync::LazyLock;

use bstr::ByteSlice;
use memchr::memmem::Finder;

/// Their names, without what comes after an `@`.
const NAMES: [&str; 38] = [
    "(root)",
    "BaseThreadInitThunk",
    "RtlUserThreadStart",
    "__GI___clone",
    "__clone",
    "__clone3",
    "__libc_start_call_main",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__pthread_start",
    "__rust_begin_short_backtrace",
    "__rust_end_short_backtrace",
    "_dl_start_user",
    "_pthread_start",
    "_start",
    "asm_sysvec_apic_timer_interrupt",
    "caml_main",
    "caml_program",
    "caml_start_program",
    "caml_startup",
    "caml_startup_common",
    "caml_startup_exn",
    "clone",
    "clone3",
    "entry_SYSCALL_64",
    "entry_SYSCALL_64_after_hwframe",
    "java.lang.Thread.run",
    "java.lang.Thread.runWith",
    "lang_start_internal",
    "pthread_start",
    "ret_from_fork",
    "ret_from_fork_asm",
    "runtime.goexit",
    "runtime.main",
    "start",
    "start_thread",
    "thread_start",
    "thread_start_func_2",
];

/// What is below the code of a program of Rust, whatever it calls.
static PARTS: LazyLock<[Finder<'static>; 3]> = LazyLock::new(|| {
    ["std::rt::lang_start", "__rust_begin_short_backtrace", "::thread_start"].map(Finder::new)
});

/// Whether this is a function that starts programs or threads.
pub(super) fn is_plumbing(name: &[u8]) -> bool {
    let bare = name.find_byte(b'@').map_or(name, |at| &name[..at]);
    NAMES.iter().any(|known| known.as_bytes() == bare)
        || PARTS.iter().any(|part| part.find(name).is_some())
}
