//! Packets and their headers (`get_ctf_header` in src/trace.ml).

use std::io::{self, BufReader, Read};

use super::malformed::Malformed;
use crate::read::bytes::Bytes;

/// The offset of the version in a packet, in bytes.
pub(super) const VERSION_AT: usize = 28;

/// True if and only if we read this version: 2 added a field to the first
/// event, 3 the domain to packets' headers.
pub(super) fn is_known(version: u16) -> bool {
    matches!(version, 1..=3)
}

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// When it was begun, in microseconds since the epoch.
    pub(super) begun: u64,
    pub(super) version: u16,
    pub(super) pid: u64,
    /// The domain that wrote it; 0 before version 3.
    pub(super) domain: u16,
    pub(super) verifier: Option<Verifier>,
    /// The number of the first object allocated in it, and the number after the last.
    pub(super) objects: (u64, u64),
}

/// One entry of the writer's cache, as it was before the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verifier {
    pub(super) bucket: u16,
    pub(super) next: u16,
    pub(super) code: u64,
}

impl Header {
    /// Reads what follows the magic and the size.
    fn read(bytes: &mut Bytes<'_>) -> Result<Header, Malformed> {
        let begun = bytes.u64()?;
        let _ended = bytes.u64()?;
        let _flush_duration = bytes.u32()?;
        let version = bytes.u16()?;
        if !is_known(version) {
            return Err(Malformed::Version(version));
        }
        let pid = bytes.u64()?;
        let domain = if version >= 3 { bytes.u16()? } else { 0 };
        let verifier = Verifier { bucket: bytes.u16()?, next: bytes.u16()?, code: bytes.u64()? };
        let verifier = (verifier.bucket != u16::MAX).then_some(verifier);
        let objects = (bytes.u64()?, bytes.u64()?);
        Ok(Header { begun, version, pid, domain, verifier, objects })
    }

    /// How many allocations it holds.
    pub(super) fn allocations(&self) -> u64 {
        self.objects.1.saturating_sub(self.objects.0)
    }
}

/// A packet, or the part of it that is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<'a> {
    pub(super) header: Header,
    pub(super) body: Bytes<'a>,
    /// The input ends within it.
    pub(super) cut: Option<Malformed>,
}

/// Reads packets, one at a time.
#[derive(Debug)]
pub(super) struct Packets<R> {
    reader: BufReader<R>,
    packet: Vec<u8>,
    /// Where the packet starts in the input.
    at: u64,
    failure: Option<io::Error>,
}

impl<R: Read> Packets<R> {
    pub(super) fn new(reader: R) -> Packets<R> {
        let reader = BufReader::with_capacity(64 * 1024, reader);
        Packets { reader, packet: Vec::new(), at: 0, failure: None }
    }

    /// Where the last packet starts in the input, in bytes.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Why the input ended early, if it did.
    pub(super) fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// The next packet; `None` at the end of the input.
    pub(super) fn next_packet(&mut self) -> Result<Option<Packet<'_>>, Malformed> {
        self.at += self.packet.len() as u64;
        self.packet.clear();
        let bytes = self.fill(8);
        if bytes == 0 {
            return Ok(None);
        }
        if !self.packet.starts_with(&super::MAGIC[..bytes.min(4)]) {
            return Err(Malformed::NoPacket);
        }
        let mut start = Bytes(&self.packet[bytes.min(4)..]);
        let bits = start.u32().map_err(|_| Malformed::Cut { bytes, expected: 0 })?;
        let expected = bits as usize / 8;
        let bytes = self.fill(expected);
        let cut = (bytes < expected).then_some(Malformed::Cut { bytes, expected });
        // If the size is too small, the header is cut short, too.
        let mut body = Bytes(self.packet.get(8..).unwrap_or_default());
        let header = match Header::read(&mut body) {
            Err(Malformed::Short) => return Err(cut.unwrap_or(Malformed::Short)),
            other => other?,
        };
        Ok(Some(Packet { header, body, cut }))
    }

    /// Reads until the packet has this many bytes, or the input ends. Memory
    /// grows with what is there, whatever a damaged size says.
    fn fill(&mut self, length: usize) -> usize {
        let missing = length.saturating_sub(self.packet.len()) as u64;
        if let Err(error) = (&mut self.reader).take(missing).read_to_end(&mut self.packet) {
            self.failure = Some(error);
        }
        self.packet.len()
    }
}
