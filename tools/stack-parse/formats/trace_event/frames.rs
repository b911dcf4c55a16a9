//! The names of spans, by index.

use hashbrown::HashMap;

use crate::frame::Frame;
use crate::read::stacks::FrameNames;
use crate::samples::Samples;

/// Distinct names with their source lines.
#[derive(Default)]
pub(super) struct Frames {
    /// Indexes by the name and, after a 0 byte, its source line.
    numbers: HashMap<Vec<u8>, u32>,
    /// For each frame, the index of the same name without a source line.
    bare: Vec<u32>,
    key: Vec<u8>,
}

impl Frames {
    /// The index of a frame.
    pub(super) fn number(&mut self, name: &[u8], place: &[u8]) -> u32 {
        let bare = if place.is_empty() { None } else { Some(self.number(name, b"")) };
        self.key.clear();
        self.key.extend_from_slice(name);
        self.key.push(0);
        self.key.extend_from_slice(place);
        let next = self.bare.len() as u32;
        let number = *self.numbers.entry_ref(&self.key[..]).or_insert(next);
        if number == next {
            self.bare.push(bare.unwrap_or(next));
        }
        number
    }

    /// The index of the same name without a source line.
    pub(super) fn bare(&self, number: u32) -> u32 {
        self.bare[number as usize]
    }

    /// The names, in the order of their indexes.
    pub(super) fn names(&self, samples: &mut Samples<'_>) -> FrameNames {
        let mut names = FrameNames::default();
        for (name, source) in self.parts() {
            names.push(&Frame { name, source, ..Frame::default() }, samples);
        }
        names
    }

    /// The names without their source lines, in the order of their indexes.
    pub(super) fn bare_names(&self) -> Vec<&[u8]> {
        self.parts().map(|(name, _)| name).collect()
    }

    /// The name and the source line of each frame, in the order of their indexes.
    fn parts(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut keys: Vec<(u32, &[u8])> =
            self.numbers.iter().map(|(key, number)| (*number, &key[..])).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| {
            // A name may contain any byte, a source line no 0.
            let end = memchr::memrchr(0, key).unwrap_or(key.len());
            let name = if end == 0 { b"[no name]" } else { &key[..end] };
            (name, key.get(end + 1..).unwrap_or_default())
        })
    }
}
