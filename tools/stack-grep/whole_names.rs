//! What is said where a pattern of a whole name of C++ or Rust finds nothing, since names are short.

use bstr::ByteSlice;
use common::names::{printable, short_name};

/// What `stack-demangle` leaves out of names.
const LEFT_OUT: [&str; 12] = [
    "__cxx11",
    "std::__1",
    "[abi:",
    "allocator<",
    "char_traits<",
    "default_delete<",
    "basic_string",
    "> >",
    "<alloc::",
    "<core::",
    "<std::",
    " as core::",
];

/// How the names of these patterns are written, if one of them has what names lack.
pub(crate) fn hint(patterns: &[Vec<u8>]) -> Option<String> {
    const KEEPS: &str = "stack-demangle --full-names keeps whole ones";
    let plain = patterns.iter().map(|pattern| pattern.replace("\\", ""));
    let whole = plain.into_iter().find(|it| LEFT_OUT.iter().any(|part| it.contains_str(part)))?;
    // A part of a name, such as `allocator<`, does not become a name.
    let short =
        short_name(&whole).filter(|short| !LEFT_OUT.iter().any(|part| short.contains_str(part)));
    Some(match short {
        Some(short) => format!("names are short: look for '{}', or {KEEPS}", printable(&short)),
        None => format!(
            "names are short, 'std::string' and 'std::vector<int>' without their other arguments: \
             {KEEPS}"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_is_there_is_told() {
        let of = |pattern: &str| hint(&[pattern.into()]);
        for (pattern, short) in [
            (
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                "'std::string'",
            ),
            (
                r"std::vector<int, std::allocator<int> >::push_back\(",
                "'std::vector<int>::push_back('",
            ),
            ("<alloc::vec::Vec<u8> as core::ops::drop::Drop>", "'<Vec<u8> as Drop>'"),
        ] {
            let hint = of(pattern).expect(pattern);
            assert!(hint.starts_with("names are short: look for "), "{hint}");
            assert!(hint.contains(short), "{hint}");
        }
        for part in ["__cxx11", "allocator<", "std::__cxx11::basic_string"] {
            let hint = of(part).expect(part);
            assert!(hint.starts_with("names are short, 'std::string' and "), "{hint}");
        }
        for pattern in ["main", "std::sort", "std::string", "^a.*<b>$", ""] {
            assert_eq!(of(pattern), None);
        }
    }
}
