//! Frame tables: what OCaml's runtime knows about every call in a program.
//!
//! `ocamlopt` writes a descriptor for each return address. From it the collector finds the live
//! values and, with `-g`, `Printexc` finds the names and lines of a backtrace. Descriptors need no
//! DWARF, and are more exact than symbols: `camlStdlib__Map__add_437` is `Stdlib__Map.Make.add`,
//! and so is the copy of it that flambda makes in another unit.

mod call;
mod descriptors;
mod function;
mod name;
mod places;
mod same_calls;
mod units;
mod unwinding;

use crate::executable::image::Image;
use crate::executable::unreadable::Unreadable;

pub use call::{Call, CallFrame};
pub(crate) use descriptors::Tables;
pub(crate) use function::{Function, Functions};
pub(crate) use name::{KnownName, without_anonymous};
pub(crate) use units::is_ocaml;
pub use unwinding::{Unwinding, unwinding};

/// All calls in an executable of OCaml for which its frame tables have a line, in the order of the
/// tables.
///
/// # Errors
///
/// [`Unreadable`] says why the bytes are not an executable of OCaml.
pub fn ocaml_calls(executable: &[u8]) -> Result<Vec<Call<'_>>, Unreadable> {
    let executable = Image::parse(executable)?;
    let mut tables = Tables::read(&executable)?;
    Functions::of(&executable.code(), &mut tables);
    Ok(tables.calls)
}
