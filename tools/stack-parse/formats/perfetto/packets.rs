//! The packets of a trace, one after the other.

use std::io::Read;

use crate::read::protobuf::{Broken, Stream};

/// The number of the field that holds a packet.
const PACKET: u64 = 1;

/// Returns packets one at a time, as slices of its buffer.
pub(super) struct Packets<R>(Stream<R>);

impl<R: Read> Packets<R> {
    pub(super) fn new(reader: R) -> Packets<R> {
        Packets(Stream::new(reader))
    }

    /// The next packet; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`Broken`], with the offset of the damaged packet.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, Broken> {
        loop {
            let begin = self.0.position();
            let of_packet = |broken| match broken {
                Broken::Cut(_) => Broken::Cut(begin),
                other => other,
            };
            match self.0.field(u64::MAX).map_err(of_packet)? {
                None => return Ok(None),
                Some((PACKET, end)) => return self.0.take(end).map(Some).map_err(of_packet),
                Some((_, end)) => self.0.skip(end).map_err(of_packet)?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, Option<Broken>) {
        let mut packets = Packets::new(bytes);
        let mut found = Vec::new();
        loop {
            match packets.next() {
                Ok(Some(packet)) => found.push(packet.to_vec()),
                Ok(None) => return (found, None),
                Err(broken) => return (found, Some(broken)),
            }
        }
    }

    #[test]
    fn packets_come_one_after_the_other() {
        let bytes = b"\x0a\x02hi\x10\x96\x01\x1a\x01x\x0a\0\x0a\x01y";
        let (packets, broken) = read(bytes);
        assert_eq!(packets, [&b"hi"[..], b"", b"y"]);
        assert!(broken.is_none());
        assert!(matches!(read(b""), (packets, None) if packets.is_empty()));
    }

    #[test]
    fn what_is_no_packet_ends_the_trace() {
        for cut in
            [&b"\x0a\x02hi\x0a\xff\xff\xff\xff\x0fx"[..], b"\x0a\x02hi\x0a", b"\x0a\x02hi\x12\x05x"]
        {
            let (packets, broken) = read(cut);
            assert_eq!(packets, [b"hi"]);
            assert!(matches!(broken, Some(Broken::Cut(4))), "{broken:?}");
        }
        for other in [&b"\x0a\x02hi\x0b"[..], b"\x0a\x02hi\0\0"] {
            let (packets, broken) = read(other);
            assert_eq!(packets, [b"hi"]);
            assert!(matches!(broken, Some(Broken::NoField(4))), "{broken:?}");
        }
    }
}
