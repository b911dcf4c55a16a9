//! The names of events.

use bstr::ByteSlice;
use common::names::printable;

/// The name of an event as it is shown, also where the input has no name.
pub(crate) fn shown(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"[no event]" } else { name }
}

/// The name of an event for a message.
pub(crate) fn printed(name: &[u8]) -> String {
    printable(shown(name))
}

/// On hybrid processors `cpu_core/cycles/` and `cpu_atom/cycles/` are one event, `cycles`;
/// modifiers may follow the last `/`.
fn hybrid_parts(event: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = event.strip_prefix(b"cpu_core/").or_else(|| event.strip_prefix(b"cpu_atom/"))?;
    rest.rsplit_once_str(b"/")
}

pub(super) fn is_same(name: &[u8], event: &[u8]) -> bool {
    if name == event {
        return true;
    }
    hybrid_parts(event).or_else(|| without_terms(event)).is_some_and(|(bare, modifiers)| {
        name.strip_prefix(bare).is_some_and(|rest| match modifiers {
            b"" => rest.is_empty(),
            _ => rest.strip_prefix(b":") == Some(modifiers),
        })
    })
}

/// The unit as all outputs write it: some awks read "nanoseconds" as "not a number".
pub(super) fn plain_unit(unit: &[u8]) -> Vec<u8> {
    if unit == b"nanoseconds" { b"ns".to_vec() } else { unit.to_vec() }
}

pub(super) fn plain_name(event: &[u8]) -> Vec<u8> {
    match hybrid_parts(event).or_else(|| without_terms(event)) {
        Some((bare, b"")) => bare.to_vec(),
        Some((bare, modifiers)) => [bare, b":", modifiers].concat(),
        None => event.to_vec(),
    }
}

/// The name and the modifiers of `cpu-clock/freq=2000,call-graph=fp/u`, where all terms say how to
/// record; of `cpu/event=0x3c/` they say what.
fn without_terms(event: &[u8]) -> Option<(&[u8], &[u8])> {
    const HOW: [&str; 17] = [
        "freq",
        "period",
        "call-graph",
        "stack-size",
        "time",
        "inherit",
        "no-inherit",
        "max-stack",
        "nr",
        "overwrite",
        "no-overwrite",
        "percore",
        "aux-output",
        "aux-action",
        "aux-sample-size",
        "branch_type",
        "driver-config",
    ];
    let (rest, modifiers) = event.rsplit_once_str(b"/")?;
    let (name, terms) = rest.split_once_str(b"/")?;
    let is_how = |term: &[u8]| {
        let key = term.split_once_str(b"=").map_or(term, |(key, _)| key);
        HOW.iter().any(|how| how.as_bytes() == key)
    };
    (!name.is_empty() && terms.split_str(",").all(is_how)).then_some((name, modifiers))
}
