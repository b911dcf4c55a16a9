//! The records of an input, one after the other, as they stand in it.

use std::io::{self, ErrorKind, Read};

use common::Error;

use super::chunks::{Chunks, Feed, HEADER_SIZE, Next, Place};
use super::compressed::Unpacked;
use super::records::{self, kinds};

/// Why a recording can be read no further.
#[derive(Debug)]
pub(super) enum Stop {
    /// The system's fault, or that of what packed the input.
    Failed(io::Error),
    /// The input's own fault, in words. What came before is kept.
    Malformed(String),
    /// A kind of recording that cannot be read here, in words.
    Refused(String),
    /// What the one who takes the records returned.
    Caller(Error),
}

impl Stop {
    /// What to tell the user of the input of this name.
    pub(super) fn into_error(self, name: &str) -> Error {
        let name = name.to_owned();
        match self {
            Stop::Failed(source) => Error::Input { name, source },
            Stop::Malformed(why) => {
                Error::Unknown { name, what: format!("{why}; what came before is kept") }
            }
            Stop::Refused(what) => Error::Unknown { name, what },
            Stop::Caller(error) => error,
        }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Caller(error)
    }
}

/// Where the records of an input end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// With the input, as those of a pipe do.
    Open,
    /// So many bytes behind the start of the input.
    Until(u64),
    /// perf was killed before it could write where.
    Unfinished,
}

/// Records from a reader.
pub(super) struct Stream<'i> {
    reader: Box<dyn Read + 'i>,
    extent: Extent,
    feed: Feed,
    unpacked: Option<Unpacked>,
}

impl<'i> Stream<'i> {
    /// The records that `reader` returns, the first of which has this position in
    /// the input.
    pub(super) fn new(
        reader: Box<dyn Read + 'i>,
        position: u64,
        extent: Extent,
        chunks: &mut Chunks,
    ) -> Stream<'i> {
        Stream { reader, extent, feed: Feed::new(chunks, position), unpacked: None }
    }

    /// The next record and its position in the input, or that of the record in which
    /// it is packed; `None` at the end.
    #[inline]
    pub(super) fn next(&mut self, chunks: &mut Chunks) -> Result<Option<(Place, u64)>, Stop> {
        loop {
            if let Some(unpacked) = &mut self.unpacked
                && let Some(record) = unpacked.next(chunks)?
            {
                return Ok(Some(record));
            }
            let Some((place, position)) = self.next_of_input(chunks)? else {
                return self.unpacked.as_ref().map_or(Ok(()), Unpacked::end).map(|()| None);
            };
            let record = chunks.record(place);
            if !matches!(records::kind(record), kinds::COMPRESSED | kinds::COMPRESSED2) {
                return Ok(Some((place, position)));
            }
            match &mut self.unpacked {
                Some(unpacked) => unpacked.unpack(record, position),
                none => {
                    none.insert(Unpacked::new(chunks)?).unpack(chunks.record(place), position);
                }
            }
        }
    }

    #[inline]
    fn next_of_input(&mut self, chunks: &mut Chunks) -> Result<Option<(Place, u64)>, Stop> {
        loop {
            let position = self.feed.position();
            match self.feed.next(chunks) {
                Next::Record(place) => return Ok(Some((place, position))),
                Next::BadSize(size) => {
                    return Err(Stop::Malformed(format!(
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

    /// Passes over what follows the last record.
    pub(super) fn skip(&mut self, mut bytes: u64, chunks: &mut Chunks) -> Result<(), Stop> {
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

    /// Appends what follows the last record to `data`.
    pub(super) fn read(
        &mut self,
        mut bytes: u64,
        data: &mut Vec<u8>,
        chunks: &mut Chunks,
    ) -> Result<(), Stop> {
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

    /// Reads more; 0 at the end.
    fn fill(&mut self, chunks: &mut Chunks) -> Result<usize, Stop> {
        let (feed, reader) = (&mut self.feed, &mut self.reader);
        let read_so_far = feed.position() + feed.rest() as u64;
        let left = match self.extent {
            Extent::Until(end) => end.saturating_sub(read_so_far),
            Extent::Open | Extent::Unfinished => u64::MAX,
        };
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        loop {
            let read = feed.fill(chunks, |room| {
                let room_left = room.len().min(left);
                reader.read(&mut room[..room_left])
            });
            match read {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => return other.map_err(Stop::Failed),
            }
        }
    }

    /// Says what is wrong with the end of the input, if anything is.
    fn end(&self) -> Result<(), Stop> {
        let at = self.feed.position();
        match self.extent {
            _ if self.feed.rest() > 0 => Err(self.cut()),
            Extent::Until(end) if at < end => Err(Stop::Malformed(format!(
                "the recording is cut short at byte {at}, its records should end at byte {end}"
            ))),
            Extent::Unfinished => Err(Stop::Malformed(format!(
                "perf did not finish the recording, which ends at byte {at}"
            ))),
            Extent::Open | Extent::Until(_) => Ok(()),
        }
    }

    fn cut(&self) -> Stop {
        let (at, bytes) = (self.feed.position(), self.feed.rest());
        Stop::Malformed(format!("the record at byte {at} is cut short after {bytes} bytes"))
    }
}
