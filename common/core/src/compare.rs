//! What changed between profiles, and what of it noise explains: one rule for all tools.
//!
//! man/stack-diff.1 describes the method.

mod charges;
mod comparison;
mod files;
mod functions;
mod holm;
mod noise;
mod order;
mod run_names;
mod runs;
mod samples;
mod sizes;

pub use comparison::{ALPHA, Change, Comparison, Function, Question, Tested, chance_above};
pub use files::{Profile, read_profile, read_profiles};
pub use functions::FunctionNames;
pub use noise::{LEAST_VARIATION, Layout, Weighed, margin_of_share, weighted_median};
pub use run_names::{RunNames, dominant_root};
pub use runs::{OfFunction, Run, RunReader, Runs};
pub use samples::Weights;
