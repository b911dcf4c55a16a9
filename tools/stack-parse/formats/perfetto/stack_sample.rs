//! Samples of any profiler (`StackSample`): what ran, and the values of several counters.

use super::code::{Code, Codes};
use super::interned::Interned;
use super::messages::{
    counter_descriptor as counter, execution_context, inline_callstack, inline_frame,
    interned_data, stack_sample as sample, stack_sample_defaults as defaults, task_context,
};
use crate::read::protobuf::{FieldNumber, Malformed, list, repeated};
use crate::read::stacks::{StackId, Stacks};

/// A sample.
pub(super) struct StackSample {
    pub(super) process: i64,
    pub(super) thread: i64,
    pub(super) cpu: Option<u64>,
    /// `None` if it was not declared.
    pub(super) stack: Option<StackId>,
    /// The values of counters whose names are known.
    pub(super) counted: Vec<Counted>,
}

/// The value of a counter. Event and unit are texts.
pub(super) struct Counted {
    pub(super) event: u32,
    pub(super) unit: u32,
    pub(super) weight: u64,
}

impl StackSample {
    /// Reads a sample; `usual` holds the counters of its sequence.
    pub(super) fn read(
        message: &[u8],
        usual: &[u8],
        interned: &Interned,
        codes: &mut Codes,
        stacks: &mut Stacks,
    ) -> Result<StackSample, Malformed> {
        let said = sample::read(message)?;
        let usual_counter = defaults::read(usual)?.message(defaults::PRIMARY_DESCRIPTOR);
        let context = |own: FieldNumber, number: FieldNumber, field: FieldNumber| {
            let declared = said.known(number).and_then(|number| interned.context(field, number));
            said.message(own).or(declared)
        };
        let task =
            context(sample::TASK_CONTEXT, sample::TASK_CONTEXT_IID, interned_data::TASK_CONTEXTS);
        let task = task_context::read(task.unwrap_or_default())?;
        let execution = context(
            sample::EXECUTION_CONTEXT,
            sample::EXECUTION_CONTEXT_IID,
            interned_data::EXECUTION_CONTEXTS,
        );
        let execution = execution_context::read(execution.unwrap_or_default())?;
        let primary = context(
            sample::PRIMARY_DESCRIPTOR,
            sample::PRIMARY_DESCRIPTOR_IID,
            interned_data::COUNTER_DESCRIPTORS,
        );
        let primary = primary.or(usual_counter);
        let mut counted = Vec::new();
        counted.extend(count(primary, said.known(sample::PRIMARY_WEIGHT), codes)?);
        let followers = followers(message, usual, interned)?;
        for (place, weight) in list(message, sample::FOLLOWER_WEIGHTS)?.into_iter().enumerate() {
            counted.extend(count(followers.get(place).copied(), Some(weight), codes)?);
        }
        let stack = match (said.message(sample::CALLSTACK), said.known(sample::CALLSTACK_IID)) {
            (Some(inline), _) => Some(inline_stack(inline, codes, stacks)?),
            (None, Some(number)) => interned.stack(number),
            (None, None) => Some(Stacks::EMPTY),
        };
        let (process, thread) = (task.signed(task_context::PID), task.signed(task_context::TID));
        let cpu = execution.known(execution_context::CPU);
        Ok(StackSample { process, thread, cpu, stack, counted })
    }
}

/// The counters after the first one: those of the sample, or else those of the defaults.
fn followers<'a>(
    message: &'a [u8],
    usual: &'a [u8],
    interned: &'a Interned,
) -> Result<Vec<&'a [u8]>, Malformed> {
    let own: Vec<_> = repeated(message, sample::FOLLOWER_DESCRIPTORS).collect::<Result<_, _>>()?;
    if !own.is_empty() {
        return Ok(own);
    }
    let declared = list(message, sample::FOLLOWER_DESCRIPTOR_IIDS)?;
    if declared.is_empty() {
        return repeated(usual, defaults::FOLLOWER_DESCRIPTORS).collect();
    }
    let context = |number: u64| {
        interned.context(interned_data::COUNTER_DESCRIPTORS, number).unwrap_or_default()
    };
    Ok(declared.into_iter().map(context).collect())
}

/// The value of a counter, if it has a name and a weight.
fn count(
    message: Option<&[u8]>,
    weight: Option<u64>,
    codes: &mut Codes,
) -> Result<Option<Counted>, Malformed> {
    let Some((message, weight)) = message.zip(weight) else { return Ok(None) };
    let said = counter::read(message)?;
    let unit = match said.number(counter::UNIT) {
        1 => &b"nanoseconds"[..],
        2 => b"cycles",
        3 => b"instructions",
        4 => b"bytes",
        5 => b"page-faults",
        6 => b"cache-misses",
        7 => b"cache-references",
        8 => b"branch-misses",
        _ if said.bytes(counter::UNIT_STR).is_empty() => b"count",
        _ => said.bytes(counter::UNIT_STR),
    };
    // Without a counter, samples are counted.
    let name = match said.bytes(counter::NAME) {
        b"" => unit,
        b"samples" => return Ok(None),
        name => name,
    };
    let weight = weight.saturating_mul(said.number(counter::UNIT_MULTIPLIER).max(1));
    Ok(Some(Counted { event: codes.text(name), unit: codes.text(unit), weight }))
}

/// A stack whose frames are in the sample itself, the outermost first.
fn inline_stack(
    message: &[u8],
    codes: &mut Codes,
    stacks: &mut Stacks,
) -> Result<StackId, Malformed> {
    let mut stack = Stacks::EMPTY;
    for frame in repeated(message, inline_callstack::FRAMES) {
        let frame = inline_frame::read(frame?)?;
        let code = Code {
            name: codes.text(frame.bytes(inline_frame::FUNCTION_NAME)),
            source: codes.text(frame.bytes(inline_frame::SOURCE_FILE)),
            line: u32::try_from(frame.number(inline_frame::LINE_NUMBER)).unwrap_or_default(),
            ..Code::default()
        };
        stack = stacks.call(stack, codes.frame(code));
    }
    Ok(stack)
}
