//! Mapped code as a profiler describes it, and its kind.

use std::borrow::Cow;

use super::location::Addressing;
use super::{jitdump, perf_map, search};

/// Mapped code, as a profiler describes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct MappedObject<'a> {
    /// `/usr/lib/libc.so.6`, `//anon`, `[vdso]`, `[kernel.kallsyms]_text`.
    pub path: &'a [u8],
    /// The build-id of the file that was mapped, which distinguishes it from other files that had
    /// the same path.
    pub build_id: Option<&'a [u8]>,
    /// The process, which may have listed the functions in its memory for perf.
    pub pid: Option<u32>,
    /// Whether the code belongs to the kernel: the kernel itself, a module, or a BPF program.
    pub is_kernel: bool,
    /// For the kernel itself: the address in memory of the symbol in its path. For a file: where
    /// in the file the map begins, which matters only for [`ListedFunctions`].
    ///
    /// [`ListedFunctions`]: crate::ListedFunctions
    pub offset: u64,
    /// Where the map begins in memory, which matters only for listed functions of modules.
    pub start: u64,
    /// What addresses in its file count from.
    pub addressing: Addressing,
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    /// An executable or library; also the vdso, which looks like one.
    File,
    Kernel,
    /// Kernel modules, BPF programs and other code that is loaded after the kernel.
    Module,
    JitDump,
    /// Memory without a file.
    Anonymous,
}

impl ObjectKind {
    pub(super) fn of(mapped: &MappedObject<'_>, has_build_id: bool) -> ObjectKind {
        let path = mapped.path;
        if mapped.is_kernel {
            let is_kernel = path.starts_with(b"[kernel.") && mapped.offset != 0;
            return if is_kernel { ObjectKind::Kernel } else { ObjectKind::Module };
        }
        if path == search::VDSO {
            return ObjectKind::File;
        }
        if jitdump::is_dump(path) {
            return ObjectKind::JitDump;
        }
        let has_file = match path {
            // A file that is only in memory; a build-id is enough to find a copy of it.
            _ if path.starts_with(b"/memfd:") => has_build_id,
            _ if is_anonymous(path) || path.starts_with(b"//") || path.starts_with(b"/SYSV") => {
                false
            }
            // Some profilers leave out the folder of a file.
            _ => path.starts_with(b"/") || has_build_id && !path.starts_with(b"["),
        };
        if has_file { ObjectKind::File } else { ObjectKind::Anonymous }
    }
}

/// The names that Linux and perf have for memory that a process asked for.
fn is_anonymous(path: &[u8]) -> bool {
    path == b"//anon" || path.starts_with(b"/dev/zero") || path.starts_with(b"/anon_hugepage")
}

/// The name of an object as perf shows it: the kernel without the symbol that shows where it was
/// loaded, and memory with the name of the file that would list its functions.
pub(super) fn display_path<'a>(mapped: &MappedObject<'a>) -> Cow<'a, [u8]> {
    match (mapped.pid, memchr::memchr(b']', mapped.path)) {
        (_, Some(end)) if mapped.is_kernel && mapped.path.starts_with(b"[kernel.") => {
            Cow::Borrowed(&mapped.path[..=end])
        }
        (Some(pid), _) if is_anonymous(mapped.path) => Cow::Owned(perf_map::path(pid)),
        _ => Cow::Borrowed(mapped.path),
    }
}
