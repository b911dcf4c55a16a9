//! The records of an input, one after the other, in the order in which they were written.

pub(crate) mod chunks;
mod compressed;

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use crate::error::Error;
use crate::records::{self, kinds};
use chunks::{Chunks, Feed, HEADER_SIZE, Next, RecordAt};
use compressed::Decompressed;

/// Where the records of an input end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At the end of the input, as in a pipe.
    Open,
    /// At this byte of the input.
    Until(u64),
    /// It is unknown where, as perf was killed before it could write that.
    Unfinished,
}

/// What records are read from.
pub(crate) enum Source<'i> {
    /// Each byte can be read once.
    Pipe(Box<dyn Read + 'i>),
    File(Box<dyn ReadSeek + 'i>),
}

/// A file.
pub(crate) trait ReadSeek: Read + Seek {}

impl<F: Read + Seek> ReadSeek for F {}

/// Records from a reader.
pub(crate) struct Stream<'i> {
    source: Source<'i>,
    extent: Extent,
    feed: Feed,
    decompressed: Option<Decompressed>,
}

impl<'i> Stream<'i> {
    /// The records of a source, which is at `position` in the input, where the first of them is.
    pub(crate) fn new(
        source: Source<'i>,
        position: u64,
        extent: Extent,
        chunks: &mut Chunks,
    ) -> Stream<'i> {
        Stream { source, extent, feed: Feed::new(chunks, position), decompressed: None }
    }

    /// Whether a record can be read again, by its position.
    pub(crate) fn can_read_again(&self) -> bool {
        matches!(self.source, Source::File(_)) && self.decompressed.is_none()
    }

    /// Reads a record again, into `record`, which has its size.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has become shorter.
    pub(crate) fn read_again(&mut self, position: u64, record: &mut [u8]) -> io::Result<()> {
        let next = self.feed.position() + self.feed.rest() as u64;
        let Source::File(file) = &mut self.source else {
            return Err(ErrorKind::Unsupported.into());
        };
        file.seek(SeekFrom::Start(position))?;
        file.read_exact(record)?;
        file.seek(SeekFrom::Start(next)).map(drop)
    }

    /// The next record, and its position in the input or that of the record in which it is
    /// compressed; `None` at the end.
    #[inline]
    pub(crate) fn next(&mut self, chunks: &mut Chunks) -> Result<Option<(RecordAt, u64)>, Error> {
        loop {
            if let Some(decompressed) = &mut self.decompressed
                && let Some(record) = decompressed.next(chunks)?
            {
                return Ok(Some(record));
            }
            let Some((at, position)) = self.next_of_input(chunks)? else {
                return self.decompressed.as_ref().map_or(Ok(()), Decompressed::end).map(|()| None);
            };
            let record = chunks.record(at);
            if !matches!(records::kind(record), kinds::COMPRESSED | kinds::COMPRESSED2) {
                return Ok(Some((at, position)));
            }
            match &mut self.decompressed {
                Some(decompressed) => decompressed.decompress(record, position),
                none => {
                    none.insert(Decompressed::new(chunks)?).decompress(chunks.record(at), position);
                }
            }
        }
    }

    #[inline]
    fn next_of_input(&mut self, chunks: &mut Chunks) -> Result<Option<(RecordAt, u64)>, Error> {
        loop {
            let position = self.feed.position();
            match self.feed.next(chunks) {
                Next::Record(at) => return Ok(Some((at, position))),
                Next::BadSize(size) => {
                    return Err(Error::Malformed(format!(
                        "the record at byte {position} has a size of {size} bytes, \
                         expected {HEADER_SIZE} at least"
                    )));
                }
                Next::NeedsMore => {
                    if self.fill(chunks)? == 0 {
                        return self.end().map(|()| None);
                    }
                }
            }
        }
    }

    /// Skips `bytes` bytes after the last record.
    pub(crate) fn skip(&mut self, mut bytes: u64, chunks: &mut Chunks) -> Result<(), Error> {
        loop {
            bytes -= self.feed.skip(bytes);
            if bytes == 0 {
                return Ok(());
            }
            if self.fill(chunks)? == 0 {
                return Err(self.cut());
            }
        }
    }

    /// Appends the `bytes` bytes after the last record to `data`.
    pub(crate) fn read(
        &mut self,
        mut bytes: u64,
        data: &mut Vec<u8>,
        chunks: &mut Chunks,
    ) -> Result<(), Error> {
        loop {
            let there = self.feed.bytes(chunks);
            let count = there.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
            data.extend_from_slice(&there[..count]);
            bytes -= self.feed.skip(bytes);
            if bytes == 0 {
                return Ok(());
            }
            if self.fill(chunks)? == 0 {
                return Err(self.cut());
            }
        }
    }

    /// Reads more; returns how many bytes, 0 at the end.
    fn fill(&mut self, chunks: &mut Chunks) -> Result<usize, Error> {
        let (feed, source) = (&mut self.feed, &mut self.source);
        let read_so_far = feed.position() + feed.rest() as u64;
        let left = match self.extent {
            Extent::Until(end) => end.saturating_sub(read_so_far),
            Extent::Open | Extent::Unfinished => u64::MAX,
        };
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        loop {
            let read = feed.fill(chunks, |room| {
                let room_left = room.len().min(left);
                match source {
                    Source::Pipe(pipe) => pipe.read(&mut room[..room_left]),
                    Source::File(file) => file.read(&mut room[..room_left]),
                }
            });
            match read {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => return other.map_err(Error::Read),
            }
        }
    }

    /// Returns an error if the input does not end where it should.
    fn end(&self) -> Result<(), Error> {
        let at = self.feed.position();
        match self.extent {
            _ if self.feed.rest() > 0 => Err(self.cut()),
            Extent::Until(end) if at < end => Err(Error::Malformed(format!(
                "the recording is cut short at byte {at}, its records should end at byte {end}"
            ))),
            Extent::Unfinished => Err(Error::Malformed(format!(
                "perf did not finish the recording, which ends at byte {at}"
            ))),
            Extent::Open | Extent::Until(_) => Ok(()),
        }
    }

    fn cut(&self) -> Error {
        let (at, bytes) = (self.feed.position(), self.feed.rest());
        Error::Malformed(format!("the record at byte {at} is cut short after {bytes} bytes"))
    }
}
