//! Streams made record by record, and the samples that are read from them.

use std::convert::Infallible;
use std::io::Cursor;

pub(crate) use crate::events::attr::fields as field;
use crate::recording::header::MAGIC;
use crate::{RawSample, Record, Recording, Summary};

/// The bytes of `perf record -o -`.
#[derive(Clone)]
pub(crate) struct Stream(pub(crate) Vec<u8>);

/// What an attribute asks for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked {
    pub(crate) config: u64,
    pub(crate) kind: u32,
    pub(crate) sample_period: u64,
    pub(crate) read_format: u64,
    pub(crate) flags: u64,
    pub(crate) branch_sample_type: u64,
    pub(crate) sample_regs_user: u64,
}

/// `sample_id_all`: records other than samples end with their time and thread.
pub(crate) const SAMPLE_ID_ALL: u64 = 1 << 18;

impl Stream {
    pub(crate) fn new() -> Stream {
        Stream([&MAGIC[..], &16u64.to_le_bytes()].concat())
    }

    pub(crate) fn record(mut self, kind: u32, flags: u16, body: &[u8]) -> Stream {
        let size = u16::try_from(8 + body.len()).expect("a record has 16 bits for its size");
        for part in [&kind.to_le_bytes()[..], &flags.to_le_bytes(), &size.to_le_bytes(), body] {
            self.0.extend_from_slice(part);
        }
        self
    }

    /// A sample taken in a program.
    pub(crate) fn sample(self, numbers: &[u64]) -> Stream {
        self.numbers(9, 2, numbers)
    }

    pub(crate) fn numbers(self, kind: u32, flags: u16, numbers: &[u64]) -> Stream {
        let body: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.record(kind, flags, &body)
    }

    /// FINISHED_ROUND
    pub(crate) fn round(self) -> Stream {
        self.record(68, 0, &[])
    }

    /// A software event whose samples have these fields.
    pub(crate) fn attr(self, sample_type: u64, config: u64) -> Stream {
        self.attr_with_ids(sample_type, config, &[])
    }

    pub(crate) fn attr_with_ids(self, sample_type: u64, config: u64, ids: &[u64]) -> Stream {
        self.attr_of(sample_type, ids, |attr| attr.config = config)
    }

    pub(crate) fn attr_with(self, sample_type: u64, ask: impl FnOnce(&mut Asked)) -> Stream {
        self.attr_of(sample_type, &[], ask)
    }

    /// HEADER_ATTR: `struct perf_event_attr` of 128 bytes, then ids.
    pub(crate) fn attr_of(
        self,
        sample_type: u64,
        ids: &[u64],
        ask: impl FnOnce(&mut Asked),
    ) -> Stream {
        let mut asked = Asked { kind: 1, flags: SAMPLE_ID_ALL, ..Asked::default() };
        ask(&mut asked);
        let mut attr = [0u64; 16];
        attr[0] = u64::from(asked.kind) | 128 << 32;
        attr[1..6].copy_from_slice(&[
            asked.config,
            asked.sample_period,
            sample_type,
            asked.read_format,
            asked.flags,
        ]);
        (attr[9], attr[10]) = (asked.branch_sample_type, asked.sample_regs_user);
        self.numbers(64, 0, &[&attr[..], ids].concat())
    }
}

/// A sample that was passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) event: String,
    pub(crate) ip: u64,
    pub(crate) time: Option<u64>,
    pub(crate) tid: Option<u32>,
    pub(crate) cpu: Option<u32>,
    pub(crate) cgroup: Option<u64>,
    pub(crate) period: Option<u64>,
    pub(crate) chain: Vec<u64>,
    pub(crate) lacks_user_chain: bool,
    /// Whether they are those of a 32-bit program, the mask of those that were recorded, their
    /// values.
    pub(crate) registers: Option<(bool, u64, Vec<u64>)>,
    pub(crate) stack: Option<Vec<u8>>,
    pub(crate) raw: Vec<u8>,
}

/// The samples of a stream, and the summary at the end.
pub(crate) fn read(bytes: &[u8]) -> (Vec<Seen>, Summary) {
    let mut seen = Vec::new();
    let summary = for_each(bytes, |record| {
        if let Record::Sample(sample) = record {
            seen.push(Seen::from(&sample));
        }
    });
    (seen, summary)
}

/// Calls `each` with all records of a stream; returns the summary at the end.
pub(crate) fn for_each(bytes: &[u8], mut each: impl FnMut(Record<'_>)) -> Summary {
    let recording = Recording::from_stream(Cursor::new(bytes)).expect("a header");
    let each = |record: Record<'_>| -> Result<(), Infallible> {
        each(record);
        Ok(())
    };
    recording.read(each).unwrap_or_else(|never| match never {})
}

/// Why a recording was not read to its end, in words.
pub(crate) fn why(summary: &Summary) -> Option<String> {
    summary.error.as_ref().map(ToString::to_string)
}

impl From<&RawSample<'_>> for Seen {
    fn from(sample: &RawSample<'_>) -> Seen {
        Seen {
            event: String::from_utf8_lossy(sample.event.name()).into_owned(),
            ip: sample.ip.unwrap_or(0),
            time: sample.time,
            tid: sample.tid,
            cpu: sample.cpu,
            cgroup: sample.cgroup,
            period: sample.period,
            chain: sample.chain.iter().collect(),
            lacks_user_chain: sample.lacks_user_chain,
            registers: sample.registers.map(|registers| {
                (registers.is_32_bit, registers.mask, registers.values.iter().collect())
            }),
            stack: sample.stack.map(<[u8]>::to_vec),
            raw: sample.raw.to_vec(),
        }
    }
}
