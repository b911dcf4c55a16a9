//! The fields of a packet around its data.

use crate::read::protobuf::{Fields, Malformed, Value};

/// The numbers of the fields of a packet.
pub(super) mod field {
    pub(in super::super) const PROCESS_TREE: u64 = 2;
    pub(in super::super) const CLOCK_SNAPSHOT: u64 = 6;
    pub(in super::super) const TRACK_EVENT: u64 = 11;
    pub(in super::super) const INTERNED_DATA: u64 = 12;
    pub(in super::super) const PROFILE_PACKET: u64 = 37;
    pub(in super::super) const PROCESS_DESCRIPTOR: u64 = 43;
    pub(in super::super) const THREAD_DESCRIPTOR: u64 = 44;
    pub(in super::super) const COMPRESSED_PACKETS: u64 = 50;
    pub(in super::super) const STREAMING_PROFILE_PACKET: u64 = 54;
    pub(in super::super) const DEFAULTS: u64 = 59;
    pub(in super::super) const TRACK_DESCRIPTOR: u64 = 60;
    pub(in super::super) const MODULE_SYMBOLS: u64 = 61;
    pub(in super::super) const DEOBFUSCATION_MAPPING: u64 = 64;
    pub(in super::super) const PERF_SAMPLE: u64 = 66;
    pub(in super::super) const ZSTD_COMPRESSED_PACKETS: u64 = 133;
    pub(in super::super) const STACK_SAMPLE: u64 = 135;
}

/// The bits of `sequence_flags`.
const CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;

/// A packet; fields that it lacks are 0, empty or `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packet<'a> {
    pub(super) timestamp: Option<u64>,
    pub(super) clock: Option<u64>,
    /// The id of its sequence.
    pub(super) sequence: u64,
    /// Whether its sequence begins anew: earlier declarations are no longer valid.
    pub(super) is_cleared: bool,
    /// Whether packets before it in its sequence were lost.
    pub(super) is_after_loss: bool,
    /// Whether it refers to declarations in earlier packets.
    pub(super) needs_state: bool,
    pub(super) interned: &'a [u8],
    pub(super) defaults: &'a [u8],
    /// Its data: the number of a field, and the message in it.
    pub(super) data: (u64, &'a [u8]),
}

impl<'a> Packet<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<Packet<'a>, Malformed> {
        let mut packet = Packet::default();
        for field in Fields::of(message) {
            match field? {
                (8, Value::Number(time)) => packet.timestamp = Some(time),
                (10, Value::Number(sequence)) => packet.sequence = sequence,
                (13, Value::Number(flags)) => {
                    packet.is_cleared |= flags & CLEARED != 0;
                    packet.needs_state |= flags & NEEDS_STATE != 0;
                }
                (41, Value::Number(cleared)) => packet.is_cleared |= cleared != 0,
                (42, Value::Number(dropped)) => packet.is_after_loss |= dropped != 0,
                (58, Value::Number(clock)) => packet.clock = Some(clock),
                (field::INTERNED_DATA, Value::Bytes(interned)) => packet.interned = interned,
                (field::DEFAULTS, Value::Bytes(defaults)) => packet.defaults = defaults,
                (number, Value::Bytes(data)) => packet.data = (number, data),
                (_, Value::Number(_)) => {}
            }
        }
        Ok(packet)
    }
}
