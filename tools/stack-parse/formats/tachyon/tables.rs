//! The strings and the frames that samples refer to.

use super::header::Header;
use crate::frame::Frame;
use crate::read::bytes::{Bytes, Ended, Endian};
use crate::read::source::Place;
use crate::read::stacks::FrameNames;
use crate::samples::Samples;

/// The size in bytes of the end of a file, with the sizes of the tables.
const FOOTER: usize = 32;

/// What comes before these sizes, if the recorder measured anything: numbers, then this word, the
/// version, and the size of all.
const STATISTICS: &[u8] = b"TACHSTAT";

/// What the recorder measured. It looks at all threads at once, many times a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Statistics {
    /// How long it recorded, in seconds.
    pub(super) seconds: f64,
    /// How many looks there were.
    pub(super) looks: u64,
    /// How many of them failed, and how many more should have been.
    pub(super) lost: Option<[u64; 2]>,
}

/// All strings and frames.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) statistics: Option<Statistics>,
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
        tables.statistics = statistics(bytes, header.endian);
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

/// What the recorder measured. An older block has the duration and the rate only.
fn statistics(bytes: &[u8], endian: Endian) -> Option<Statistics> {
    /// Word, version and size; the numbers; the flags that say which there are.
    const END: usize = 16;
    const NUMBERS: [usize; 2] = [2 * size_of::<f64>(), 4 * size_of::<f64>()];
    const FLAGS: usize = 8;
    let bytes = bytes.get(..bytes.len().checked_sub(FOOTER)?)?;
    let mut end = Bytes(bytes.last_chunk::<END>()?);
    let is_there = end.take(STATISTICS.len()).ok()? == STATISTICS;
    let _version = end.u32().ok()?;
    let size = usize::try_from(end.sized(4, endian).ok()?).ok().filter(|_| is_there)?;
    let mut block = Bytes(bytes.get(bytes.len().checked_sub(size)?..)?);
    let mut number = || Some(f64::from_bits(block.sized(8, endian).ok()?));
    let (seconds, rate) = (number()?, number()?);
    let looks = (seconds * rate).round();
    if !(seconds > 0.0 && (0.0..1e15).contains(&looks)) {
        return None;
    }
    let mut statistics = Statistics { seconds, looks: looks as u64, lost: None };
    if size >= NUMBERS[1] + FLAGS + END {
        let (failed, missed) = (number()?, number()?);
        let is_share = |it: f64| (0.0..100.0).contains(&it);
        let is_said = block.sized(4, endian).ok()? != 0 && is_share(failed) && is_share(missed);
        let failed = (looks * failed / 100.0).round() as u64;
        let missed = (looks / (1.0 - missed / 100.0) - looks).round() as u64;
        statistics.lost = is_said.then_some([failed, missed]);
    } else if size < NUMBERS[0] + END {
        return None;
    }
    Some(statistics)
}

/// Decodes 0, -1, 1, -2, and so on.
fn zigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of a file, with these numbers before the sizes of its tables.
    fn end(numbers: &[f64], flags: u32) -> Vec<u8> {
        let mut block: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        if numbers.len() == 4 {
            block.extend(flags.to_le_bytes());
            block.extend([0; 4]);
        }
        let size = block.len() as u32 + 16;
        block.extend(STATISTICS);
        block.extend(1u32.to_le_bytes());
        block.extend(size.to_le_bytes());
        block.extend([0; FOOTER]);
        block
    }

    #[test]
    fn what_the_recorder_lost_is_counted_in_looks() {
        let read = |numbers: &[f64], flags| statistics(&end(numbers, flags), Endian::Little);
        // Of 9,000 looks in 10 s 1 % failed, and 10 % of what should have been are missing.
        let lost = Some([90, 1000]);
        let expected = Statistics { seconds: 10.0, looks: 9000, lost };
        assert_eq!(read(&[10.0, 900.0, 1.0, 10.0], 15), Some(expected));
        let unknown = Statistics { lost: None, ..expected };
        assert_eq!(read(&[10.0, 900.0, 1.0, 10.0], 0), Some(unknown));
        assert_eq!(read(&[10.0, 900.0, 1.0, 100.0], 15), Some(unknown));
        assert_eq!(read(&[10.0, 900.0], 0), Some(unknown));
        for numbers in [&[f64::NAN, 900.0][..], &[-1.0, 900.0], &[10.0, 1e300], &[]] {
            assert_eq!(read(numbers, 0), None, "{numbers:?}");
        }
    }

    #[test]
    fn a_file_need_not_have_statistics() {
        let whole = end(&[10.0, 900.0], 0);
        for start in 1..whole.len() {
            assert_eq!(statistics(&whole[start..], Endian::Little), None, "{start}");
        }
        assert_eq!(statistics(&[7; 100], Endian::Little), None);
    }
}
