//! The calls that have not returned, and the time and memory that they took.

use common::Result;
use hashbrown::HashMap;

use super::{Call, TraceLine};
use crate::frame::Frame;
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time};

/// The calls of a trace.
#[derive(Default)]
pub(super) struct Calls {
    stacks: Stacks,
    names: FrameNames,
    /// The index of each frame, by its name and place.
    numbers: HashMap<Vec<u8>, u32>,
    /// The name of each frame.
    functions: Vec<Vec<u8>>,
    open: Vec<Open>,
    /// The calls of suspended fibers: such a fiber continues below another call.
    waiting: Vec<Vec<Open>>,
    /// The time and the memory of the last line.
    last: Option<(u64, u64)>,
    /// Whether the last line was the call of the function that runs, which is not counted yet.
    is_called: bool,
    /// A buffer for a key of `numbers`.
    key: Vec<u8>,
    /// How many lines are earlier than the line before them.
    earlier: u64,
}

/// A call that has not returned.
struct Open {
    level: u64,
    number: Option<u64>,
    /// The index of its frame while the line in it is unknown.
    frame: u32,
    /// The stack of the callers.
    callers: StackId,
    /// The stack with this call as its leaf.
    stack: StackId,
    /// Whether it runs a fiber, whose calls have their own levels.
    is_fiber: bool,
}

impl Calls {
    /// Ends the trace.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.waiting.clear();
        (self.last, self.is_called) = (None, false);
    }

    /// Adds the time and memory since the last line, and updates the open calls.
    pub(super) fn enter(
        &mut self,
        time: u64,
        memory: u64,
        event: &TraceLine<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let (last_time, last_memory) = self.last.replace((time, memory)).unwrap_or((time, memory));
        self.earlier += u64::from(time < last_time);
        let grown = [time.saturating_sub(last_time), memory.saturating_sub(last_memory)];
        self.add(last_time, grown, samples)?;
        match event {
            TraceLine::Call(call) => {
                self.call(call, samples);
                self.is_called = true;
            }
            TraceLine::Return { level, number } => self.end(*level, *number),
            TraceLine::End => self.open.clear(),
        }
        Ok(())
    }

    /// Adds time and memory to the function that runs, and its call.
    fn add(&mut self, start: u64, grown: [u64; 2], samples: &mut Samples<'_>) -> Result<()> {
        let calls = u64::from(std::mem::take(&mut self.is_called));
        let weights = [grown[0], grown[1], calls];
        match self.open.last() {
            Some(Open { stack, .. }) if weights != [0; 3] => {
                let time = Some(Time::Nanoseconds(start));
                let origin = Sample { time, weights: &weights, ..Sample::default() };
                self.stacks.add(&origin, *stack, &self.names, samples)
            }
            _ => Ok(()),
        }
    }

    /// Adds the call in the last line of a trace that was cut, and reports what is wrong with it.
    pub(super) fn report(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.add(self.last.unwrap_or_default().0, [0, 0], samples)?;
        let what = "lines are earlier than the one before them: no time passes there";
        samples.note_count(self.earlier, what);
        Ok(())
    }

    fn call(&mut self, call: &Call<'_>, samples: &mut Samples<'_>) {
        if !self.open.last().is_some_and(|top| top.is_fiber) {
            // Returns may not be written: a call means that earlier calls of its level have
            // returned.
            self.end_level(call.level);
        }
        let callers = self.callers(call, samples);
        self.key.clear();
        self.key.extend_from_slice(call.name);
        // Without this all included files would be one function. Evaluated code is left out, since
        // it can be any text.
        if !call.included.is_empty() && call.name != b"eval" {
            [b"(", call.included, b")"].iter().for_each(|part| self.key.extend_from_slice(part));
        }
        let frame = self.frame(self.key.len(), samples);
        let is_fiber = matches!(call.name, b"Fiber->start" | b"Fiber->resume" | b"Fiber->throw");
        let stack = self.stacks.call(callers, frame);
        let (level, number) = (call.level, call.number);
        self.open.push(Open { level, number, frame, callers, stack, is_fiber });
    }

    /// The stack that made a call. If the user asked for lines, its last frame is at the line of
    /// the call.
    fn callers(&mut self, call: &Call<'_>, samples: &mut Samples<'_>) -> StackId {
        let Some(&Open { frame, callers, stack, .. }) = self.open.last() else {
            return Stacks::EMPTY;
        };
        if !samples.wants.frames.srcline() {
            return stack;
        }
        let mut place = Place::new(call.file, call.line);
        self.key.clear();
        self.key.extend_from_slice(&self.functions[frame as usize]);
        let name = self.key.len();
        // No name contains this byte.
        self.key.push(0);
        self.key.extend_from_slice(place.text());
        let frame = self.frame(name, samples);
        self.stacks.call(callers, frame)
    }

    /// The index of the frame whose name and place are in `key`; the name has this many bytes.
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

    /// Ends all calls at `level` or deeper.
    fn end_level(&mut self, level: u64) {
        while self.open.pop_if(|open| open.level >= level).is_some() {}
    }

    /// Puts the calls of a fiber on top of the call that resumes it.
    fn go_on(&mut self, at: usize) {
        for mut open in self.waiting.swap_remove(at) {
            open.callers = self.open.last().map_or(Stacks::EMPTY, |top| top.stack);
            open.stack = self.stacks.call(open.callers, open.frame);
            self.open.push(open);
        }
    }
}
