//! What pictures of time have in common: weights by key and time, how much time a column
//! stands for, and how dark a cell is.

mod cells;
mod ramp;
mod rows;
mod shades;
mod widths;

pub use cells::{Cells, Misfit, start_of_cell};
pub use ramp::{COLORS, SHADES, terminal_shade, with_ramp};
pub use rows::{label_value, row_name, shows_comm};
pub use shades::{Shades, usual_most};
pub use widths::{MILLISECOND, ROUND, least_round};
