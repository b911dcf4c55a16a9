//! Java: perf's maps have classes as class files write them; a stack trace has dots.

use bstr::ByteSlice;

/// The name of a method as a stack trace has it: `java.util.Arrays.sort` of `Ljava/util/Arrays;::sort`,
/// whose `;` is a `:` in a folded line; `None` if that is the name as it is.
pub(super) fn short_java(name: &[u8]) -> Option<Vec<u8>> {
    let name = name.strip_prefix(b"L")?;
    let (class, method) = name.split_once_str(";::").or_else(|| name.split_once_str(":::"))?;
    let is_class = !class.is_empty() && !class.iter().any(|byte| b" <>()[".contains(byte));
    is_class.then(|| [&class.replace("/", ".")[..], b".", method].concat())
}
