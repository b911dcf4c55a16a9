//! Readable names for what compilers call functions.

pub mod cpp;
pub mod ocaml;
pub mod rust;
