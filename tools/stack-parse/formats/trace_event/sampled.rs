//! Samples beside the events, with stacks of frames that have ids, as Hermes and catapult write
//! them, and events at one time that have a stack:
//!
//! ```text
//! "samples":[{"name":"cycles","ts":"11552125241","pid":7,"tid":"1","weight":"1","sf":2}],
//! "stackFrames":{"1":{"name":"[root]"},"2":{"name":"f","parent":1}}
//! {"ph":"i","name":"malloc","ts":829,"pid":7,"tid":1,"stack":["[root]","f"]}
//! ```

use bstr::ByteSlice;
use common::{Result, io::Input};
use hashbrown::HashMap;

use super::Output;
use super::event::TraceEvent;
use super::frames::Frames;
use super::threads::Threads;
use crate::read::bad_weights::note_bad_weights;
use crate::read::held::{Drawn, Held, Thread};
use crate::read::json::Json;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::Samples;

/// The function and the place in the name that Hermes gives to a frame at this line and column:
/// `render(http://localhost:8081/index.bundle:20:3)`.
fn split_place_of_hermes(name: &[u8], place: [Option<u64>; 2]) -> Option<(&[u8], &[u8])> {
    let [Some(line), Some(column)] = place else { return None };
    let inner = name.strip_suffix(b")")?;
    inner.strip_suffix(format!(":{line}:{column}").as_bytes())?;
    inner.split_once_str("(").filter(|(function, _)| !function.is_empty())
}

#[derive(Default)]
pub(super) struct Sampled {
    samples: Vec<Row>,
    /// The indexes of frames, by their ids.
    numbers: HashMap<Vec<u8>, usize>,
    frames: Vec<StackFrame>,
    /// The names of the events that were sampled, and their indexes.
    events: Vec<Vec<u8>>,
    event_numbers: HashMap<Vec<u8>, usize>,
    /// How many samples have a weight that is not an integer.
    bad_weights: u64,
    /// How many frames are their own callers.
    own_callers: u64,
}

struct Row {
    time: Option<u64>,
    weight: u64,
    frame: usize,
    thread: u32,
    event: usize,
}

/// A frame and the index of its caller.
#[derive(Clone, Copy, Default)]
struct StackFrame {
    name: Option<u32>,
    caller: Option<usize>,
    stack: Option<StackId>,
    /// Whether its stack is being built.
    is_open: bool,
}

impl Sampled {
    /// Stores a sample.
    pub(super) fn add(&mut self, event: &TraceEvent, thread: u32, frames: &mut Frames) {
        let Some(weight) = event.weight.unwrap_or(Some(1)) else {
            self.bad_weights += 1;
            return;
        };
        let name = if event.name.is_empty() { b"samples" } else { &event.name[..] };
        let next = self.events.len();
        let number = *self.event_numbers.entry_ref(name).or_insert(next);
        if number == next {
            self.events.push(name.to_vec());
        }
        let frame = match event.stack.is_empty() {
            true => self.number(&event.frame),
            false => self.leaf(&event.stack, frames),
        };
        self.samples.push(Row {
            time: event.time.and_then(|time| u64::try_from(time).ok()),
            weight,
            frame,
            thread,
            event: number,
        });
    }

    /// Reads the frames.
    pub(super) fn read_frames(
        &mut self,
        json: &mut Json<&mut Input>,
        frames: &mut Frames,
    ) -> Result<()> {
        json.enter_object()?;
        let (mut name, mut caller) = (Vec::new(), Vec::new());
        while let Some(id) = json.next_key()? {
            let number = self.number(id);
            name.clear();
            caller.clear();
            let mut place = [None; 2];
            json.enter_object()?;
            while let Some(key) = json.next_key()? {
                match key {
                    b"name" => name.extend_from_slice(json.text()?.unwrap_or_default()),
                    b"line" => place[0] = json.integer()?,
                    b"column" => place[1] = json.integer()?,
                    b"parent" => caller.extend_from_slice(json.number()?.unwrap_or_default()),
                    _ => {}
                }
            }
            let caller = if caller.is_empty() { None } else { Some(self.number(&caller)) };
            let (function, source) = split_place_of_hermes(&name, place).unwrap_or((&name, b""));
            let name = Some(frames.number(function, source));
            self.frames[number] = StackFrame { name, caller, ..StackFrame::default() };
        }
        Ok(())
    }

    /// The index of the last frame of a list, each with a 0 byte after it.
    fn leaf(&mut self, stack: &[u8], frames: &mut Frames) -> usize {
        let (mut start, mut caller, mut id) = (0, None::<usize>, Vec::new());
        for end in memchr::memchr_iter(0, stack) {
            let name = &stack[start..end];
            // No id in `stackFrames` begins with a 0 byte.
            id.clear();
            id.push(0);
            id.extend_from_slice(&caller.unwrap_or(usize::MAX).to_le_bytes());
            id.extend_from_slice(name);
            let number = self.number(&id);
            let name = Some(frames.number(name, b""));
            self.frames[number] = StackFrame { name, caller, ..StackFrame::default() };
            (start, caller) = (end + 1, Some(number));
        }
        caller.unwrap_or_default()
    }

    fn number(&mut self, id: &[u8]) -> usize {
        let next = self.frames.len();
        let number = *self.numbers.entry_ref(id).or_insert(next);
        if number == next {
            self.frames.push(StackFrame::default());
        }
        number
    }

    /// Adds the samples.
    pub(super) fn add_to(&mut self, threads: &Threads, output: &mut Output<'_, '_>) -> Result<()> {
        let mut numbers = HashMap::new();
        for row in std::mem::take(&mut self.samples) {
            let Output { names, stacks, held, samples } = output;
            let stack = self.stack(row.frame, stacks);
            let held_thread = |held: &mut Held| {
                held.thread(Thread {
                    drawn: Drawn::One,
                    ..threads.get(row.thread, &self.events[row.event])
                })
            };
            let thread =
                *numbers.entry((row.thread, row.event)).or_insert_with(|| held_thread(held));
            held.add(thread, stack, row.weight, row.time);
            held.relieve(stacks, names, samples)?;
        }
        self.report(output.samples);
        Ok(())
    }

    fn report(&self, samples: &mut Samples<'_>) {
        note_bad_weights(self.bad_weights, samples);
        // A sample without a frame is not one with an unknown frame.
        let is_unknown =
            |id: &[u8], number: usize| !id.is_empty() && self.frames[number].name.is_none();
        let unknown = self.numbers.iter().filter(|(id, number)| is_unknown(id, **number)).count();
        samples.note_count(unknown as u64, "frames are not in stackFrames: they are left out");
        let what = "frames are their own callers: their stacks begin there";
        samples.note_count(self.own_callers, what);
    }

    /// The stack that ends in a frame. A frame that is not in the list has no name and is skipped.
    fn stack(&mut self, frame: usize, stacks: &mut Stacks) -> StackId {
        let mut path = Vec::new();
        let mut next = Some(frame);
        while let Some(frame) = next.filter(|&frame| self.frames[frame].stack.is_none()) {
            // In a damaged list a frame may be its own caller.
            if std::mem::replace(&mut self.frames[frame].is_open, true) {
                self.own_callers += 1;
                break;
            }
            path.push(frame);
            next = self.frames[frame].caller;
        }
        let mut stack = next.and_then(|frame| self.frames[frame].stack).unwrap_or(Stacks::EMPTY);
        for frame in path.into_iter().rev() {
            let frame = &mut self.frames[frame];
            stack = frame.name.map_or(stack, |name| stacks.call(stack, name));
            frame.stack = Some(stack);
        }
        stack
    }
}
