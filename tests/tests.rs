//! All tests of the tools, in one binary so that they are linked once.

// How to run a tool and where the recordings are.
mod util;

// Programs that are built to be read.
mod programs;

// How to read a picture.
mod picture;

// What all tools promise alike.
mod conventions;

// Whole pipelines on real recordings.
mod pipelines;

// Names that were made to break a filter.
mod hostile_names;

// What executables tell, on real programs.
mod exact_names;

// What the pages tell people to type.
mod recipes;

// What a person types in scripts/.
mod scripts;

// Pictures in a real browser.
mod browser;

// One module per tool.
mod stack_collapse_frames;
mod stack_demangle;
mod stack_fold_towers;
mod stack_grep;
mod stack_merge;
mod stack_parse;
mod stack_parse_ocaml;
mod stack_svg;
mod stack_symbols;
