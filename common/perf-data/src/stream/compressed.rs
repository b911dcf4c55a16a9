//! Records that `perf record -z` compressed: one zstd stream over all of them, which never ends, is
//! cut into records. A compressed record may begin in one of these and end in the next.

use crate::bytes::Bytes;
use crate::error::Error;
use crate::records::{self, kinds};
use crate::stream::chunks::{Chunks, Feed, Next, RecordAt};

/// The decompressed records.
pub(crate) struct Decompressed {
    decoder: Decoder,
    feed: Feed,
    /// The bytes to decompress: a copy, since decompressed records go into the chunks.
    compressed: Vec<u8>,
    /// How many of these bytes were read.
    read: usize,
    /// Whether the decoder may hold more bytes than there was room for.
    is_full: bool,
    /// Where the compressed record is in the input.
    position: u64,
}

impl Decompressed {
    pub(crate) fn new(chunks: &mut Chunks) -> Result<Decompressed, Error> {
        Ok(Decompressed {
            decoder: Decoder::new()?,
            feed: Feed::new(chunks, 0),
            compressed: Vec::new(),
            read: 0,
            is_full: false,
            position: 0,
        })
    }

    /// Continues with the record that is at `position` in the input.
    pub(crate) fn decompress(&mut self, record: &[u8], position: u64) {
        let (kind, _, body) = records::split(record);
        let mut bytes = Bytes(body);
        // The later kind says how many of its bytes are not padding.
        let length = if kind == kinds::COMPRESSED2 { bytes.u64() } else { None };
        let compressed = length.and_then(|length| bytes.take(length)).unwrap_or(bytes.0);
        self.compressed.clear();
        self.compressed.extend_from_slice(compressed);
        (self.read, self.is_full, self.position) = (0, false, position);
    }

    /// The next record, and the position in the input of the record that it was compressed in;
    /// `None` if the compressed record given last is used up.
    #[inline]
    pub(crate) fn next(&mut self, chunks: &mut Chunks) -> Result<Option<(RecordAt, u64)>, Error> {
        loop {
            match self.feed.next(chunks) {
                Next::Record(at) => return Ok(Some((at, self.position))),
                Next::BadSize(size) => {
                    let what = format!("holds a record with a size of {size} bytes");
                    return Err(self.malformed(&what));
                }
                Next::NeedsMore if self.read == self.compressed.len() && !self.is_full => {
                    return Ok(None);
                }
                Next::NeedsMore => self.fill(chunks)?,
            }
        }
    }

    /// Decompresses as much as there is room for.
    fn fill(&mut self, chunks: &mut Chunks) -> Result<(), Error> {
        let Decompressed { decoder, feed, compressed, read, is_full, .. } = self;
        let filled = feed.fill(chunks, |room| {
            let (count, taken) = decoder.decompress(&compressed[*read..], room)?;
            *read += taken;
            *is_full = count == room.len();
            match (count, taken) {
                (0, 0) if *read < compressed.len() => {
                    Err(std::io::Error::other("nothing comes out"))
                }
                _ => Ok(count),
            }
        });
        filled.map(drop).map_err(|error| self.malformed(&format!("is damaged: {error}")))
    }

    /// Returns an error if the last record is not complete.
    pub(crate) fn end(&self) -> Result<(), Error> {
        match self.feed.rest() {
            0 => Ok(()),
            _ => Err(self.malformed("is the last and ends within a record")),
        }
    }

    fn malformed(&self, what: &str) -> Error {
        Error::Malformed(format!("the compressed record at byte {} {what}", self.position))
    }
}

/// The decoder, a library in C. On systems other than Linux, this library is built without a C
/// compiler.
#[cfg(all(feature = "zstd", target_os = "linux"))]
struct Decoder(zstd_safe::DCtx<'static>);

#[cfg(all(feature = "zstd", target_os = "linux"))]
impl Decoder {
    fn new() -> Result<Decoder, Error> {
        Ok(Decoder(zstd_safe::DCtx::create()))
    }

    /// Decompresses into `room`; returns how many bytes it wrote there, and how many it read.
    fn decompress(
        &mut self,
        compressed: &[u8],
        room: &mut [u8],
    ) -> std::io::Result<(usize, usize)> {
        let mut input = zstd_safe::InBuffer::around(compressed);
        let mut output = zstd_safe::OutBuffer::around(room);
        let result = self.0.decompress_stream(&mut output, &mut input);
        result.map_err(|code| std::io::Error::other(zstd_safe::get_error_name(code)))?;
        Ok((output.pos(), input.pos))
    }
}

#[cfg(not(all(feature = "zstd", target_os = "linux")))]
enum Decoder {}

#[cfg(not(all(feature = "zstd", target_os = "linux")))]
impl Decoder {
    fn new() -> Result<Decoder, Error> {
        Err(Error::Compressed)
    }

    fn decompress(
        &mut self,
        _compressed: &[u8],
        _room: &mut [u8],
    ) -> std::io::Result<(usize, usize)> {
        match *self {}
    }
}
