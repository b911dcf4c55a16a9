//! The strings and the frames that samples refer to.

use super::header::Header;
use crate::frame::Frame;
use crate::read::bytes::{Bytes, Ended, Endian};
use crate::read::source::Place;
use crate::read::stacks::FrameNames;
use crate::samples::Samples;

/// The size in bytes of the end of a file, with the sizes of the tables.
const FOOTER: usize = 32;

/// All strings and frames.
#[derive(Default)]
pub(super) struct Tables {
    strings: Vec<Vec<u8>>,
    frames: Vec<TableFrame>,
    /// Whether there is less data than the end of the file announces.
    pub(super) is_damaged: bool,
}

/// A frame; file and name are indexes of strings.
struct TableFrame {
    file: u64,
    name: u64,
    /// `None` for code that is not Python.
    line: Option<u64>,
}

impl Tables {
    /// Reads everything after the samples, as far as possible; `size` is that of the file.
    pub(super) fn read(bytes: &[u8], size: u64, header: &Header) -> Tables {
        let mut tables = Tables::default();
        let length = header.frames.saturating_sub(header.strings);
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.len());
        let (strings, frames) = bytes.split_at(length);
        let read = tables.read_strings(Bytes(strings));
        let read = read.and(tables.read_frames(frames, size, header.endian));
        tables.is_damaged = read.is_err();
        tables
    }

    fn read_strings(&mut self, mut rest: Bytes<'_>) -> Result<(), Ended> {
        while !rest.is_empty() {
            let length = rest.varint()?;
            self.strings.push(rest.take(usize::try_from(length).map_err(|_| Ended)?)?.to_vec());
        }
        Ok(())
    }

    /// Reads the number of frames given at the end of the file; if the end is missing, as many as
    /// there are.
    fn read_frames(&mut self, bytes: &[u8], size: u64, endian: Endian) -> Result<(), Ended> {
        let count = bytes.last_chunk::<FOOTER>().and_then(|it| frame_count(it, size, endian));
        let mut rest = Bytes(bytes);
        for _ in 0..count.unwrap_or(u64::MAX) {
            let (file, name) = (rest.varint()?, rest.varint()?);
            let line = zigzag(rest.varint()?);
            let _end_and_columns = [rest.varint()?, rest.varint()?, rest.varint()?];
            let _opcode = rest.u8()?;
            self.frames.push(TableFrame { file, name, line: u64::try_from(line).ok() });
        }
        Ok(())
    }

    /// The number of frames.
    pub(super) fn frames(&self) -> u64 {
        self.frames.len() as u64
    }

    /// Names all frames.
    pub(super) fn names(&self, samples: &mut Samples<'_>) -> FrameNames {
        let mut names = FrameNames::default();
        for frame in &self.frames {
            let file = if frame.line.is_some() { self.string(frame.file) } else { b"" };
            let mut place = Place::new(file, frame.line);
            let name = self.string(frame.name);
            names.push(&Frame { name, source: place.text(), ..Frame::default() }, samples);
        }
        names.name_others(&Frame::default(), samples);
        names
    }

    fn string(&self, number: u64) -> &[u8] {
        let string = usize::try_from(number).ok().and_then(|number| self.strings.get(number));
        string.map(Vec::as_slice).unwrap_or_default()
    }
}

/// The number of frames given at the end of a file of this size; `None` if the end is missing.
fn frame_count(footer: &[u8], size: u64, endian: Endian) -> Option<u64> {
    let mut footer = Bytes(footer);
    let _strings = footer.u32().ok()?;
    let frames = footer.sized(4, endian).ok()?;
    (footer.sized(8, endian).ok()? == size).then_some(frames)
}

/// Decodes 0, -1, 1, -2, and so on.
fn zigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}
