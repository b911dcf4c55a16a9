//! A readable name as text.

use std::fmt;

/// The readable name of an OCaml symbol: `Stdlib.List.map`.
///
/// ```
/// let name = ocaml_demangle::demangle("camlLwt.$3e$3e$3d_1203").unwrap();
/// assert_eq!(name.as_str(), "Lwt.(>>=)");
/// assert_eq!(format!("{name:>12}|{name:.3}"), "   Lwt.(>>=)|Lwt");
/// assert_eq!(String::from(name), "Lwt.(>>=)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// OxCaml's structured scheme can escape bytes that are not UTF-8; these become U+FFFD.
    pub(super) fn new(name: Vec<u8>) -> Self {
        let lossy = |error: std::string::FromUtf8Error| {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        };
        Name(String::from_utf8(name).unwrap_or_else(lossy))
    }

    /// The text of the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}
