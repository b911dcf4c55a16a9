//! Whose code the frames of a profile are.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::folded::FoldedLine;
use crate::names::{CodeKind, code_kinds};
use crate::{Result, pipe::Pipe};

/// The distinct frames of a profile. Memory grows with them only.
#[derive(Debug, Default)]
pub struct SeenFrames(HashSet<Vec<u8>>);

/// The kind of code of each frame of a profile, which all of its frames together show.
#[derive(Debug, Default)]
pub struct KindsOfFrames(HashMap<Vec<u8>, CodeKind>);

impl SeenFrames {
    /// Adds the frames of a line.
    pub fn add(&mut self, line: &FoldedLine<'_>) {
        for frame in line.frames() {
            if !self.0.contains(frame) {
                self.0.insert(frame.to_vec());
            }
        }
    }

    /// What these frames show.
    #[must_use]
    pub fn into_kinds(self) -> KindsOfFrames {
        let frames: Vec<Vec<u8>> = self.0.into_iter().collect();
        let kinds = code_kinds(frames.iter().map(Vec::as_slice));
        KindsOfFrames(frames.into_iter().zip(kinds).collect())
    }
}

impl KindsOfFrames {
    /// Whether the frame is in the profile and of this kind.
    #[must_use]
    pub fn is_of(&self, frame: &[u8], kind: CodeKind) -> bool {
        self.0.get(frame) == Some(&kind)
    }
}

impl Pipe {
    /// The kinds of the frames of a file that is not an input: its lines do not count as read.
    ///
    /// # Errors
    ///
    /// Those of the file; a malformed line is named only.
    pub fn kinds_in(&mut self, file: &Path) -> Result<KindsOfFrames> {
        let (stats, headers) = (self.stats, self.headers.clone());
        let (without_frames, has_labels) = (self.without_frames, self.has_labels);
        let mut frames = SeenFrames::default();
        let mut input = self.open(file)?;
        self.lines_of(&mut input).each(|line, _| {
            frames.add(&line);
            Ok(())
        })?;
        (self.stats, self.headers) = (stats, headers);
        (self.without_frames, self.has_labels) = (without_frames, has_labels);
        Ok(frames.into_kinds())
    }
}
