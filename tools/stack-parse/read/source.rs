//! Places in source files, and the functions there.

use common::stacks::FrameId;

use crate::frame::Frame;
use crate::samples::Samples;

/// `demo.c:14`; without a line only the file, and empty without a file.
pub(crate) fn place(file: &[u8], line: u64) -> Vec<u8> {
    let mut place = file.to_vec();
    if line > 0 && !file.is_empty() {
        place.extend_from_slice(format!(":{line}").as_bytes());
    }
    place
}

/// Appends the frames of the functions at one place in code, root first: all but the first are
/// inlined. Each has a name, a file and a line; the rest is that of `bare`.
pub(crate) fn append_frames<'a>(
    root_first: impl Iterator<Item = (&'a [u8], &'a [u8], u64)>,
    bare: &Frame<'_>,
    samples: &mut Samples<'_>,
    frames: &mut Vec<FrameId>,
) {
    for (depth, (name, file, line)) in root_first.enumerate() {
        let source = place(file, line);
        samples.frames(&Frame { name, source: &source, inlined: depth > 0, ..*bare }, frames);
    }
}

/// Where a function is in the source; what is unknown is empty or `None`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    file: Vec<u8>,
    pub(crate) line: Option<u64>,
    pub(crate) column: Option<u64>,
    text: Vec<u8>,
}

impl Place {
    pub(crate) fn new(file: &[u8], line: Option<u64>) -> Place {
        Place { file: file.to_vec(), line, ..Place::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.file.clear();
        (self.line, self.column) = (None, None);
    }

    pub(crate) fn set_file(&mut self, file: &[u8]) {
        self.file.clear();
        self.file.extend_from_slice(file);
    }

    /// `demo.js:5:12`, as far as it is known; empty without a file.
    pub(crate) fn text(&mut self) -> &[u8] {
        self.text.clear();
        if !self.file.is_empty() {
            self.text.extend_from_slice(&self.file);
            for number in [self.line, self.line.and(self.column)].into_iter().flatten() {
                self.text.push(b':');
                self.text.extend_from_slice(number.to_string().as_bytes());
            }
        }
        &self.text
    }
}
