//! Which frames are one function where profiles are compared.

use std::borrow::Cow;

use bstr::ByteSlice;

use crate::names::{FrameParts, normalize, short_name};
use crate::stacks::FrameId;

/// How frames are told apart where profiles are compared.
///
/// A place and marks are not part of a name: lines move between versions. What compilers and
/// virtual machines append to copies of a function, and the numbers that they give to functions
/// without a name, differ from build to build and from run to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FunctionNames {
    /// Names as people say them, without what differs between builds.
    #[default]
    Normalized,
    /// Names as they are.
    Exact,
}

impl FunctionNames {
    /// The function of a frame.
    #[must_use]
    pub fn of(self, frame: &[u8]) -> Cow<'_, [u8]> {
        let name = FrameParts::of(frame).name;
        if self == FunctionNames::Exact || !may_differ(name) {
            return Cow::Borrowed(name);
        }
        let mut function = short_name(name).unwrap_or_else(|| name.to_vec());
        drop_stamp(&mut function);
        normalize(&mut function);
        Cow::Owned(function)
    }

    /// The stack without its leaf, if the time in the leaf belongs to the caller.
    ///
    /// A profile of Go has `runtime.asyncPreempt` where the scheduler interrupted a function at
    /// the very moment of the sample; how often differs from run to run.
    pub(super) fn without_interruption<'a>(
        self,
        stack: &'a [FrameId],
        function: impl Fn(FrameId) -> &'a [u8],
    ) -> &'a [FrameId] {
        match stack {
            [callers @ .., leaf]
                if self == FunctionNames::Normalized
                    && !callers.is_empty()
                    && function(*leaf) == b"runtime.asyncPreempt" =>
            {
                callers
            }
            _ => stack,
        }
    }
}

/// Whether a name holds a byte with which a number, a copy's mark, a hash, a tier or the argument of a
/// template begins.
fn may_differ(name: &[u8]) -> bool {
    name.find_byteset(b".[$/:+<").is_some()
}

/// Drops the number that OCaml's compiler gave to a function without a name: `Main.f.(fun/826)`.
fn drop_stamp(name: &mut Vec<u8>) {
    let Some(inside) = name.strip_suffix(b")") else { return };
    let Some((before, stamp)) = inside.rsplit_once_str("(fun/") else { return };
    if !stamp.is_empty() && stamp.iter().all(u8::is_ascii_digit) {
        let end = before.len() + "(fun".len();
        name.truncate(end);
        name.push(b')');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_numbers_are_one_function() {
        for (frame, function) in [
            ("EncodeTree.constprop.0 (tree.c:12)_[k]", "EncodeTree"),
            ("Main.serve.(fun/826)", "Main.serve.(fun)"),
            ("Main.serve.(fun/826) (main.ml:4)", "Main.serve.(fun)"),
            ("Foo$$Lambda$12/0x00007f9b78000a08.run", "Foo$$Lambda.run"),
            (
                "java.util.Comparator$$Lambda$111+0x00007f55dc013988.1448525331.compare",
                "java.util.Comparator$$Lambda.compare",
            ),
            ("core::fmt::write::h0123456789abcdef", "core::fmt::write"),
            ("main", "main"),
            ("f(fun/x)", "f(fun/x)"),
            ("", ""),
        ] {
            let normalized = FunctionNames::Normalized.of(frame.as_bytes());
            assert_eq!(normalized.as_bstr(), function, "{frame}");
        }
        assert_eq!(&*FunctionNames::Exact.of(b"f.cold (a.c:1)"), b"f.cold");
    }
}
