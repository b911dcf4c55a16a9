//! A profile of a speedscope file: the samples of one thread.

use common::{Result, io::Input};

use crate::read::decimal::Carry;
use crate::read::held::{Drawn, Held, Thread};
use crate::read::json::Json;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::Samples;

/// No list of frames is this long: a larger index is damage.
const MOST_FRAMES: u64 = 1 << 31;

/// Values are stored in units of 10^-`PARTS`, since their own unit may come after them.
const PARTS: i32 = 12;

/// The state while a profile is read.
#[derive(Default)]
pub(super) struct Profile {
    name: Vec<u8>,
    /// The thread, the event and its unit, if stack-export wrote them.
    own: Option<Thread>,
    unit: Unit,
    start: Option<i128>,
    end: Option<i128>,
    samples: Vec<StackId>,
    weights: Vec<Option<i128>>,
    events: Vec<FrameEvent>,
    /// The number of frames that samples refer to: the largest index, plus 1.
    frames: u32,
}

/// The unit of the values.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Unit {
    #[default]
    None,
    Bytes,
    /// Time: one is 10 to this power nanoseconds.
    Time(i32),
}

/// The call of a function, or a return from one.
#[derive(Clone, Copy)]
struct FrameEvent {
    opens: bool,
    frame: u32,
    at: i128,
}

/// How many mistakes of each kind a file has.
#[derive(Default)]
pub(super) struct Troubles {
    /// Samples without a weight, and weights without a sample.
    halves: u64,
    /// Values that are not numbers from 0 to 2^64.
    values: u64,
    /// Frames whose index is not an integer.
    pub(super) frames: u64,
    /// Returns from functions that were not called.
    returns: u64,
    /// Events that are earlier than the event before them.
    earlier: u64,
}

impl Profile {
    /// Reads a profile, or as much of it as there is.
    pub(super) fn read(
        &mut self,
        json: &mut Json<&mut Input>,
        stacks: &mut Stacks,
        troubles: &mut Troubles,
    ) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => self.name = json.text()?.unwrap_or_default().to_vec(),
                b"event" => self.own().event = json.text()?.unwrap_or_default().to_vec(),
                b"eventUnit" => self.own().unit = json.text()?.unwrap_or_default().to_vec(),
                b"comm" => self.own().name = json.text()?.unwrap_or_default().to_vec(),
                b"pid" => self.own().pid = json.text()?.unwrap_or_default().to_vec(),
                b"tid" => self.own().tid = json.text()?.unwrap_or_default().to_vec(),
                b"unit" => self.unit = Unit::named(json.text()?.unwrap_or_default()),
                b"startValue" => self.start = json.scaled(PARTS)?,
                b"endValue" => self.end = json.scaled(PARTS)?,
                b"samples" => json.for_each(|json| {
                    let stack = self.read_stack(json, stacks, troubles)?;
                    self.samples.push(stack);
                    Ok(())
                })?,
                b"weights" => json.for_each(|json| {
                    self.weights.push(json.scaled(PARTS)?);
                    Ok(())
                })?,
                b"events" => json.for_each(|json| self.read_event(json, troubles))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn own(&mut self) -> &mut Thread {
        self.own.get_or_insert_default()
    }

    /// The thread of the samples, and what they count.
    fn thread(&self) -> Thread {
        let named = || Thread { name: self.name.clone(), ..Thread::default() };
        let mut thread = self.own.clone().unwrap_or_else(named);
        if thread.event.is_empty() {
            thread.event = self.unit.event().to_vec();
        } else if thread.unit.is_empty() {
            thread.unit = self.unit.name().to_vec();
        }
        thread
    }

    /// The number of frames that samples refer to: the largest index, plus 1.
    pub(super) fn frames(&self) -> u32 {
        self.frames
    }

    /// `[0,1,2]`, root first.
    fn read_stack(
        &mut self,
        json: &mut Json<&mut Input>,
        stacks: &mut Stacks,
        troubles: &mut Troubles,
    ) -> Result<StackId> {
        let mut stack = Stacks::EMPTY;
        json.for_each(|json| {
            stack = stacks.call(stack, self.frame(json.integer()?, troubles));
            Ok(())
        })?;
        Ok(stack)
    }

    /// The index of a frame; one larger than all valid ones if it has none.
    fn frame(&mut self, frame: Option<u64>, troubles: &mut Troubles) -> u32 {
        let Some(frame) = frame else {
            troubles.frames += 1;
            return MOST_FRAMES as u32;
        };
        let frame = frame.min(MOST_FRAMES) as u32;
        self.frames = self.frames.max(frame + 1);
        frame
    }

    /// `{"type":"O","frame":0,"at":0.5}`
    fn read_event(&mut self, json: &mut Json<&mut Input>, troubles: &mut Troubles) -> Result<()> {
        let (mut opens, mut frame, mut at) = (None, None, None);
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"type" => opens = json.text()?.map(|text| text == b"O"),
                b"frame" => frame = json.integer()?,
                b"at" => at = json.scaled(PARTS)?,
                _ => {}
            }
        }
        match (opens, at) {
            (Some(opens), Some(at)) => {
                let frame = self.frame(frame, troubles);
                self.events.push(FrameEvent { opens, frame, at });
            }
            _ => troubles.values += 1,
        }
        Ok(())
    }

    /// Holds the samples that were read.
    pub(super) fn hold(self, stacks: &mut Stacks, held: &mut Held, troubles: &mut Troubles) {
        let drawn = if self.events.is_empty() { Drawn::One } else { Drawn::Unknown };
        let mut output = Output {
            thread: held.thread(Thread { drawn, ..self.thread() }),
            unit: self.unit,
            weight: Carry::default(),
            held,
            troubles,
        };
        self.hold_sampled(&mut output);
        self.hold_evented(stacks, &mut output);
    }

    fn hold_sampled(&self, output: &mut Output<'_>) {
        // This is not in the grammar, but samples without weights can only mean this.
        let counts_one = self.weights.is_empty();
        let one = Some(10i128.pow(PARTS as u32));
        let mut time = self.start.unwrap_or_default();
        for (place, &stack) in self.samples.iter().enumerate() {
            let weight = self.weights.get(place).copied();
            match weight.or(counts_one.then_some(one)) {
                Some(weight) => {
                    output.add(stack, weight, time);
                    time = time.saturating_add(weight.unwrap_or_default());
                }
                None => output.troubles.halves += 1,
            }
        }
        let lonely = self.weights.len().saturating_sub(self.samples.len());
        output.troubles.halves += lonely as u64;
    }

    /// The time between two events belongs to the functions that were called and have not returned.
    /// If there are none, nothing was recorded.
    fn hold_evented(&self, stacks: &mut Stacks, output: &mut Output<'_>) {
        let mut open: Vec<(u32, StackId)> = Vec::new();
        let mut now = i128::MIN;
        let end = self.end.map(|at| FrameEvent { opens: false, frame: u32::MAX, at });
        for (place, event) in self.events.iter().chain(&end).enumerate() {
            let is_end = place == self.events.len();
            if event.at < now {
                output.troubles.earlier += u64::from(!is_end);
            } else if let Some((_, stack)) = open.last() {
                output.add(*stack, Some(event.at - now), now);
            }
            now = now.max(event.at);
            if event.opens {
                let callers = open.last().map_or(Stacks::EMPTY, |(_, stack)| *stack);
                open.push((event.frame, stacks.call(callers, event.frame)));
            } else if !is_end {
                output.troubles.returns += u64::from(!close(event.frame, &mut open, stacks));
            }
        }
    }
}

/// Closes the innermost call of `frame`. It may be below other open calls, since some writers do
/// not close calls in reverse order; false if there is none.
fn close(frame: u32, open: &mut Vec<(u32, StackId)>, stacks: &mut Stacks) -> bool {
    let Some(found) = open.iter().rposition(|(called, _)| *called == frame) else { return false };
    let inner = open.split_off(found);
    for (frame, _) in inner.into_iter().skip(1) {
        let callers = open.last().map_or(Stacks::EMPTY, |(_, stack)| *stack);
        open.push((frame, stacks.call(callers, frame)));
    }
    true
}

/// Where a profile adds its samples.
struct Output<'a> {
    thread: u32,
    unit: Unit,
    weight: Carry,
    held: &'a mut Held,
    troubles: &'a mut Troubles,
}

impl Output<'_> {
    /// Adds a sample that begins at `time`; time and weight are in units of 10^-`PARTS`.
    fn add(&mut self, stack: StackId, weight: Option<i128>, time: i128) {
        let whole = self.unit.parts();
        match weight.and_then(|weight| self.weight.round(weight, whole)) {
            Some(0) if weight.is_some_and(|parts| parts > 0) => {}
            Some(weight) => {
                let time = u64::try_from(time / whole).ok();
                let time = time.filter(|_| matches!(self.unit, Unit::Time(_)));
                self.held.add(self.thread, stack, weight, time);
            }
            None => self.troubles.values += 1,
        }
    }
}

impl Unit {
    fn named(name: &[u8]) -> Unit {
        match name {
            b"seconds" => Unit::Time(9),
            b"milliseconds" => Unit::Time(6),
            b"microseconds" => Unit::Time(3),
            b"nanoseconds" => Unit::Time(0),
            b"bytes" => Unit::Bytes,
            _ => Unit::None,
        }
    }

    fn event(self) -> &'static [u8] {
        match self {
            Unit::None => b"samples",
            Unit::Bytes => b"bytes",
            Unit::Time(_) => b"time",
        }
    }

    /// The name of the unit in which values are counted.
    fn name(self) -> &'static [u8] {
        match self {
            Unit::None => b"samples",
            Unit::Bytes => b"bytes",
            Unit::Time(_) => b"ns",
        }
    }

    /// How many stored units make one counted unit.
    fn parts(self) -> i128 {
        match self {
            Unit::None | Unit::Bytes => 10i128.pow(PARTS as u32),
            Unit::Time(power) => 10i128.pow((PARTS - power) as u32),
        }
    }
}

impl Troubles {
    /// Reports the mistakes, with their numbers.
    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        samples.note_counts(&[
            (self.halves, "samples without a weight, or weights without a sample, are left out"),
            (self.values, "values are no numbers from 0 to 2^64: they are left out"),
            (self.frames, "frames have an index that is not an integer: they are [unknown]"),
            (self.returns, "returns are from functions that were not called: they are left out"),
            (self.earlier, "events are earlier than the one before them: no time passes there"),
        ]);
    }
}
