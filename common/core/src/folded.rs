//! The folded format: its one parser and its one writer.
//!
//! `(label TAB)* frame(;frame)* SP count LF`, root first; man/folded-stack.5 is the grammar.

mod clean;
mod end_line;
mod frames;
mod header;
mod labels;
mod line;
mod malformed;
mod state;
mod writer;

pub(crate) use clean::clean_text;
pub use clean::{clean_frame, clean_frame_in_place};
pub use end_line::end_line;
pub(crate) use end_line::is_end_line;
pub use frames::Frames;
pub(crate) use header::line_of_two;
pub use header::{Headers, Part, counts_samples, header_line, is_about_all_stacks};
pub use header::{noted_samples, parse_header, says_what_is_counted};
pub use labels::{
    Label, LabelKeys, Labels, append_label, append_label_frame, clean_label_key, parse_label_key,
    sort_labels,
};
pub use line::{FoldedLine, FoldedPair, NO_STACK, lacks_frames};
pub use malformed::Malformed;
pub use state::{ThreadState, is_slice};
pub use writer::{StackBuf, append_folded};
pub(crate) use writer::{append_count, append_start, would_be_comment};
