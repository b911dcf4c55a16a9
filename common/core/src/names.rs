//! Names: readable ones for the symbols that compilers make, their parts, and
//! names as text.

pub mod cpp;
mod escape;
mod event;
mod fit;
mod kind;
mod module;
pub mod rust;
mod source_line;
mod symbol;

pub use escape::{escaped, is_unseen};
pub use event::unit_of_event;
pub use fit::{fitted, fitted_with};
pub use kind::{CodeKind, code_color, name_hash};
pub use module::module;
pub use ocaml_demangle as ocaml;
pub use source_line::{split_mark, split_source_line, without_source_line};
pub use symbol::{symbol_name, without_g};
