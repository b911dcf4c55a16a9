//! What the text of Austin and its binary format share: what a recording says of itself, and what
//! its samples weigh.

use bstr::ByteSlice;
use common::numbers::decimal;

use crate::frame::{Frame, Kind};
use crate::samples::events::Measure;
use crate::samples::{Loss, Samples};

const TIME: Measure<'_> = Measure { name: b"time", unit: b"ns" };
const CPU_TIME: Measure<'_> = Measure { name: b"cpu-time", unit: b"ns" };
const BYTES: Measure<'_> = Measure { name: b"bytes", unit: b"bytes" };

/// The measure of how long tasks of asyncio waited, in nanoseconds.
pub(crate) const AWAIT_TIME: &str = "await-time";

/// The frame of a sample that was taken while garbage was collected.
pub(crate) const GC: &[u8] = b":GC:";

/// The frame in place of what could not be read.
pub(crate) const INVALID: &[u8] = b":INVALID:";

/// What the text has in place of a file for a function of the kernel.
pub(crate) const KERNEL: &[u8] = b"kernel";

/// A function of the kernel.
pub(crate) fn kernel_frame(name: &[u8]) -> Frame<'_> {
    Frame { name, kind: Kind::Kernel, ..Frame::default() }
}

/// What is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Wall,
    Cpu,
    Memory,
    Full,
}

/// The numbers of a sample, as far as it has them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Metrics {
    /// The time since the thread's last sample, in microseconds.
    pub(crate) time: Option<i64>,
    pub(crate) is_idle: bool,
    /// The memory that was allocated since then, less than 0 if more was freed.
    pub(crate) bytes: Option<i64>,
}

/// What a recording says of itself, and what was noticed in it.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) mode: Mode,
    /// Whether a measure was added for the time that tasks waited.
    awaits: bool,
    /// The number of samples with less than 0 bytes: they freed memory.
    freed: u64,
    /// How many looks at all threads took longer than the interval, and how many there were.
    late: [u64; 2],
    /// How many failed, and how many there were.
    failed: Option<[u64; 2]>,
}

impl Run {
    /// Reads what a recording says of itself, such as `interval` and `100`.
    pub(crate) fn metadata(&mut self, key: &[u8], value: &[u8], samples: &mut Samples<'_>) {
        let micros = || decimal(value.trim_ascii_end())?.checked_mul(1000);
        match key {
            b"mode" => self.set_mode(value, samples),
            b"saturation" => self.late = part(value).unwrap_or(self.late),
            b"errors" => self.failed = part(value).or(self.failed),
            b"interval" => {
                if let Some(interval) = micros() {
                    samples.facts.note_interval(interval);
                }
            }
            b"duration" => samples.facts.length = micros().or(samples.facts.length),
            _ => {}
        }
    }

    /// `wall`, `cpu`, `memory` or `full`.
    fn set_mode(&mut self, mode: &[u8], samples: &mut Samples<'_>) {
        self.mode = match mode {
            b"memory" => Mode::Memory,
            b"full" => Mode::Full,
            b"cpu" => Mode::Cpu,
            _ => Mode::Wall,
        };
        self.set_measures(samples);
    }

    /// Declares the measures of the mode; until it is known, that of time.
    pub(crate) fn set_measures(&self, samples: &mut Samples<'_>) {
        let mut measures = match self.mode {
            Mode::Wall | Mode::Cpu => vec![TIME],
            Mode::Memory => vec![BYTES],
            Mode::Full => vec![TIME, CPU_TIME, BYTES],
        };
        if self.awaits {
            measures.push(Measure { name: AWAIT_TIME.as_bytes(), unit: b"ns" });
        }
        samples.events.set_measures(&measures);
    }

    /// Adds the measure of the time that tasks waited.
    pub(crate) fn add_await_time(&mut self, samples: &mut Samples<'_>) {
        if !self.awaits {
            self.awaits = true;
            self.set_measures(samples);
        }
    }

    /// The weights of a task that waited for so many nanoseconds: 0 of the other measures.
    pub(crate) fn waited(&self, nanoseconds: u64) -> Weights {
        let mut weights = Weights::default();
        weights[if self.mode == Mode::Full { 3 } else { 1 }] = nanoseconds;
        weights
    }

    /// Whether a sample has all numbers of the mode.
    pub(crate) fn has_all(&self, metrics: Metrics) -> bool {
        let (time, bytes) = (metrics.time.is_some(), metrics.bytes.is_some());
        match self.mode {
            Mode::Wall | Mode::Cpu => time,
            Mode::Memory => bytes,
            Mode::Full => time && bytes,
        }
    }

    /// Whether a sample has a number that its mode does not have.
    pub(crate) fn has_others(&self, metrics: Metrics) -> bool {
        match self.mode {
            Mode::Wall | Mode::Cpu => metrics.bytes.is_some(),
            Mode::Memory => metrics.time.is_some(),
            Mode::Full => false,
        }
    }

    /// The weights of a sample, one for each measure. `None` if a number is missing or impossible.
    pub(crate) fn weights(&mut self, metrics: Metrics) -> Option<Weights> {
        let time = || u64::try_from(metrics.time?).ok()?.checked_mul(1000);
        Some(match self.mode {
            Mode::Wall | Mode::Cpu => [time()?, 0, 0, 0],
            Mode::Memory => [self.bytes(metrics.bytes?), 0, 0, 0],
            Mode::Full => {
                let (time, bytes) = (time()?, metrics.bytes?);
                [time, if metrics.is_idle { 0 } else { time }, self.bytes(bytes), 0]
            }
        })
    }

    /// Whether the label `idle` is true of such a sample. Only in this mode are there idle samples.
    pub(crate) fn is_idle(&self, weights: &Weights) -> bool {
        self.mode == Mode::Full && weights[0] > 0 && weights[1] == 0
    }

    fn bytes(&mut self, bytes: i64) -> u64 {
        self.freed += u64::from(bytes < 0);
        u64::try_from(bytes).unwrap_or(0)
    }

    /// Reports what was lost, and what weighs nothing.
    pub(crate) fn report(&self, samples: &mut Samples<'_>) {
        if let Some([failed, all]) = self.failed {
            let recorded = Some(all.saturating_sub(failed));
            let remedy = "use a longer interval, 'austin -i'";
            // It is not known how many threads would have had a stack.
            let is_exact = failed == 0;
            samples.note_loss(Loss { count: failed, of: "samples", recorded, remedy, is_exact });
        }
        let [late, all] = self.late;
        // The time since the last sample is right all the same.
        if late > all / 100 {
            samples.note(format_args!(
                "{late} of {all} samples took longer than the interval: there are fewer than asked \
                 for, 'austin -i' sets a longer one"
            ));
        }
        samples.note_count(self.freed, "samples freed memory: they weigh no bytes");
    }
}

/// As many weights as there are measures at most.
pub(crate) type Weights = [u64; 4];

/// `12/1000`
fn part(text: &[u8]) -> Option<[u64; 2]> {
    let (part, all) = text.trim_ascii_end().split_once_str("/")?;
    Some([decimal(part)?, decimal(all)?])
}
