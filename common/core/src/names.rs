//! Names: readable ones for the symbols that compilers make, their parts, and
//! names as text.

pub mod cpp;
mod escape;
mod event;
mod fit;
mod fitted_path;
mod frame_parts;
pub mod haskell;
mod kind;
mod module;
mod name_parts;
mod normalize;
mod place;
pub mod rust;
mod short;
mod symbol;

/// What is shown in place of an empty name: PHP's Excimer writes one for the root of some stacks.
pub const NAMELESS: &str = "[empty name]";

pub use escape::{escaped, is_unseen, printable, printable_name, utf8};
pub use event::{unit_of_event, without_modifiers};
pub use fit::{LEAST_LETTERS, bare_name, fitted, shortened};
pub use fitted_path::fitted_path;
pub use frame_parts::{FrameParts, names_of_stack};
pub use kind::{CodeKind, code_kinds, crate_of, name_hash};
pub use module::{module, script_of};
pub use normalize::normalize;
pub use ocaml_demangle as ocaml;
pub use place::{base_of_place, file_and_line, split_place};
pub use short::{is_word, short_cpp, short_name, short_others, short_rust};
pub use symbol::{full_symbol_name, symbol_name, without_g};
