//! All tests of the tools, in one binary so that they are linked once.

// Runs a tool, finds the recordings, compares outputs with the expected ones.
mod util;

// Starts a tool that still runs while a test writes to it.
mod running;

// Programs that tests need.
mod needs;

// Inputs that are never on the disk.
mod memory;

// Random numbers.
mod random;

// Compresses input that the tools decompress.
mod packers;

// A folder with a fake perf.
mod place;

// Builds the programs that tests read.
mod programs;

// Reads a picture.
mod picture;

// A terminal in which keys are pressed.
#[cfg(unix)]
mod keyboard;

// Promises of every tool.
mod conventions;

// The tools with little memory.
#[cfg(target_os = "linux")]
mod limits;

// All tools with too little memory.
#[cfg(target_os = "linux")]
mod little_memory;

// Work that grows with the input, and no faster.
#[cfg(target_os = "linux")]
mod growth;

// Programs that wait in different ways.
#[cfg(target_os = "linux")]
mod waiting;

// What a user at a terminal sees.
#[cfg(target_os = "linux")]
mod terminal;

// Whole pipelines on real recordings.
mod pipelines;

// Names made to break a filter.
mod hostile_names;

// Names and lines from real executables.
mod exact_names;

// OCaml 5: recordings, and programs where its compiler was built.
mod ocaml_5;

// The recipes and examples of the manual and the README.
mod recipes;

// Many files, in Spark.
mod fleet;

// The scripts.
mod scripts;

// Packages and crates.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod packages;

// Pictures in a real browser.
mod browser;

// Every format that stack-parse reads.
mod formats;

// The code that scripts/fuzz builds keeps up with the tools.
mod fuzz;

// Every file of the tests is used.
mod house;

// Makes recordings of perf by hand.
mod perf_stream;

// Names in missing files, and servers that have them.
#[cfg(target_os = "linux")]
mod lost_names;

// Which code is the user's own, in programs of five languages.
#[cfg(target_os = "linux")]
mod own_code;

// perf.data, compared with perf's output.
#[cfg(feature = "zstd")]
mod perf_data;

// Names of addresses, compared with other programs.
#[cfg(target_os = "linux")]
mod named_addresses;

// One module per tool.
mod stack_brief;
mod stack_collapse_frames;
mod stack_critical;
mod stack_demangle;
mod stack_diff;
mod stack_export;
mod stack_flame;
mod stack_fold_towers;
mod stack_grep;
mod stack_heat;
mod stack_label;
mod stack_merge;
mod stack_parse;
mod stack_parse_ocaml;
mod stack_reverse;
mod stack_source;
mod stack_svg;
mod stack_symbols;
mod stack_top;
#[cfg(unix)]
mod stack_view;
