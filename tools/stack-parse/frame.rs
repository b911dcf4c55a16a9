//! The name of a frame in a folded stack, as the options want it.

mod kind;
mod owner;
mod recorded;

use bstr::ByteSlice;
use clap::{Args, ValueEnum};
use common::names::{FrameParts, base_of_place};
use common::numbers::is_digits;
use memchr::memrchr;

use self::owner::{OwnArgs, Owner};
use crate::read::paths::file_name;
pub(crate) use kind::Kind;
pub(crate) use recorded::{Frame, known_name};

/// What to do with inlined functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Inlined {
    /// They are frames like others
    Keep,
    /// Those of libraries are left out: their weight goes to the function they were put into
    Own,
    /// Their weight goes to the function they were put into
    Drop,
}

/// How frames are named.
#[derive(Args, Clone, Debug)]
pub(crate) struct FrameArgs {
    /// Mark frames: `_[o]` own code, `_[l]` library, `_[k]` kernel, `_[j]` compiled at run time,
    /// `_[i]` inlined
    #[arg(long)]
    pub(crate) annotate: bool,

    #[command(flatten)]
    own: OwnArgs,

    /// Frames of inlined functions
    #[arg(long, value_enum, default_value = "keep")]
    inlined: Inlined,

    /// Append source lines: f (/src/demo.c:14), or with 'base' f (demo.c:14)
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "path")]
    srcline: Option<SourceLine>,
}

/// How much of the path of a source file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SourceLine {
    /// All that the debug information or the format has
    Path,
    /// The name of the file without its folders
    Base,
}

impl FrameArgs {
    /// Whether a name may depend on the address, which shows whether code is the kernel's.
    pub(crate) fn need_address(&self) -> bool {
        self.annotate
    }

    /// Whether inlined functions are frames, some or all.
    pub(crate) fn keep_inlined(&self) -> bool {
        self.inlined != Inlined::Drop
    }

    /// Whether lines are looked up: they are written, or show whose code it is.
    pub(crate) fn need_source(&self) -> bool {
        self.srcline() || self.need_owner()
    }

    /// Whether it is asked whose code a frame is.
    pub(crate) fn need_owner(&self) -> bool {
        self.annotate || self.inlined == Inlined::Own
    }

    /// Whether source lines are asked for.
    pub(crate) fn srcline(&self) -> bool {
        self.srcline.is_some()
    }

    /// Passes the names made from a frame to `each`, root first: nearly always one, none if the
    /// frame is dropped. `buffer` is scratch space.
    #[inline]
    pub(crate) fn for_each_name(
        &self,
        frame: &Frame<'_>,
        buffer: &mut Vec<u8>,
        mut each: impl FnMut(&[u8]),
    ) {
        let owner = self.owner(frame);
        if self.leaves_out(frame, owner) {
            return;
        }
        if frame.name.is_empty() {
            unknown(frame, buffer);
            return self.one(frame, owner, buffer, each);
        }
        if is_java_inlining(frame) {
            return self.java(frame, buffer, each);
        }
        if !self.annotate && self.srcline.is_none() {
            return each(frame.name);
        }
        buffer.clear();
        buffer.extend_from_slice(frame.name);
        self.one(frame, owner, buffer, each);
    }

    /// Whose code a frame is, if its mark or what to do with it depends on that.
    #[inline]
    fn owner(&self, frame: &Frame<'_>) -> Option<Owner> {
        let is_asked = match (frame.inlined, self.inlined) {
            (true, Inlined::Drop) => false,
            (true, Inlined::Own) => true,
            _ => self.annotate,
        };
        is_asked.then(|| self.own.owner(frame))
    }

    /// Whether this is an inlined function that is no frame.
    fn leaves_out(&self, frame: &Frame<'_>, owner: Option<Owner>) -> bool {
        frame.inlined
            && match self.inlined {
                Inlined::Keep => false,
                Inlined::Own => owner == Some(Owner::Library),
                Inlined::Drop => true,
            }
    }

    fn one(
        &self,
        frame: &Frame<'_>,
        owner: Option<Owner>,
        name: &mut Vec<u8>,
        mut each: impl FnMut(&[u8]),
    ) {
        if let Some(how) = self.srcline.filter(|_| has_line(frame.source)) {
            // Marks come last. stack-export leaves them in the name where its format has no field
            // for them.
            let marks = name.split_off(name.len() - FrameParts::of(name).marks.len());
            name.extend_from_slice(b" (");
            name.extend_from_slice(match how {
                SourceLine::Path => frame.source,
                SourceLine::Base => base_of_place(frame.source),
            });
            name.push(b')');
            name.extend_from_slice(&marks);
        }
        if let Some(owner) = owner.filter(|_| self.annotate) {
            push_marks(frame, owner, name);
        }
        each(name);
    }

    /// `La;::f->Lb;::g`: perf-map-agent writes inlined methods after the compiled method.
    fn java(&self, frame: &Frame<'_>, name: &mut Vec<u8>, mut each: impl FnMut(&[u8])) {
        for (depth, method) in frame.name.split_str("->").enumerate() {
            let method = Frame { name: method, inlined: depth > 0, ..*frame };
            let owner = self.owner(&method);
            if self.leaves_out(&method, owner) {
                continue;
            }
            name.clear();
            name.extend_from_slice(method.name);
            if let Some(owner) = owner.filter(|_| self.annotate) {
                push_marks(&method, owner, name);
            }
            each(name);
        }
    }
}

/// Whether this is a source line as folded stacks write it, `a b.c:12`, `src/main.rs:12:5`: a file
/// without a line number would be read as a part of the name.
pub(crate) fn has_line(source: &[u8]) -> bool {
    memrchr(b':', source).is_some_and(|colon| colon > 0 && is_digits(&source[colon + 1..]))
}

/// A function without a name gets the name of its object file, `[libc.so.6]`, with its offset if
/// that is known, `[libc.so.6+0x1234]`; or its address, `[0x56024653f1ea]`, where nothing else is
/// known.
fn unknown(frame: &Frame<'_>, name: &mut Vec<u8>) {
    name.clear();
    let file = file_name(frame.object);
    match (file, frame.address) {
        (b"", Some(address)) => name.extend_from_slice(format!("[{address:#x}]").as_bytes()),
        (b"", None) => name.extend_from_slice(b"[unknown]"),
        // In brackets already: `[kernel.kallsyms]`, `[vdso]`, `[unknown]`.
        ([b'[', ..], _) => name.extend_from_slice(file),
        _ => {
            name.push(b'[');
            name.extend_from_slice(file);
            name.push(b']');
        }
    }
    if let Some(offset) = frame.offset.filter(|_| name.pop_if(|last| *last == b']').is_some()) {
        name.extend_from_slice(format!("+{offset:#x}]").as_bytes());
    }
}

/// Appends the marks of a frame. Only the frame around an inlined one is marked as compiled at run
/// time.
fn push_marks(frame: &Frame<'_>, owner: Owner, name: &mut Vec<u8>) {
    // A frame that stack-export wrote may have the mark in its name already.
    let parts = FrameParts::of(name);
    let is_marked = parts.has_mark(b'l') || parts.has_mark(b'o');
    name.extend_from_slice(match owner {
        _ if is_marked => b"",
        Owner::Own => b"_[o]",
        Owner::Library => b"_[l]",
        Owner::Unknown => b"",
    });
    name.extend_from_slice(match frame.kind {
        _ if frame.inlined => b"_[i]",
        Kind::Kernel => b"_[k]",
        Kind::Jit => b"_[j]",
        Kind::User => b"",
    });
}

/// Only Java's `->` means inlining: C++ has `operator->`, Rust `fn() -> T`,
/// OCaml operators such as `-->`.
fn is_java_inlining(frame: &Frame<'_>) -> bool {
    frame.kind == Kind::Jit
        && frame.name.find("::").is_some_and(|colons| Some(colons) < frame.name.find("->"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: u64 = 0xffff_ffff_8158_e3e1;

    fn frame<'a>(address: u64, name: &'a str, object: &'a str) -> Frame<'a> {
        let (name, object, address) = (name.as_bytes(), object.as_bytes(), Some(address));
        Frame { name, object, address, kind: Kind::of_object(object, address), ..Frame::default() }
    }

    fn names(frame: &Frame<'_>, annotate: bool, inlined: Inlined) -> Vec<String> {
        let args = FrameArgs { annotate, inlined, srcline: None, own: OwnArgs::default() };
        let mut names = Vec::new();
        args.for_each_name(frame, &mut Vec::new(), |name| names.push(name.to_str_lossy().into()));
        names
    }

    #[test]
    fn names_stay_as_printed() {
        for (name, object, expected) in [
            ("(anonymous namespace)::f(int)", "/demo", "(anonymous namespace)::f(int)"),
            ("<A as B>::f", "/demo", "<A as B>::f"),
            ("fn() -> T", "/demo", "fn() -> T"),
            ("JS:*get a->b x.js:1:2", "/tmp/perf-1.map", "JS:*get a->b x.js:1:2"),
            ("", "/usr/lib/libc.so.6", "[libc.so.6]"),
            ("", "//anon", "[anon]"),
            ("", "[kernel.kallsyms]", "[kernel.kallsyms]"),
            ("", "[unknown]", "[unknown]"),
            ("", "/memfd:my demo (deleted)", "[memfd:my demo (deleted)]"),
            ("", "", "[0x56024653f1ea]"),
        ] {
            let frame = frame(0x5602_4653_f1ea, name, object);
            assert_eq!(names(&frame, false, Inlined::Keep), [expected], "{name} {object}");
        }
        assert_eq!(names(&Frame::default(), false, Inlined::Keep), ["[unknown]"]);
    }

    #[test]
    fn a_place_in_a_file_has_a_name() {
        for (object, expected) in [
            ("/usr/lib/libc.so.6", "[libc.so.6+0x26040]"),
            ("[vdso]", "[vdso+0x26040]"),
            ("/memfd:demo (deleted)", "[memfd:demo (deleted)+0x26040]"),
        ] {
            let frame = Frame { offset: Some(0x26040), ..frame(0x7f01_0002_6040, "", object) };
            assert_eq!(names(&frame, false, Inlined::Keep), [expected]);
            let named = Frame { name: b"f", ..frame };
            assert_eq!(names(&named, false, Inlined::Keep), ["f"]);
        }
    }

    #[test]
    fn methods_that_were_inlined_into_one_of_java_are_left_out_if_they_are_of_a_library() {
        let name = "Lapp/B;::f->Ljava/util/D;::g->Lapp/C;::h";
        let frame = frame(1, name, "/tmp/perf-7.map");
        for (inlined, expected) in [
            (Inlined::Keep, &["Lapp/B;::f", "Ljava/util/D;::g", "Lapp/C;::h"][..]),
            (Inlined::Own, &["Lapp/B;::f", "Lapp/C;::h"]),
            (Inlined::Drop, &["Lapp/B;::f"]),
        ] {
            assert_eq!(names(&frame, false, inlined), expected);
        }
    }

    #[test]
    fn marks_tell_kernel_jit_and_inlined() {
        for (frame, expected) in [
            (frame(KERNEL, "f", "[kernel.kallsyms]"), "f_[k]"),
            (frame(KERNEL, "", "/boot/vmlinux-5.4.14"), "[vmlinux-5.4.14]_[k]"),
            (frame(KERNEL, "f", "/lib/modules/mlx5_core.ko.xz"), "f_[k]"),
            (frame(KERNEL, "f", "[nf_tables]"), "f_[k]"),
            (frame(0x7_ffc1, "__vdso_time", "[vdso]"), "__vdso_time_[l]"),
            (frame(0x7_ffc1, "qsort", "/usr/lib/libc.so.6"), "qsort_[l]"),
            (frame(0x7_ffc1, "run", "/x/libplug.so (deleted)"), "run_[l]"),
            (frame(0x7_ffc1, "", "/usr/lib/libc-2.31.so"), "[libc-2.31.so]_[l]"),
            (frame(0x7_ffc1, "f", "C:\\Windows\\KERNEL32.DLL"), "f_[l]"),
            (frame(0x7_ffc1, "f", "/bin/a.sock"), "f"),
            (Frame { source: b"node:fs:3:4", kind: Kind::Jit, ..frame(1, "f", "") }, "f_[l]_[j]"),
            (Frame { inlined: true, ..frame(0x7_ffc1, "f", "/libx.so.1") }, "f_[l]_[i]"),
            (frame(0x7_ffc1, "main", "/demo"), "main_[o]"),
            (frame(0x7_ffc1, "LazyCompile:~f", "/tmp/perf-1.map"), "LazyCompile:~f_[j]"),
            (frame(0x7_ffc1, "f", "/home/x/jitted-1-2.so"), "f_[j]"),
            (Frame { inlined: true, ..frame(0x7_ffc1, "f", "") }, "f_[i]"),
        ] {
            assert_eq!(names(&frame, true, Inlined::Keep), [expected]);
        }
    }

    #[test]
    fn java_methods_split_at_their_inlining() {
        let frame = frame(0x7f01, "Ljava/A;::f->Ljava/B;::g", "/tmp/perf-9.map");
        assert_eq!(
            names(&frame, true, Inlined::Keep),
            ["Ljava/A;::f_[l]_[j]", "Ljava/B;::g_[l]_[i]"]
        );
        assert_eq!(names(&frame, false, Inlined::Drop), ["Ljava/A;::f"]);
    }

    #[test]
    fn a_place_is_whole_or_its_base() {
        for (source, whole, base) in [
            ("/src/a/util.c:14", "f (/src/a/util.c:14)", "f (util.c:14)"),
            ("C:\\my src\\a.js:5:12", "f (C:\\my src\\a.js:5:12)", "f (a.js:5:12)"),
            ("/src/a (b):c.c:7", "f (/src/a (b):c.c:7)", "f (a (b):c.c:7)"),
            // Without a line it would be a part of the name.
            ("/src/a.rb", "f", "f"),
            ("<cfunc>", "f", "f"),
            (":7", "f", "f"),
            ("", "f", "f"),
        ] {
            let frame = Frame { source: source.as_bytes(), ..frame(1, "f", "") };
            for (how, expected) in [(SourceLine::Path, whole), (SourceLine::Base, base)] {
                let (annotate, own) = (false, OwnArgs::default());
                let args = FrameArgs { annotate, own, inlined: Inlined::Keep, srcline: Some(how) };
                args.for_each_name(&frame, &mut Vec::new(), |it| {
                    assert_eq!(it.as_bstr(), expected);
                });
            }
        }
    }

    #[test]
    fn inlined_frames_can_go() {
        let frame = Frame { inlined: true, ..frame(1, "f", "") };
        assert!(names(&frame, false, Inlined::Drop).is_empty());
        assert_eq!(names(&frame, false, Inlined::Keep), ["f"]);
    }
}
