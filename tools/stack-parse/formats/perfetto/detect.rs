//! Detects traces by their first bytes.

use super::messages::{packet, trace};
use crate::format::Head;
use crate::read::protobuf::{Fields, Value, begun};

/// From this many certain packets on, the next packet may be damaged.
const ENOUGH: u32 = 4;

/// Whether the first bytes are packets, and at least one of them has a field that only packets
/// have, such as its time or its sequence. A profile of pprof or OpenTelemetry begins with field 1,
/// too, but its messages have other fields. A text may also begin with that byte.
pub(super) fn detect(head: &Head<'_>) -> bool {
    if !matches!(begun(head.bytes), Some((trace::PACKET, Some(_)))) || head.is_text() {
        return false;
    }
    let mut fields = Fields::of(head.bytes);
    let mut signs = 0;
    let are_packets = (&mut fields).map_while(Result::ok).all(|field| match field {
        (trace::PACKET, Value::Bytes(packet)) => is_packet(packet, true, &mut signs),
        _ => false,
    });
    let rest = fields.rest();
    let is_all = are_packets && (rest.is_empty() || is_begun(rest, &mut signs));
    is_all && signs > 0 || signs >= ENOUGH
}

/// Whether bytes that end too early are the start of a packet.
fn is_begun(rest: &[u8], signs: &mut u32) -> bool {
    match begun(rest) {
        Some((trace::PACKET, Some(packet))) => is_packet(packet, false, signs),
        _ => false,
    }
}

/// The fields of a packet that are numbers: the user, the time, the sequence, its flags, its clock,
/// the process, the machine. Here they are told by their numbers alone, as most are not read.
const NUMBERS: [u64; 12] = [3, 8, 10, 13, 41, 42, 58, 79, 87, 98, 136, 137];

/// The data of a packet that has the number of a field of other messages, too.
const COMMON_DATA: [u64; 8] = [1, 2, 4, 5, 6, 7, 9, 11];

/// The data of a packet, of this version or of a later one.
fn is_own_data(number: u64) -> bool {
    matches!(number, 33..=150 | 900)
}

/// Whether the fields of a message are those of a packet, which has at most one data field.
fn is_packet(packet: &[u8], is_whole: bool, signs: &mut u32) -> bool {
    let mut data = 0;
    let mut sign = false;
    for field in Fields::of(packet) {
        match field {
            Ok((it, Value::Number(_))) if NUMBERS.contains(&it.number()) => sign = true,
            Ok((packet::INTERNED_DATA | packet::DEFAULTS | packet::NETWORK, Value::Bytes(_))) => {}
            Ok((it, Value::Bytes(_))) if COMMON_DATA.contains(&it.number()) => data += 1,
            Ok((it, Value::Bytes(_))) if is_own_data(it.number()) => {
                sign = true;
                data += 1;
            }
            Ok(_) => return false,
            Err(_) if is_whole => return false,
            Err(_) => break,
        }
    }
    *signs += u32::from(sign && data <= 1);
    data <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_detected(bytes: &[u8]) -> bool {
        detect(&Head::new(bytes, true, true))
    }

    #[test]
    fn packets_are_told_from_other_messages() {
        for packets in [
            // A packet of process and thread, and one that begins a slice.
            &b"\x0a\x04\x50\x01\x12\0\x0a\x05\x40\xe8\x07\x50\x01"[..],
            b"\x0a\x07\x92\x03\x04\x78\x9c\x03\0",
            // A packet longer than the bytes seen here.
            b"\x0a\xe8\x07\x40\xe8\x07\x50\x01\x5a\xe0\x07\x08",
            // A damaged packet after good ones.
            &[&b"\x0a\x04\x40\x01\x50\x01".repeat(4)[..], b"\x0a\x02\x5a\x09"].concat(),
        ] {
            assert!(is_detected(packets), "{packets:?}");
        }
        for other in [
            &b"\n\nhello\n"[..],
            b"\x0a",
            b"",
            b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04",
            // OpenTelemetry: a resource, a scope, a profile.
            b"\x0a\x0e\x12\x0c\x12\x0a\x0a\x04\x08\x01\x10\x02\x12\x02\x08\x01",
            b"\x0a\x07\x0a\0\x12\0\x1a\x01x",
            b"\x0a\x04\x0a\0\x12\0",
        ] {
            assert!(!is_detected(other), "{other:?}");
        }
    }
}
