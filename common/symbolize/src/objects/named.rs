//! The names of the functions at locations.

/// A function at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The name in the symbols or, for inlined functions, in the debug information: mangled, except
    /// exact names of OCaml. Empty if it is unknown.
    pub name: &'a [u8],
    /// `/src/demo.c:14`, with the whole path; empty if it is unknown or was not asked for.
    pub source: &'a [u8],
    /// Whether the compiler inlined this function into the next one.
    pub inlined: bool,
}

/// The functions at some locations.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: Vec<u8>,
    frames: Vec<FrameEnd>,
    /// For each location, the number of frames up to its end.
    locations: Vec<usize>,
}

/// The ends of the texts of a frame; they begin where those before end.
#[derive(Clone, Copy, Debug, Default)]
struct FrameEnd {
    name: usize,
    source: usize,
    inlined: bool,
}

impl Names {
    /// Adds a function of this location, after those that were inlined into it.
    pub(super) fn push(&mut self, name: &[u8], source: &[u8], inlined: bool) {
        self.text.extend_from_slice(name);
        let name = self.text.len();
        self.text.extend_from_slice(source);
        self.frames.push(FrameEnd { name, source: self.text.len(), inlined });
    }

    /// Ends a location after its last function.
    pub(super) fn end_location(&mut self) {
        self.locations.push(self.frames.len());
    }

    /// Adds locations with one function each.
    pub(super) fn extend<'a>(&mut self, names: impl Iterator<Item = Option<&'a [u8]>>) {
        for name in names {
            self.push(name.unwrap_or_default(), b"", false);
            self.end_location();
        }
    }

    pub(super) fn frames(&self, location: usize) -> impl Iterator<Item = Named<'_>> {
        let first = location.checked_sub(1).map_or(0, |before| self.locations[before]);
        (first..self.locations[location]).map(|frame| {
            let FrameEnd { name, source, inlined } = self.frames[frame];
            let start = frame.checked_sub(1).map_or(0, |before| self.frames[before].source);
            Named { name: &self.text[start..name], source: &self.text[name..source], inlined }
        })
    }
}
