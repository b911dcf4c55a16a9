//! Frame tables: what OCaml's runtime knows about every call in a program.
//!
//! For each return address `ocamlopt` writes a descriptor, by which the
//! collector finds the live values and, with `-g`, `Printexc` the names and
//! lines of a backtrace. They need no DWARF, and tell more than symbols do:
//! `camlStdlib__Map__add_437` is `Stdlib__Map.Make.add`, as is the copy of it
//! that flambda makes in another unit.

mod call;
mod descriptors;
mod function;
mod name;
mod units;
mod unwinding;

use crate::binary::executable::{Executable, Unreadable};

pub use call::{Call, Place};
pub(crate) use descriptors::Tables;
pub(crate) use function::{Function, Functions};
pub(crate) use name::{Told, without_anonymous};
pub(crate) use units::is_ocaml;
pub use unwinding::{CallGraph, call_graph};

/// All calls in an executable that its frame tables give a place in the source.
///
/// # Errors
///
/// [`Unreadable`] says what the bytes are instead.
pub fn ocaml_calls(executable: &[u8]) -> Result<Vec<Call<'_>>, Unreadable> {
    let executable = Executable::parse(executable)?;
    let mut tables = Tables::read(&executable)?;
    Functions::of(&executable.code(), &mut tables);
    Ok(tables.calls)
}
