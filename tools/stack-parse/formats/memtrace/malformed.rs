//! Reasons why the rest of a trace cannot be read.

use std::fmt;

use common::Error;

use crate::read::bytes::Ended;

/// What is wrong with a packet; the text of `Display` follows "the packet".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Malformed {
    /// The input ends within it.
    Cut {
        /// How many bytes there are.
        bytes: usize,
        /// How many there should be; 0 if the size itself cannot be read.
        expected: usize,
    },
    /// It does not begin like a packet.
    NoPacket,
    /// Written by a later memtrace.
    Version(u16),
    /// It ends within an event.
    Short,
    /// The first packet must describe the program, and no other may.
    Info,
    /// The words per sample or the bits per word are impossible.
    Rate,
    /// There is no such event.
    Event(u32),
    /// A name's index is beyond the end of its table.
    Name,
    /// There is no such kind of allocation.
    Source(u8),
    /// An allocation has more samples than a memory has words.
    Samples(u64),
    /// More frames than a stack has room for.
    Depth,
    /// The writer's cache differs from ours.
    Verifier,
    /// It has more or fewer allocations than its header says.
    Allocations,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Cut { bytes, expected: 0 } => write!(f, "is cut short after {bytes} bytes"),
            Malformed::Cut { bytes, expected } => {
                write!(f, "is cut short after {bytes} of {expected} bytes")
            }
            Malformed::NoPacket => f.write_str("is not a packet of memtrace"),
            Malformed::Version(version) => {
                write!(f, "is of version {version}, expected 1, 2 or 3")
            }
            Malformed::Short => f.write_str("ends within an event"),
            Malformed::Info => {
                f.write_str("is out of place: expected the trace's info in the first packet only")
            }
            Malformed::Rate => f.write_str("has an impossible sample rate or word size"),
            Malformed::Event(code) => write!(f, "has an event of unknown kind {code}"),
            Malformed::Name => f.write_str("has a location with a name that is not there"),
            Malformed::Source(source) => write!(f, "has an allocation of unknown kind {source}"),
            Malformed::Samples(samples) => write!(f, "has an allocation of {samples} samples"),
            Malformed::Depth => f.write_str("has a stack that is too deep"),
            Malformed::Verifier => f.write_str("does not follow the one before: it is damaged"),
            Malformed::Allocations => {
                f.write_str("has another number of allocations than its header says")
            }
        }
    }
}

/// Why reading stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// The input is malformed.
    Malformed(Malformed),
    /// Adding samples failed.
    Failed(Error),
}

impl From<Ended> for Malformed {
    fn from(_: Ended) -> Malformed {
        Malformed::Short
    }
}

impl From<Ended> for Stop {
    fn from(ended: Ended) -> Stop {
        Stop::Malformed(ended.into())
    }
}

impl From<Malformed> for Stop {
    fn from(malformed: Malformed) -> Stop {
        Stop::Malformed(malformed)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}
