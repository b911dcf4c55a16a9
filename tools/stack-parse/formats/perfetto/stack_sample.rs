//! Samples of any profiler (`StackSample`): what ran, and the values of several counters.

use super::code::{Code, Codes};
use super::interned::Interned;
use super::messages::{Message, numbers, repeated};
use crate::read::protobuf::Malformed;
use crate::read::stacks::{StackId, Stacks};

/// The fields of `InternedData` with messages that samples refer to.
const TASKS: u64 = 48;
const EXECUTIONS: u64 = 49;
const COUNTERS: u64 = 50;

/// A sample.
pub(super) struct StackSample {
    pub(super) process: i64,
    pub(super) thread: i64,
    pub(super) cpu: Option<u64>,
    pub(super) stack: Stack,
    /// The values of counters whose names are known.
    pub(super) counted: Vec<Counted>,
}

/// The stack of a sample.
pub(super) enum Stack {
    /// Its id in its sequence.
    Number(u64),
    Known(StackId),
}

/// The value of a counter. Event and unit are texts.
pub(super) struct Counted {
    pub(super) event: u32,
    pub(super) unit: u32,
    pub(super) weight: u64,
}

impl StackSample {
    /// Reads a sample; `defaults` holds the counters of its sequence.
    pub(super) fn read(
        message: &[u8],
        defaults: &[u8],
        interned: &Interned,
        codes: &mut Codes,
        stacks: &mut Stacks,
    ) -> Result<StackSample, Malformed> {
        let said = Message::<15>::read(message)?;
        let defaults_said = Message::<4>::read(defaults)?;
        let context = |own: usize, number: usize, field: u64| {
            let declared = said.known(number).and_then(|number| interned.context(field, number));
            said.message(own).or(declared)
        };
        let task = Message::<4>::read(context(1, 2, TASKS).unwrap_or_default())?;
        let execution = Message::<3>::read(context(3, 4, EXECUTIONS).unwrap_or_default())?;
        let primary = context(9, 10, COUNTERS).or(defaults_said.message(2));
        let mut counted = Vec::new();
        counted.extend(count(primary, said.known(11), codes)?);
        let followers = followers(message, defaults, interned)?;
        for (place, weight) in numbers(message, 14)?.into_iter().enumerate() {
            counted.extend(count(followers.get(place).copied(), Some(weight), codes)?);
        }
        let stack = match (said.message(5), said.known(6)) {
            (Some(inline), _) => Stack::Known(inline_stack(inline, codes, stacks)?),
            (None, Some(number)) => Stack::Number(number),
            (None, None) => Stack::Known(Stacks::EMPTY),
        };
        let (process, thread, cpu) = (task.signed(2), task.signed(3), execution.known(2));
        Ok(StackSample { process, thread, cpu, stack, counted })
    }
}

/// The counters after the first one: those of the sample, or else those of the defaults.
fn followers<'a>(
    message: &'a [u8],
    defaults: &'a [u8],
    interned: &'a Interned,
) -> Result<Vec<&'a [u8]>, Malformed> {
    let own: Vec<_> = repeated(message, 12).collect::<Result<_, _>>()?;
    if !own.is_empty() {
        return Ok(own);
    }
    let declared = numbers(message, 13)?;
    if declared.is_empty() {
        return repeated(defaults, 3).collect();
    }
    let context = |number: u64| interned.context(COUNTERS, number).unwrap_or_default();
    Ok(declared.into_iter().map(context).collect())
}

/// The value of a counter, if it has a name and a weight.
fn count(
    counter: Option<&[u8]>,
    weight: Option<u64>,
    codes: &mut Codes,
) -> Result<Option<Counted>, Malformed> {
    let Some((counter, weight)) = counter.zip(weight) else { return Ok(None) };
    let counter = Message::<6>::read(counter)?;
    let unit = match counter.number(3) {
        1 => &b"nanoseconds"[..],
        2 => b"cycles",
        3 => b"instructions",
        4 => b"bytes",
        5 => b"page-faults",
        6 => b"cache-misses",
        7 => b"cache-references",
        8 => b"branch-misses",
        _ if counter.bytes(4).is_empty() => b"count",
        _ => counter.bytes(4),
    };
    // Without a counter, samples are counted.
    let name = match counter.bytes(2) {
        b"" => unit,
        b"samples" => return Ok(None),
        name => name,
    };
    let weight = weight.saturating_mul(counter.number(5).max(1));
    Ok(Some(Counted { event: codes.text(name), unit: codes.text(unit), weight }))
}

/// A stack whose frames are in the sample itself, the outermost first.
fn inline_stack(
    message: &[u8],
    codes: &mut Codes,
    stacks: &mut Stacks,
) -> Result<StackId, Malformed> {
    let mut stack = Stacks::EMPTY;
    for frame in repeated(message, 1) {
        let frame = Message::<4>::read(frame?)?;
        let code = Code {
            name: codes.text(frame.bytes(1)),
            source: codes.text(frame.bytes(2)),
            line: u32::try_from(frame.number(3)).unwrap_or_default(),
            ..Code::default()
        };
        stack = stacks.call(stack, codes.frame(code));
    }
    Ok(stack)
}
