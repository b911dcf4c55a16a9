//! Lines of the source.

/// A line of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The path that the compiler was given, or the full path.
    pub file: Vec<u8>,
    /// From 1.
    pub line: u32,
}

impl SourceLine {
    /// `file:line`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.file[..], format!(":{}", self.line).as_bytes()].concat()
    }
}
