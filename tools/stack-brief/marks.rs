//! What the names of frames show of the time that is spent below them.

use bstr::ByteSlice;
use common::critical::LOCKS;
use common::names::FrameParts;

use crate::profile::{Column, Profile};

/// What is seen of a frame, or of the frames of a stack together: one bit for each of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    pub(crate) const GARBAGE: Marks = Marks(1);
    pub(crate) const FAULT: Marks = Marks(2);
    pub(crate) const ALLOCATION: Marks = Marks(4);
    pub(crate) const KERNEL: Marks = Marks(8);
    /// It has no name.
    pub(crate) const NAMELESS: Marks = Marks(16);
    /// The callers of the next frame are missing.
    pub(crate) const CUT: Marks = Marks(32);
    /// A thread begins there.
    pub(crate) const START: Marks = Marks(64);
    pub(crate) const LOCK: Marks = Marks(128);

    pub(crate) fn with(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    pub(crate) fn has(self, other: Marks) -> bool {
        self.0 & other.0 != 0
    }
}

/// Names, and with a `*` at the end beginnings of names.
type Names = &'static [&'static str];

/// The collectors of languages at work. `[GC]` is what stack-collapse-frames makes of them.
const GARBAGE: Names = &[
    "[GC*",
    // OCaml
    "caml_empty_minor_heap*",
    "caml_minor_collection*",
    "caml_major_collection_slice*",
    "caml_major_slice*",
    "caml_gc_dispatch*",
    "caml_garbage_collection*",
    "caml_call_gc*",
    "caml_check_urgent_gc*",
    "caml_finish_major*",
    "caml_compact_heap*",
    "caml_stw_empty*",
    // Go
    "runtime.gcBgMarkWorker*",
    "runtime.gcAssistAlloc*",
    "runtime.gcStart*",
    "runtime.gcMark*",
    "runtime.gcDrain*",
    "runtime.gcSweep*",
    "runtime.bgsweep*",
    "runtime.bgscavenge*",
    "runtime.sweepone*",
    "runtime.scanobject*",
    "runtime.scanblock*",
    "runtime.markroot*",
    "runtime.wbBufFlush*",
    "runtime.greyobject*",
    "runtime.(*sweepLocked*",
    "runtime.(*gcWork*",
    "runtime.GC",
    // V8
    "(garbage collector)",
    "v8::internal::Heap::CollectGarbage*",
    "v8::internal::Heap::PerformGarbageCollection*",
    "v8::internal::Heap::Scavenge*",
    "v8::internal::Heap::MarkCompact*",
    "v8::internal::Scavenger*",
    "v8::internal::MarkCompact*",
    "v8::internal::MinorMark*",
    "v8::internal::ConcurrentMarking*",
    "v8::internal::Sweeper*",
    "v8::internal::IncrementalMarking*",
    // HotSpot
    "GangWorker::*",
    "GCTaskThread::*",
    "ConcurrentGCThread::*",
    "G1Par*",
    "G1Concurrent*",
    "G1CollectedHeap::do_collection*",
    "VM_G1*",
    "ParallelScavenge*",
    "PSParallelCompact*",
    "PSScavenge*",
    "ZDriver*",
    // CPython
    "gc_collect_main",
    "gc_collect_generations",
    "gc_collect_region",
    "gc_collect_young",
    "gc_collect_full",
    "gc_collect_increment",
    "_PyGC_Collect*",
    "deduce_unreachable",
    // Ruby, Haskell, PHP, Lua
    "gc_marks*",
    "gc_sweep*",
    "gc_start*",
    "gc_rest*",
    "GarbageCollect",
    "zend_gc_*",
    "luaC_step",
    "luaC_fullgc",
];

/// Where the kernel gives a program memory that it touches for the first time, or reads it back.
const FAULT: Names = &[
    "asm_exc_page_fault",
    "exc_page_fault",
    "do_user_addr_fault",
    "__do_page_fault",
    "do_page_fault",
    "do_translation_fault",
    "do_mem_abort",
    "handle_mm_fault",
    "__handle_mm_fault",
    "el0_da",
    "el0_ia",
];

/// Functions that give a program memory, and take it back.
const ALLOCATION: Names = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "cfree",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "__libc_malloc",
    "__libc_calloc",
    "__libc_realloc",
    "__libc_free",
    "__libc_memalign",
    "__GI___libc_malloc",
    "__GI___libc_realloc",
    "__GI___libc_free",
    "_int_malloc",
    "_int_free*",
    "_int_realloc",
    "je_malloc",
    "je_calloc",
    "je_realloc",
    "je_free",
    "tc_malloc",
    "tc_free",
    "mi_malloc*",
    "mi_free*",
    "operator new*",
    "operator delete*",
    "__rust_alloc*",
    "__rust_dealloc",
    "__rust_realloc",
    "__rdl_alloc*",
    "__rdl_dealloc",
    "__rdl_realloc",
    "alloc::alloc::*",
    "runtime.mallocgc*",
    "runtime.newobject",
    "runtime.makeslice*",
    "runtime.growslice",
    "runtime.makemap*",
    "caml_alloc*",
    "PyObject_Malloc",
    "PyObject_Free",
    "PyMem_Malloc",
    "_PyObject_Malloc",
    "_PyObject_Free",
];

/// Where threads begin. What is called on a stack of its own, as Go's scheduler, begins there.
const START: Names = &[
    "_start",
    "start",
    "main",
    "start_thread",
    "thread_start",
    "clone",
    "clone3",
    "__clone*",
    "__libc_start_*",
    "ret_from_fork*",
    "secondary_startup*",
    "_dl_*",
    "runtime.goexit*",
    "runtime.mstart*",
    "runtime.rt0_go*",
    "runtime.mcall*",
    "runtime.systemstack*",
    "runtime.morestack*",
    "runtime.sigtramp*",
    "runtime.asmcgocall*",
    "caml_main",
    "caml_start_program",
];

/// What the frames of a profile show, by their numbers.
pub(crate) fn of_frames(profile: &Profile) -> Vec<Marks> {
    // Only who waits can wait for a lock.
    let locks = if profile.columns.iter().any(Column::is_waiting) { &LOCKS[..] } else { &[] };
    let known = Known::new();
    let frames = 0..profile.frame_count() as u32;
    frames.map(|frame| known.of_frame(profile.frame(frame), locks)).collect()
}

/// The known names, by their first byte.
struct Known([Vec<(&'static [u8], Marks)>; 128]);

impl Known {
    fn new() -> Known {
        let mut known = Known(std::array::from_fn(|_| Vec::new()));
        for (mark, names) in [
            (Marks::GARBAGE, GARBAGE),
            (Marks::FAULT, FAULT),
            (Marks::ALLOCATION, ALLOCATION),
            (Marks::START, START),
        ] {
            for name in names.iter().map(|name| name.as_bytes()) {
                known.0[usize::from(name[0])].push((name, mark));
            }
        }
        known
    }

    fn of_frame(&self, frame: &[u8], locks: &[&str]) -> Marks {
        let parts = FrameParts::of(frame);
        let mut all = self.of_name(parts.name);
        for (mark, is_so) in [
            (Marks::KERNEL, parts.has_mark(b'k')),
            (Marks::NAMELESS, is_nameless(parts.name)),
            (Marks::CUT, matches!(parts.name, b"[truncated]" | b"[broken]")),
            (Marks::LOCK, locks.iter().any(|lock| parts.name.contains_str(lock))),
        ] {
            all = if is_so { all.with(mark) } else { all };
        }
        all
    }

    /// What a name shows, without the version of its symbol: `malloc@GLIBC_2.2.5`.
    fn of_name(&self, name: &[u8]) -> Marks {
        let Some(likely) = name.first().and_then(|first| self.0.get(usize::from(*first))) else {
            return Marks::default();
        };
        let is_this = |known: &[u8]| match known.strip_suffix(b"*") {
            Some(begin) => name.starts_with(begin),
            None => name.strip_prefix(known).is_some_and(|rest| matches!(rest, [] | [b'@', ..])),
        };
        let found = likely.iter().filter(|(known, _)| is_this(known));
        found.fold(Marks::default(), |all, (_, mark)| all.with(*mark))
    }
}

/// Frames in brackets that are no code without a name.
const NAMED: [&[u8]; 18] = [
    b"truncated",
    b"broken",
    b"no stack",
    b"no sample",
    b"running",
    b"runnable",
    b"waiting",
    b"waiting or runnable",
    b"not recorded",
    b"end of thread",
    b"not own",
    b"vdso",
    b"JIT",
    b"interpreter",
    b"scheduler",
    b"compile",
    b"all",
    b"cut",
];

/// `[unknown]`, `[libfoo.so]`, `[app]`, `[app+0x12]`: what stack-parse writes in place of a name.
fn is_nameless(name: &[u8]) -> bool {
    let inside = name.strip_prefix(b"[").and_then(|name| name.strip_suffix(b"]"));
    inside.is_some_and(|inside| !NAMED.contains(&inside) && !inside.starts_with(b"GC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_what_is_done() {
        let known = Known::new();
        for (frame, expected) in [
            ("caml_major_collection_slice.part.0", Marks::GARBAGE),
            ("[GC minor]", Marks::GARBAGE),
            ("runtime.gcBgMarkWorker.func2", Marks::GARBAGE),
            ("exc_page_fault_[k]", Marks::FAULT.with(Marks::KERNEL)),
            ("malloc@GLIBC_2.2.5_[l]", Marks::ALLOCATION),
            ("operator new(unsigned long)_[l]", Marks::ALLOCATION),
            ("mallocator", Marks::default()),
            ("main (a.c:7)_[o]", Marks::START),
            ("__libc_start_main@@GLIBC_2.34", Marks::START),
            ("[libc.so.6]_[l]", Marks::NAMELESS),
            ("[vdso]", Marks::default()),
            ("[truncated]", Marks::CUT),
            ("__lll_lock_wait_[l]", Marks::LOCK),
            ("", Marks::default()),
        ] {
            assert_eq!(known.of_frame(frame.as_bytes(), &LOCKS), expected, "{frame}");
        }
    }
}
