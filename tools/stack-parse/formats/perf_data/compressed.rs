//! Records that `perf record -z` packed: one zstd stream over all of them, which
//! never ends, in records of its own. A packed record may begin in one of these and
//! end in the next.

use super::bytes::Bytes;
use super::chunks::{Chunks, Feed, Next, Place};
use super::records::{self, kinds};
use super::stream::Stop;

/// The records that were packed.
pub(super) struct Unpacked {
    decoder: Decoder,
    feed: Feed,
    /// What is being unpacked: copied, since chunks hold what comes out of it.
    packed: Vec<u8>,
    /// How much of that was read.
    read: usize,
    /// Whether the decoder may hold more than there was room for.
    is_full: bool,
    /// Where in the input the packed bytes are.
    position: u64,
}

impl Unpacked {
    pub(super) fn new(chunks: &mut Chunks) -> Result<Unpacked, Stop> {
        Ok(Unpacked {
            decoder: Decoder::new()?,
            feed: Feed::new(chunks, 0),
            packed: Vec::new(),
            read: 0,
            is_full: false,
            position: 0,
        })
    }

    /// Goes on with the record that stands in the input at `position`.
    pub(super) fn unpack(&mut self, record: &[u8], position: u64) {
        let (kind, _, body) = records::split(record);
        let mut bytes = Bytes(body);
        // The later kind says how much of it is no padding.
        let length = if kind == kinds::COMPRESSED2 { bytes.u64() } else { None };
        let packed = length.and_then(|length| bytes.take(length)).unwrap_or(bytes.0);
        self.packed.clear();
        self.packed.extend_from_slice(packed);
        (self.read, self.is_full, self.position) = (0, false, position);
    }

    /// The next record, and where in the input it is packed; `None` if what was given
    /// last is used up.
    #[inline]
    pub(super) fn next(&mut self, chunks: &mut Chunks) -> Result<Option<(Place, u64)>, Stop> {
        loop {
            match self.feed.next(chunks) {
                Next::Record(place) => return Ok(Some((place, self.position))),
                Next::BadSize(size) => {
                    let what = format!("holds a record with a size of {size} bytes");
                    return Err(self.malformed(&what));
                }
                Next::NeedsMore if self.read == self.packed.len() && !self.is_full => {
                    return Ok(None);
                }
                Next::NeedsMore => self.fill(chunks)?,
            }
        }
    }

    /// Unpacks as much as there is room for.
    fn fill(&mut self, chunks: &mut Chunks) -> Result<(), Stop> {
        let Unpacked { decoder, feed, packed, read, is_full, .. } = self;
        let filled = feed.fill(chunks, |room| {
            let (count, taken) = decoder.unpack(&packed[*read..], room)?;
            *read += taken;
            *is_full = count == room.len();
            match (count, taken) {
                (0, 0) if *read < packed.len() => Err(std::io::Error::other("nothing comes out")),
                _ => Ok(count),
            }
        });
        filled.map(drop).map_err(|error| self.malformed(&format!("is damaged: {error}")))
    }

    /// Says what is wrong with the end of the input, if anything is.
    pub(super) fn end(&self) -> Result<(), Stop> {
        match self.feed.rest() {
            0 => Ok(()),
            _ => Err(self.malformed("is the last and ends within a record")),
        }
    }

    fn malformed(&self, what: &str) -> Stop {
        Stop::Malformed(format!("the packed record at byte {} {what}", self.position))
    }
}

/// What unpacks: a library in C. Elsewhere the tools are built without a C compiler.
#[cfg(target_os = "linux")]
struct Decoder(zstd_safe::DCtx<'static>);

#[cfg(target_os = "linux")]
impl Decoder {
    fn new() -> Result<Decoder, Stop> {
        Ok(Decoder(zstd_safe::DCtx::create()))
    }

    /// Unpacks into `room`; returns how many bytes that gave and how many it took.
    fn unpack(&mut self, packed: &[u8], room: &mut [u8]) -> std::io::Result<(usize, usize)> {
        let mut input = zstd_safe::InBuffer::around(packed);
        let mut output = zstd_safe::OutBuffer::around(room);
        let unpacked = self.0.decompress_stream(&mut output, &mut input);
        unpacked.map_err(|code| std::io::Error::other(zstd_safe::get_error_name(code)))?;
        Ok((output.pos(), input.pos))
    }
}

#[cfg(not(target_os = "linux"))]
enum Decoder {}

#[cfg(not(target_os = "linux"))]
impl Decoder {
    fn new() -> Result<Decoder, Stop> {
        let what = "its records are packed ('perf record -z'), which is read on Linux only";
        Err(Stop::Refused(what.to_owned()))
    }

    fn unpack(&mut self, _packed: &[u8], _room: &mut [u8]) -> std::io::Result<(usize, usize)> {
        match *self {}
    }
}
