//! What tools that answer questions say where there is no answer.

/// Nothing that came in weighs anything.
pub const NO_WEIGHT: &str = "nothing to show: no folded stack with a weight came in";

/// An answer needs places, and no frame has one.
pub const NO_PLACES: &str =
    "no frame has a place: 'stack-parse --srcline' appends ' (file:line)' to names";
