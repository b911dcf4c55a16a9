//! All tests of the tools, in one binary so that they are linked once.

// How to run a tool and where the recordings are.
mod util;

// What all tools promise alike.
mod conventions;

// What a person types in scripts/.
mod scripts;

// One module per tool.
mod stack_merge;
