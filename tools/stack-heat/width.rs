//! How much time a column stands for.

use std::str::FromStr;

use common::{heat::MILLISECOND, numbers::nanoseconds};

/// A width that the user gave, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width(pub(crate) u64);

impl FromStr for Width {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Width, &'static str> {
        let width = nanoseconds(text.as_bytes()).filter(|&width| width >= MILLISECOND);
        width.map(Width).ok_or("expected seconds such as 10 or 0.5, at least 0.001")
    }
}
