//! Streams made record by record, and what is read from them.

use std::io::Cursor;

use common::Input;

pub(super) use super::super::attr::fields as field;
use super::super::header::MAGIC;
use super::super::recording::Recording;
use super::super::records::Record;
use super::super::sample::RawSample;
use super::super::troubles::Troubles;

/// The bytes of `perf record -o -`.
#[derive(Clone)]
pub(super) struct Stream(pub(super) Vec<u8>);

/// What an attribute asks for.
#[derive(Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) config: u64,
    pub(super) kind: u32,
    pub(super) sample_period: u64,
    pub(super) read_format: u64,
    pub(super) flags: u64,
    pub(super) branch_sample_type: u64,
    pub(super) sample_regs_user: u64,
}

/// `sample_id_all`: records other than samples end with their time and thread.
pub(super) const SAMPLE_ID_ALL: u64 = 1 << 18;

impl Stream {
    pub(super) fn new() -> Stream {
        Stream([&MAGIC[..], &16u64.to_le_bytes()].concat())
    }

    pub(super) fn record(mut self, kind: u32, flags: u16, body: &[u8]) -> Stream {
        let size = u16::try_from(8 + body.len()).expect("a record has 16 bits for its size");
        for part in [&kind.to_le_bytes()[..], &flags.to_le_bytes(), &size.to_le_bytes(), body] {
            self.0.extend_from_slice(part);
        }
        self
    }

    /// A sample taken in a program.
    pub(super) fn sample(self, numbers: &[u64]) -> Stream {
        self.numbers(9, 2, numbers)
    }

    pub(super) fn numbers(self, kind: u32, flags: u16, numbers: &[u64]) -> Stream {
        let body: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.record(kind, flags, &body)
    }

    /// FINISHED_ROUND
    pub(super) fn round(self) -> Stream {
        self.record(68, 0, &[])
    }

    /// An event of software, of which samples have these fields.
    pub(super) fn attr(self, sample_type: u64, config: u64) -> Stream {
        self.attr_with_ids(sample_type, config, &[])
    }

    pub(super) fn attr_with_ids(self, sample_type: u64, config: u64, ids: &[u64]) -> Stream {
        self.attr_of(sample_type, ids, |attr| attr.config = config)
    }

    pub(super) fn attr_with(self, sample_type: u64, ask: impl FnOnce(&mut Asked)) -> Stream {
        self.attr_of(sample_type, &[], ask)
    }

    /// HEADER_ATTR: `struct perf_event_attr` of 128 bytes, then ids.
    pub(super) fn attr_of(
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

/// A sample that was handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) event: String,
    pub(super) ip: u64,
    pub(super) time: Option<u64>,
    pub(super) tid: Option<u32>,
    pub(super) cpu: Option<u32>,
    pub(super) period: Option<u64>,
    pub(super) chain: Vec<u64>,
    pub(super) lacks_user_chain: bool,
    /// Whether they are of 32 bits, which they are, their values.
    pub(super) registers: Option<(bool, u64, Vec<u64>)>,
    pub(super) stack: Option<Vec<u8>>,
    pub(super) raw: Vec<u8>,
}

/// The samples of a recording, what is wrong with it, and what ended it.
pub(super) fn read(bytes: &[u8]) -> (Vec<Seen>, Troubles, Option<String>) {
    let mut seen = Vec::new();
    let (troubles, error) = for_each(bytes, |record| {
        if let Record::Sample(sample) = record {
            seen.push(Seen::from(&sample));
        }
    });
    (seen, troubles, error)
}

/// Hands all records to `each`; returns what is wrong with the recording, and what ended it.
pub(super) fn for_each(
    bytes: &[u8],
    mut each: impl FnMut(Record<'_>),
) -> (Troubles, Option<String>) {
    let mut troubles = Troubles::default();
    let mut input = Input::from_reader("x", Cursor::new(bytes.to_vec()));
    let read = Recording::open(&mut input).and_then(|recording| {
        let mut each = |record: Record<'_>| {
            each(record);
            Ok(())
        };
        recording.read(&mut each, &mut troubles)
    });
    (troubles, read.err().map(|error| error.to_string()))
}

impl From<&RawSample<'_>> for Seen {
    fn from(sample: &RawSample<'_>) -> Seen {
        Seen {
            event: String::from_utf8_lossy(&sample.event.name).into_owned(),
            ip: sample.ip.unwrap_or(0),
            time: sample.time,
            tid: sample.tid,
            cpu: sample.cpu,
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
