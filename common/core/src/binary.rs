//! What is read from executables: ELF, DWARF, symbols, and the frame tables of OCaml.

mod dwarf;
mod executable;
mod frame_pointers;
mod ocaml_frames;
mod sections;
mod symbols;

pub use executable::Unreadable;
pub use frame_pointers::{FramePointers, frame_pointers};
pub use ocaml_frames::{Call, CallGraph, Place, call_graph, ocaml_calls};
pub use sections::SectionReader;
pub use symbols::{Dwarf, Mark, OcamlName, Source, Symbol, Symbols, without_g};
