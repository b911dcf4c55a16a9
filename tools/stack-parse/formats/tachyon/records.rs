//! Reads samples, one after the other.

use std::io::{self, BufReader, ErrorKind, Read};

use common::Result;
use hashbrown::HashMap;

use super::FORMAT;
use super::header::Header;
use super::tables::Tables;
use crate::read::bytes::{Bytes, Endian};
use crate::read::held::{Drawn, Held, Thread};
use crate::read::own_labels::OwnLabels;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::Samples;

/// How a sample encodes its stack.
mod encoding {
    pub(super) const REPEAT: u8 = 0;
    pub(super) const FULL: u8 = 1;
    pub(super) const SUFFIX: u8 = 2;
    pub(super) const POP_PUSH: u8 = 3;
}

/// The meanings of the bits in a thread's state.
const STATES: [&str; 5] = ["gil", "cpu", "unknown", "gil-requested", "exception"];

/// Why no more samples can be read.
pub(super) enum End {
    Input(io::Error),
    /// There is no valid sample at this offset.
    Damaged(u64),
}

/// The ids of a thread and its interpreter.
type Who = (u64, u32);

/// The samples read so far, and the state of each thread.
pub(super) struct Records<R> {
    reader: BufReader<R>,
    endian: Endian,
    /// The offset of the current sample, and how many bytes were read.
    begun: u64,
    at: u64,
    start: u64,
    runs: HashMap<Who, Run>,
    lanes: HashMap<(Who, u8), u32>,
    stacks: Stacks,
    held: Held,
    taken: u64,
    /// The largest index of a frame, plus 1.
    frames: u64,
    /// How many samples keep more frames than their thread had.
    short: u64,
}

/// The state of a thread after its last sample.
struct Run {
    /// The stack up to each of its frames, root first.
    path: Vec<StackId>,
    /// In microseconds.
    time: u64,
}

impl<R: Read> Records<R> {
    pub(super) fn new(reader: BufReader<R>, header: &Header) -> Records<R> {
        Records {
            reader,
            endian: header.endian,
            begun: 0,
            at: 0,
            start: header.start,
            runs: HashMap::new(),
            lanes: HashMap::new(),
            stacks: Stacks::default(),
            held: Held::default(),
            taken: 0,
            frames: 0,
            short: 0,
        }
    }

    /// Reads all samples.
    pub(super) fn read(&mut self, samples: &Samples<'_>) -> Result<(), End> {
        loop {
            self.begun = self.at;
            let Some(first) = self.first_byte()? else { return Ok(()) };
            let mut who = [first; 12];
            for byte in &mut who[1..] {
                *byte = self.byte()?;
            }
            let mut bytes = Bytes(&who);
            let damaged = End::Damaged(self.begun);
            let (Ok(thread), Ok(interpreter)) =
                (bytes.sized(8, self.endian), bytes.sized(4, self.endian))
            else {
                return Err(damaged);
            };
            self.record((thread, interpreter as u32))?;
            self.held.add_up(samples);
        }
    }

    /// Reads the rest of a sample, after its thread.
    fn record(&mut self, who: Who) -> Result<(), End> {
        let encoding = self.byte()?;
        if encoding == encoding::REPEAT {
            for _ in 0..self.varint()? {
                self.sample(who)?;
            }
            return Ok(());
        }
        if !matches!(encoding, encoding::FULL | encoding::SUFFIX | encoding::POP_PUSH) {
            return Err(End::Damaged(self.begun));
        }
        let (delta, state) = (self.varint()?, self.byte()?);
        let depth = self.run(who).path.len() as u64;
        let kept = match encoding {
            encoding::FULL => 0,
            encoding::SUFFIX => self.varint()?,
            _ => depth.checked_sub(self.varint()?).unwrap_or(depth + 1),
        };
        self.short += u64::from(kept > depth);
        let mut frames = Vec::new();
        for _ in 0..self.varint()? {
            frames.push(self.varint()?);
        }
        self.set_stack(who, kept.min(depth) as usize, &frames);
        self.add(who, delta, state);
        Ok(())
    }

    /// Reads one of several samples of the same stack.
    fn sample(&mut self, who: Who) -> Result<(), End> {
        let (delta, state) = (self.varint()?, self.byte()?);
        self.add(who, delta, state);
        Ok(())
    }

    /// Keeps the outermost `kept` frames of a thread, and adds `frames` to them, which begin with
    /// the innermost.
    fn set_stack(&mut self, who: Who, kept: usize, frames: &[u64]) {
        let Records { runs, stacks, start, .. } = self;
        let run = runs.entry(who).or_insert_with(|| Run { path: Vec::new(), time: *start });
        run.path.truncate(kept);
        for frame in frames.iter().rev() {
            self.frames = self.frames.max(frame.saturating_add(1));
            let callers = run.path.last().copied().unwrap_or(Stacks::EMPTY);
            let frame = u32::try_from(*frame).unwrap_or(u32::MAX);
            run.path.push(stacks.call(callers, frame));
        }
    }

    /// Adds a sample of a thread with its current stack.
    fn add(&mut self, who: Who, delta: u64, state: u8) {
        let run = self.run(who);
        run.time = run.time.saturating_add(delta);
        let stack = run.path.last().copied().unwrap_or(Stacks::EMPTY);
        let time = run.time.checked_mul(1000);
        let Records { lanes, held, .. } = self;
        let lane = *lanes.entry((who, state)).or_insert_with(|| held.thread(thread(who, state)));
        held.add(lane, stack, 1, time);
        self.taken += 1;
    }

    fn run(&mut self, who: Who) -> &mut Run {
        let start = self.start;
        self.runs.entry(who).or_insert_with(|| Run { path: Vec::new(), time: start })
    }

    /// Adds all samples to `samples`; returns how many there are.
    pub(super) fn finish(mut self, tables: &Tables, samples: &mut Samples<'_>) -> Result<u64> {
        samples.note_count(self.short, "samples keep more frames than their thread had");
        if self.frames > tables.frames() {
            samples.note("some frames are not in its table: they are called [unknown]");
        }
        let names = tables.names(samples);
        self.held.finish(&mut self.stacks, &names, samples)?;
        Ok(self.taken)
    }

    fn varint(&mut self) -> Result<u64, End> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(End::Damaged(self.begun))
    }

    fn byte(&mut self) -> Result<u8, End> {
        self.first_byte()?.ok_or(End::Damaged(self.begun))
    }

    /// The next byte; `None` at the end.
    fn first_byte(&mut self) -> Result<Option<u8>, End> {
        let mut byte = [0];
        match self.reader.read_exact(&mut byte) {
            Ok(()) => {
                self.at += 1;
                Ok(Some(byte[0]))
            }
            // Compressed samples may be cut short, too.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(End::Input(error)),
        }
    }
}

/// The thread that samples of one state belong to, with that state as labels.
fn thread((thread, interpreter): Who, state: u8) -> Thread {
    let states: Vec<&str> = STATES
        .into_iter()
        .enumerate()
        .filter(|(bit, _)| state >> bit & 1 != 0)
        .map(|it| it.1)
        .collect();
    let state = if states.is_empty() { "idle".to_owned() } else { states.join("+") };
    let mut labels = OwnLabels::default();
    labels.add_known(FORMAT.name, "interpreter", interpreter.to_string().as_bytes());
    labels.add_known(FORMAT.name, "state", state.as_bytes());
    Thread {
        tid: thread.to_string().into_bytes(),
        event: b"samples".into(),
        labels,
        drawn: Drawn::Weight,
        ..Thread::default()
    }
}
