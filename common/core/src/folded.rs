//! The folded format: its one parser and its one writer.
//!
//! `(label TAB)* frame(;frame)* SP count LF`, root first; man/folded-stack.5 is the grammar.

mod end_line;
mod frames;
mod header;
mod labels;
mod line;
mod writer;

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
pub use line::{FoldedLine, FoldedPair, Malformed, NO_STACK, lacks_frames};
pub use writer::{StackBuf, append_folded, clean_frame, clean_frame_in_place};
pub(crate) use writer::{append_count, append_start, clean_text, would_be_comment};
