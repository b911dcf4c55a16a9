//! Readable names for the symbols that compilers make.

pub mod cpp;
pub mod ocaml;
pub mod rust;
