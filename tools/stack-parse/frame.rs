//! What a frame of `perf script` is called in a folded stack.

use bstr::ByteSlice;
use clap::{Args, ValueEnum};
use memchr::memrchr;

use crate::formats::perf_script::FrameLine;

/// What to do with functions that the compiler put into their callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Inlined {
    /// They are frames like others
    Keep,
    /// Their weight goes to the function they were put into
    Drop,
}

/// How frames are named.
#[derive(Args, Clone, Debug)]
pub(crate) struct NameArgs {
    /// Mark frames: `_[k]` kernel, `_[j]` compiled at run time, `_[i]` inlined
    #[arg(long)]
    annotate: bool,

    /// Frames of inlined functions
    #[arg(long, value_enum, default_value = "keep")]
    inlined: Inlined,

    /// Append source lines, as 'perf script -F +srcline' prints them: f (demo.c:14)
    #[arg(long)]
    srcline: bool,
}

impl NameArgs {
    /// True if and only if a name may depend on the address.
    pub(crate) fn need_address(&self) -> bool {
        self.annotate
    }

    /// Hands the names of the frames that a line stands for to `each`, root
    /// first: nearly always one, none if it is to be dropped.
    #[inline]
    pub(crate) fn for_each_name(
        &self,
        frame: &FrameLine<'_>,
        name: &mut Vec<u8>,
        mut each: impl FnMut(&[u8]),
    ) {
        if frame.inlined && self.inlined == Inlined::Drop {
            return;
        }
        let is_bare = frame.symbol.is_empty() && !frame.ip.is_empty();
        if frame.symbol == b"[unknown]" || is_bare {
            unknown(frame, name);
            return self.one(frame, name, each);
        }
        if is_java_inlining(frame) {
            return self.java(frame, name, each);
        }
        if !self.annotate && !self.srcline {
            return each(frame.symbol);
        }
        name.clear();
        name.extend_from_slice(frame.symbol);
        self.one(frame, name, each);
    }

    fn one(&self, frame: &FrameLine<'_>, name: &mut Vec<u8>, mut each: impl FnMut(&[u8])) {
        if self.srcline && !frame.place.is_empty() {
            name.extend_from_slice(b" (");
            name.extend_from_slice(frame.place);
            name.push(b')');
        }
        if self.annotate {
            name.extend_from_slice(suffix(frame));
        }
        each(name);
    }

    /// `La;::f->Lb;::g`: perf-map-agent writes what was inlined behind the
    /// compiled method.
    fn java(&self, frame: &FrameLine<'_>, name: &mut Vec<u8>, mut each: impl FnMut(&[u8])) {
        for (depth, method) in frame.symbol.split_str("->").enumerate() {
            if depth > 0 && self.inlined == Inlined::Drop {
                return;
            }
            name.clear();
            name.extend_from_slice(method);
            if self.annotate {
                name.extend_from_slice(if depth > 0 { b"_[i]" } else { b"_[j]" });
            }
            each(name);
        }
    }
}

/// A function without a name is called after its object file, `[libc.so.6]`,
/// or its address, `[0x56024653f1ea]`, where that is all there is.
fn unknown(frame: &FrameLine<'_>, name: &mut Vec<u8>) {
    name.clear();
    let file = file_name(frame.dso);
    match file {
        b"" if frame.symbol.is_empty() => {
            name.extend_from_slice(b"[0x");
            name.extend_from_slice(frame.ip);
            name.push(b']');
        }
        b"" => name.extend_from_slice(b"[unknown]"),
        // Already so: `[kernel.kallsyms]`, `[vdso]`, `[unknown]`.
        [b'[', ..] => name.extend_from_slice(file),
        _ => {
            name.push(b'[');
            name.extend_from_slice(file);
            name.push(b']');
        }
    }
}

fn suffix(frame: &FrameLine<'_>) -> &'static [u8] {
    if frame.inlined {
        b"_[i]"
    } else if is_kernel(frame) {
        b"_[k]"
    } else if is_jit(frame.dso) {
        b"_[j]"
    } else {
        b""
    }
}

/// `[kernel.kallsyms]`, `[guest.kernel.kallsyms]`, `.../vmlinux-5.4`, a module
/// `[nf_tables]` or `foo.ko.xz`; `[vdso]` and `[heap]` are the user's.
fn is_kernel(frame: &FrameLine<'_>) -> bool {
    let file = file_name(frame.dso);
    // Addresses of the upper half belong to the kernel.
    let upper_half = frame.ip.len() == 16 && frame.ip[0] >= b'8';
    frame.dso.starts_with(b"[kernel.")
        || frame.dso.starts_with(b"[guest.kernel.")
        || file == b"vmlinux"
        || file.starts_with(b"vmlinux-")
        || file.ends_with(b".ko")
        || file.contains_str(".ko.")
        || upper_half && frame.dso != b"[unknown]"
}

/// `/tmp/perf-123.map`, `jitted-123-4.so`, `[anon]`, `//anon`.
fn is_jit(dso: &[u8]) -> bool {
    dso.ends_with(b".map") && file_name(dso).starts_with(b"perf-")
        || dso.ends_with(b".so") && file_name(dso).starts_with(b"jitted-")
        || matches!(dso, b"[anon]" | b"//anon")
}

fn file_name(path: &[u8]) -> &[u8] {
    memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..])
}

/// Only Java's `->` means inlining: C++ has `operator->`, Rust `fn() -> T`,
/// OCaml operators such as `-->`.
fn is_java_inlining(frame: &FrameLine<'_>) -> bool {
    is_jit(frame.dso)
        && frame.symbol.find("::").is_some_and(|colons| Some(colons) < frame.symbol.find("->"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str, annotate: bool, inlined: Inlined) -> Vec<String> {
        let frame = FrameLine::parse(line.as_bytes()).expect("a frame");
        let args = NameArgs { annotate, inlined, srcline: false };
        let mut names = Vec::new();
        args.for_each_name(&frame, &mut Vec::new(), |name| names.push(name.to_str_lossy().into()));
        names
    }

    #[test]
    fn names_stay_as_printed() {
        for (line, name) in [
            ("1 (anonymous namespace)::f(int)+0x2 (/demo)", "(anonymous namespace)::f(int)"),
            ("1 <A as B>::f (/demo)", "<A as B>::f"),
            ("1 fn() -> T (/demo)", "fn() -> T"),
            ("1 JS:*get a->b x.js:1:2 (/tmp/perf-1.map)", "JS:*get a->b x.js:1:2"),
            ("1 [unknown] (/usr/lib/libc.so.6)", "[libc.so.6]"),
            ("1 [unknown] (//anon)", "[anon]"),
            ("1 [unknown] ([kernel.kallsyms])", "[kernel.kallsyms]"),
            ("1 [unknown] ([unknown])", "[unknown]"),
            ("1 [unknown]", "[unknown]"),
            ("    56024653f1ea", "[0x56024653f1ea]"),
            ("1 [unknown] (/memfd:my demo (deleted))", "[memfd:my demo (deleted)]"),
        ] {
            assert_eq!(names(line, false, Inlined::Keep), [name], "{line}");
        }
    }

    #[test]
    fn marks_tell_kernel_jit_and_inlined() {
        for (line, name) in [
            ("ffffffff8158e3e1 f+0xc1 ([kernel.kallsyms])", "f_[k]"),
            ("ffffffffb88000d4 [unknown] (/boot/vmlinux-5.4.14)", "[vmlinux-5.4.14]_[k]"),
            ("ffffffffc087cbc9 f (/lib/modules/mlx5_core.ko.xz)", "f_[k]"),
            ("ffffffffc087cbc9 f ([nf_tables])", "f_[k]"),
            ("7ffc1 __vdso_time ([vdso])", "__vdso_time"),
            ("7ffc1 main (/demo)", "main"),
            ("7ffc1 LazyCompile:~f (/tmp/perf-1.map)", "LazyCompile:~f_[j]"),
            ("7ffc1 f (/home/x/jitted-1-2.so)", "f_[j]"),
            ("7ffc1 f+0x2 (inlined)", "f_[i]"),
        ] {
            assert_eq!(names(line, true, Inlined::Keep), [name], "{line}");
        }
    }

    #[test]
    fn java_methods_split_at_their_inlining() {
        let line = "7f01 Ljava/A;::f->Ljava/B;::g (/tmp/perf-9.map)";
        assert_eq!(names(line, true, Inlined::Keep), ["Ljava/A;::f_[j]", "Ljava/B;::g_[i]"]);
        assert_eq!(names(line, false, Inlined::Drop), ["Ljava/A;::f"]);
    }

    #[test]
    fn inlined_frames_can_go() {
        assert!(names("1 f+0x2 (inlined)", false, Inlined::Drop).is_empty());
        assert_eq!(names("1 f+0x2 (inlined)", false, Inlined::Keep), ["f"]);
    }
}
