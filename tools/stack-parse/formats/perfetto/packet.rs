//! The fields of a packet around its data.

use super::messages::packet as field;
use crate::read::protobuf::{FieldNumber, Fields, Malformed, Value};

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
    pub(super) data: Option<(FieldNumber, &'a [u8])>,
}

impl<'a> Packet<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<Packet<'a>, Malformed> {
        let mut packet = Packet::default();
        for field in Fields::of(message) {
            match field? {
                (field::TIMESTAMP, Value::Number(time)) => packet.timestamp = Some(time),
                (field::SEQUENCE_ID, Value::Number(sequence)) => packet.sequence = sequence,
                (field::SEQUENCE_FLAGS, Value::Number(flags)) => {
                    packet.is_cleared |= flags & CLEARED != 0;
                    packet.needs_state |= flags & NEEDS_STATE != 0;
                }
                (field::STATE_CLEARED, Value::Number(cleared)) => packet.is_cleared |= cleared != 0,
                (field::PREVIOUS_DROPPED, Value::Number(dropped)) => {
                    packet.is_after_loss |= dropped != 0;
                }
                (field::TIMESTAMP_CLOCK_ID, Value::Number(clock)) => packet.clock = Some(clock),
                (field::INTERNED_DATA, Value::Bytes(interned)) => packet.interned = interned,
                (field::DEFAULTS, Value::Bytes(defaults)) => packet.defaults = defaults,
                (number, Value::Bytes(data)) => packet.data = Some((number, data)),
                (_, Value::Number(_)) => {}
            }
        }
        Ok(packet)
    }
}
