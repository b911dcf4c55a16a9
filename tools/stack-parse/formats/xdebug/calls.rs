//! The calls that did not return yet, and what passed while they were.

use common::Result;
use hashbrown::HashMap;

use super::{Call, TraceLine};
use crate::frame::Frame;
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time};

/// The calls of a trace.
pub(super) struct Calls {
    stacks: Stacks,
    names: FrameNames,
    /// The number of each frame, by its name and where it is.
    numbers: HashMap<Vec<u8>, u32>,
    /// The name of each frame.
    functions: Vec<Vec<u8>>,
    open: Vec<Open>,
    /// The calls of fibers that wait: such a fiber goes on where another call was.
    waiting: Vec<Vec<Open>>,
    /// The time and the memory of the last line.
    last: Option<(u64, u64)>,
    /// The key of `numbers` that is being made.
    key: Vec<u8>,
    /// Lines that are earlier than those before them.
    earlier: u64,
}

/// A call that did not return yet.
struct Open {
    level: u64,
    number: Option<u64>,
    /// The number of its frame, as long as it is not known where in it we are.
    frame: u32,
    /// The stack below this call.
    callers: StackId,
    /// The stack with this call on top.
    stack: StackId,
    /// Whether it runs a fiber, whose calls have levels of their own.
    is_fiber: bool,
}

impl Calls {
    pub(super) fn new() -> Calls {
        Calls {
            stacks: Stacks::new(),
            names: FrameNames::default(),
            numbers: HashMap::new(),
            functions: Vec::new(),
            open: Vec::new(),
            waiting: Vec::new(),
            last: None,
            key: Vec::new(),
            earlier: 0,
        }
    }

    /// Ends the trace.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.waiting.clear();
        self.last = None;
    }

    /// Adds what passed since the last line, and notes what happened.
    pub(super) fn enter(
        &mut self,
        time: u64,
        memory: u64,
        event: &TraceLine<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let (last_time, last_memory) = self.last.replace((time, memory)).unwrap_or((time, memory));
        self.earlier += u64::from(time < last_time);
        if let Some(Open { stack, .. }) = self.open.last() {
            let weights = [time.saturating_sub(last_time), memory.saturating_sub(last_memory)];
            if weights != [0, 0] {
                let time = Some(Time::Nanoseconds(last_time));
                let origin = Sample { time, weights: &weights, ..Sample::default() };
                self.stacks.add(&origin, *stack, &self.names, samples)?;
            }
        }
        match event {
            TraceLine::Call(call) => self.call(call, samples),
            TraceLine::Return { level, number } => self.end(*level, *number),
            TraceLine::End => self.open.clear(),
        }
        Ok(())
    }

    /// Says what is wrong with the trace.
    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        if self.earlier > 0 {
            samples.note(format_args!(
                "{} lines are earlier than the one before them: no time passes there",
                self.earlier
            ));
        }
    }

    fn call(&mut self, call: &Call<'_>, samples: &mut Samples<'_>) {
        if !self.open.last().is_some_and(|top| top.is_fiber) {
            // Where returns are not written, those of this level have returned.
            self.end_level(call.level);
        }
        let callers = self.callers(call, samples);
        self.key.clear();
        self.key.extend_from_slice(call.name);
        // Else all files were one function. Code that is evaluated may be any text.
        if !call.included.is_empty() && call.name != b"eval" {
            [b"(", call.included, b")"].iter().for_each(|part| self.key.extend_from_slice(part));
        }
        let frame = self.frame(self.key.len(), samples);
        let is_fiber = matches!(call.name, b"Fiber->start" | b"Fiber->resume" | b"Fiber->throw");
        let stack = self.stacks.call(callers, frame);
        let (level, number) = (call.level, call.number);
        self.open.push(Open { level, number, frame, callers, stack, is_fiber });
    }

    /// The stack that made a call; its last frame is where the line of the call says if
    /// the user asked for that.
    fn callers(&mut self, call: &Call<'_>, samples: &mut Samples<'_>) -> StackId {
        let Some(&Open { frame, callers, stack, .. }) = self.open.last() else {
            return Stacks::EMPTY;
        };
        if !samples.frame_args().srcline() {
            return stack;
        }
        let mut place = Place::default();
        place.set_file(call.file);
        place.line = call.line;
        self.key.clear();
        self.key.extend_from_slice(&self.functions[frame as usize]);
        let name = self.key.len();
        // No name has this byte.
        self.key.push(0);
        self.key.extend_from_slice(place.text());
        let frame = self.frame(name, samples);
        self.stacks.call(callers, frame)
    }

    /// The number of the frame whose name and place are in `key`, where the name has so
    /// many bytes.
    fn frame(&mut self, name: usize, samples: &mut Samples<'_>) -> u32 {
        let Calls { names, numbers, functions, key, .. } = self;
        *numbers.entry_ref(&key[..]).or_insert_with(|| {
            let (name, source) = (&key[..name], key.get(name + 1..).unwrap_or_default());
            names.push(&Frame { name, source, ..Frame::default() }, samples);
            functions.push(name.to_vec());
            (functions.len() - 1) as u32
        })
    }

    fn end(&mut self, level: u64, number: Option<u64>) {
        let is_it = |open: &Open| number.is_some() && open.number == number;
        if let Some(at) = self.open.iter().rposition(is_it) {
            let above = self.open.split_off(at + 1);
            let waits = self.open.pop().is_some_and(|open| open.is_fiber);
            if waits && !above.is_empty() {
                self.waiting.push(above);
            }
        } else if let Some(at) = self.waiting.iter().position(|open| open.iter().any(is_it)) {
            self.go_on(at);
            self.end(level, number);
        } else {
            self.end_level(level);
        }
    }

    /// Ends all calls that are not above `level`.
    fn end_level(&mut self, level: u64) {
        while self.open.pop_if(|open| open.level >= level).is_some() {}
    }

    /// Puts the calls of a fiber above the call with which it goes on.
    fn go_on(&mut self, at: usize) {
        for mut open in self.waiting.swap_remove(at) {
            open.callers = self.open.last().map_or(Stacks::EMPTY, |top| top.stack);
            open.stack = self.stacks.call(open.callers, open.frame);
            self.open.push(open);
        }
    }
}
