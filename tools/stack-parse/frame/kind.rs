//! Where code comes from: a program, the kernel, or memory.

use memchr::memrchr;
use symbolize::CodeOrigin;

use crate::read::paths::file_name;

/// Where code comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A program or a library.
    #[default]
    User,
    /// The kernel or a module of it.
    Kernel,
    /// Compiled while the program ran.
    Jit,
}

impl From<CodeOrigin> for Kind {
    fn from(origin: CodeOrigin) -> Kind {
        match origin {
            CodeOrigin::File => Kind::User,
            CodeOrigin::Kernel => Kind::Kernel,
            CodeOrigin::Memory => Kind::Jit,
        }
    }
}

impl Kind {
    /// The kind of an object, from the names that Linux and perf use. Addresses in the upper half
    /// of the 64-bit range are the kernel's.
    pub(crate) fn of_object(object: &[u8], address: Option<u64>) -> Kind {
        let file = file_name(object);
        let is_high = || address.is_some_and(|it| it >> 63 == 1) && object != b"[unknown]";
        if is_kernel(object, file) || is_high() {
            Kind::Kernel
        } else if is_jit(object, file) {
            Kind::Jit
        } else {
            Kind::User
        }
    }
}

/// `[kernel.kallsyms]`, `[guest.kernel.kallsyms]`, `.../vmlinux-5.4`, a module
/// `foo.ko.xz`; `[vdso]` and `[heap]` are the user's.
fn is_kernel(object: &[u8], file: &[u8]) -> bool {
    let unpacked = memrchr(b'.', file).map_or(file, |dot| &file[..dot]);
    object.starts_with(b"[kernel.")
        || object.starts_with(b"[guest.kernel.")
        || file == b"vmlinux"
        || file.starts_with(b"vmlinux-")
        || file.ends_with(b".ko")
        || unpacked.ends_with(b".ko")
}

/// `/tmp/perf-123.map`, `jitted-123-4.so`, `[anon]`, `//anon`.
fn is_jit(object: &[u8], file: &[u8]) -> bool {
    file.starts_with(b"perf-") && file.ends_with(b".map")
        || file.starts_with(b"jitted-") && file.ends_with(b".so")
        || matches!(object, b"[anon]" | b"//anon")
}
