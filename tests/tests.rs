//! All tests of the tools, in one binary so that they are linked once.

// How to run a tool and where the recordings are.
mod util;

// What all tools promise alike.
mod conventions;

// One module per tool.
mod stack_fold_towers;
mod stack_merge;
mod stack_parse;
