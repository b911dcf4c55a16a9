//! Why the functions of an executable cannot be read.

use std::error::Error;
use std::fmt;

/// Why an executable cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The file is something else.
    NoExecutable,
    /// It is an executable of 32 bits or for a big-endian machine.
    OtherKind,
    /// It is an object file, which has no addresses yet, or a core dump.
    NotLinked,
    /// Something that the header describes is missing.
    Damaged,
    /// No function has a name.
    NoFunctions,
    /// Only exported functions have names.
    Stripped,
    /// It has no frame tables: it was not made by `ocamlopt`, or their symbol was
    /// stripped.
    NoOcaml,
    /// The frame tables cannot be read: the file is damaged, or made by OCaml before 4.11.
    BadFrameTables,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EXPECTED: &str = "expected a 64-bit little-endian ELF executable";
        match self {
            Unreadable::NoExecutable => write!(f, "{EXPECTED}, found something else"),
            Unreadable::OtherKind => write!(f, "{EXPECTED}, found one for another kind of machine"),
            Unreadable::NotLinked => write!(f, "{EXPECTED}, found an object file or core dump"),
            Unreadable::Damaged => write!(f, "{EXPECTED}, found a damaged one"),
            Unreadable::NoFunctions => {
                f.write_str("no function has a name: expected an executable that is not stripped")
            }
            Unreadable::Stripped => {
                f.write_str("its symbols are stripped: only what it exports has a name")
            }
            Unreadable::NoOcaml => f.write_str(
                "no frame tables of OCaml: expected an executable of ocamlopt with its symbols",
            ),
            Unreadable::BadFrameTables => f.write_str(
                "its frame tables of OCaml cannot be read: expected OCaml 4.11 or later",
            ),
        }
    }
}

impl Error for Unreadable {}
