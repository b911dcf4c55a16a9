//! Frame tables: what OCaml's runtime knows about every call in a program.
//!
//! For each return address `ocamlopt` writes a descriptor, by which the
//! collector finds the live values and, with `-g`, `Printexc` the names and
//! lines of a backtrace. They need no DWARF, and say more than symbols do:
//! `camlStdlib__Map__add_437` is `Stdlib__Map.Make.add`, as is the copy of it
//! that flambda makes in another unit.

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

/// All calls in an executable of OCaml that its frame tables give a line, in their order.
///
/// # Errors
///
/// [`Unreadable`] says what the bytes are instead.
pub fn ocaml_calls(executable: &[u8]) -> Result<Vec<Call<'_>>, Unreadable> {
    let executable = Image::parse(executable)?;
    let mut tables = Tables::read(&executable)?;
    Functions::of(&executable.code(), &mut tables);
    Ok(tables.calls)
}
