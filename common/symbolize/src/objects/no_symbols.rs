//! Why an object has no names.

use std::error::Error;
use std::path::PathBuf;
use std::{fmt, io};

/// Why the functions of an object have no names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSymbols {
    /// There is no such file.
    NotFound,
    /// It was deleted, and there is no build-id to check whether a file with its name is the same.
    Deleted,
    /// The file cannot be read, for the reason that the system gives.
    System(String),
    /// The file is not a little-endian executable of 32 or 64 bits.
    NoExecutable,
    /// The file is not a jitdump of a little-endian machine.
    NoJitDump,
    /// The file has another build-id than the recorded one: this one, or none.
    OtherBuildId(Option<Box<[u8]>>),
    /// It only has the symbols that it exports, and no debug file was found. Its build-id, if it
    /// has one.
    Stripped(Option<Box<[u8]>>),
    /// It only has the symbols that it exports, and its debug file belongs to another build.
    OtherDebugFile {
        /// The build-id of the program, if it has one.
        build_id: Option<Box<[u8]>>,
        /// The debug file.
        file: PathBuf,
    },
    /// It is a program of macOS that only has the symbols that it exports, and no dSYM with its
    /// UUID was found.
    NoDsym(Option<Box<[u8]>>),
    /// The owner of the file is neither the user nor root: anybody may have written it.
    OtherOwner,
    /// The kernel hides its addresses.
    Restricted,
    /// The kernel that runs now is not the one that was recorded.
    OtherKernel,
}

impl From<io::Error> for NoSymbols {
    fn from(error: io::Error) -> NoSymbols {
        match error.kind() {
            io::ErrorKind::NotFound => NoSymbols::NotFound,
            _ => NoSymbols::System(error.to_string()),
        }
    }
}

impl fmt::Display for NoSymbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoSymbols::NotFound => "not found",
            NoSymbols::Deleted => "it was deleted",
            NoSymbols::System(error) => error,
            NoSymbols::NoExecutable => "it is not a little-endian executable of 32 or 64 bits",
            NoSymbols::NoJitDump => "it is not a jitdump of a little-endian machine",
            NoSymbols::OtherBuildId(_) => "its build-id differs from the recorded one",
            NoSymbols::Stripped(_) => "it is stripped, and its debug file was not found",
            NoSymbols::OtherDebugFile { .. } => {
                "it is stripped, and its debug file is of another build"
            }
            NoSymbols::NoDsym(_) => "it is stripped, and its dSYM was not found",
            NoSymbols::OtherOwner => "its owner is neither you nor root",
            NoSymbols::Restricted => "the kernel hides its addresses (kernel.kptr_restrict)",
            NoSymbols::OtherKernel => "another kernel runs now",
        })
    }
}

impl Error for NoSymbols {}
