//! Splits a frame into its symbol and what profilers put around it.

use common::names::FrameParts;

/// A frame as its symbol and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// The symbol, and before it the module that some profilers print.
    pub(crate) name: &'a [u8],
    /// What profilers and linkers appended: ` (demo.c:14)`, `@plt`, `+0x12`,
    /// `_[k]`.
    pub(crate) tail: &'a [u8],
    /// Whether the tail says a place in the source.
    pub(crate) has_place: bool,
}

impl<'a> Frame<'a> {
    pub(crate) fn split(frame: &'a [u8]) -> Frame<'a> {
        let FrameParts { mut name, place, .. } = FrameParts::of(frame);
        while let Some(shorter) = without_offset(name).or_else(|| without_version(name))
            && !shorter.is_empty()
        {
            name = shorter;
        }
        Frame { name, tail: &frame[name.len()..], has_place: !place.is_empty() }
    }
}

/// Without the offset in `main+0x12`, as perf and bpftrace print addresses.
fn without_offset(name: &[u8]) -> Option<&[u8]> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 {
        return None;
    }
    name[..name.len() - digits].strip_suffix(b"+0x")
}

/// Without the version in `malloc@plt`, `malloc@GLIBC_2.2.5` and
/// `malloc@@GLIBC_2.2.5`. In OCaml's `Stdlib.@_dps_863`, `@` is an operator.
fn without_version(name: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = name.strip_suffix(b"@plt") {
        return Some(rest);
    }
    let is_inside = |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let at = name.iter().rposition(|byte| !is_inside(byte))?;
    let rest = name[..=at].strip_suffix(b"@")?;
    let is_version = name[at + 1..].first().is_some_and(u8::is_ascii_uppercase);
    is_version.then(|| rest.strip_suffix(b"@").unwrap_or(rest))
}

/// Splits ``libfoo.so`main`` (DTrace, macOS) and `foo.dll!main` (Windows) after the separator;
/// `None` without one. `bool operator!=<A>(A, A)` and `f<(!true)>` have no module.
pub(crate) fn split_module(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = name.iter().position(|&byte| matches!(byte, b'`' | b'!'))?;
    let module = &name[..at];
    let is_operator = module.ends_with(b"operator") || module.contains(&b'<');
    (at > 0 && !is_operator).then(|| name.split_at(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_set_aside() {
        for (name, tail) in [
            ("main", ""),
            ("main", "_[k]"),
            ("main", "+0x12"),
            ("main", "@plt"),
            ("main", "@plt+0x12_[i]"),
            ("main", " (demo.c:14)"),
            ("f(int)", " (demo.c:14)_[i]"),
            ("Main.(fun main.ml:6)", ""),
            ("f(int) (.cold)", ""),
            ("f", " (:1)"),
            ("f (a:)", ""),
            ("main", "@@GLIBC_2.34"),
            ("main", "@GLIBC_2.34+0xff"),
            ("", ""),
            ("", "_[k]"),
            ("_[K]", ""),
            ("+0x12", ""),
            ("main+0x", ""),
            ("main+12", ""),
            ("a@b", ""),
            ("Stdlib.@_dps_863", ""),
            ("_foo@12", ""),
        ] {
            let frame = format!("{name}{tail}");
            let Frame { name: found, tail: rest, has_place } = Frame::split(frame.as_bytes());
            assert_eq!((found, rest), (name.as_bytes(), tail.as_bytes()), "{frame}");
            assert_eq!(has_place, tail.contains(':'), "{frame}");
        }
    }

    #[test]
    fn modules_are_split_off() {
        let split = |name: &'static str| split_module(name.as_bytes());
        assert_eq!(split("libfoo.so`main"), Some((&b"libfoo.so`"[..], &b"main"[..])));
        assert_eq!(split("foo.dll!main"), Some((&b"foo.dll!"[..], &b"main"[..])));
        assert_eq!(split("main"), None);
        assert_eq!(split("bool operator!=<A>(A, A)"), None);
        assert_eq!(split("void f<(!true)>()"), None);
        assert_eq!(split("!main"), None);
    }
}
