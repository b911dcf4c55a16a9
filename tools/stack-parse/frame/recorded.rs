//! A frame as the parsers report it.

use super::kind::Kind;

/// A function on the stack; unknown fields are empty or `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// The function, as the profiler wrote it.
    pub(crate) name: &'a [u8],
    /// The file or mapping that contains the code: `/usr/lib/libc.so.6`, `[vdso]`.
    pub(crate) object: &'a [u8],
    /// The address of the code in memory.
    pub(crate) address: Option<u64>,
    /// The offset of the code in its file.
    pub(crate) offset: Option<u64>,
    /// The source line, with the whole path if that is known: `/src/demo.c:14`.
    pub(crate) source: &'a [u8],
    pub(crate) kind: Kind,
    /// Another function in the same file that shows its language: `caml_start_program`.
    pub(crate) beside: &'a [u8],
    /// Whether the compiler inlined this function into its caller.
    pub(crate) inlined: bool,
}

impl<'a> Frame<'a> {
    /// The object; empty where a profiler writes a placeholder for an unknown one.
    pub(crate) fn known_object(&self) -> &'a [u8] {
        match self.object {
            b"[unknown]" | b"<unknown binary>" | b"???" => b"",
            object => object,
        }
    }
}

/// The name; empty where a profiler writes `???` for an unknown one.
pub(crate) fn known_name(name: &[u8]) -> &[u8] {
    if name == b"???" { b"" } else { name }
}
