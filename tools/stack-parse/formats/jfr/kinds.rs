//! The types of events that may have stacks: which of them are samples, and which field is the
//! weight.

use super::types::{Class, Role};
use crate::read::java_events::{is_sample, weight};

/// A type of events that may have stacks.
#[derive(Clone, Copy)]
pub(super) struct EventKind<'t> {
    pub(super) class: &'t Class,
    /// The field with the weight of its events.
    pub(super) weight: Role,
    /// Whether its events without a stack are samples.
    pub(super) is_sampled: bool,
}

/// The kind of the events of this class; `None` if they never have a stack.
pub(super) fn kind(class: &Class) -> Option<EventKind<'_>> {
    let has = |role| class.fields.iter().any(|field| field.role == role);
    if !has(Role::StackTrace) {
        return None;
    }
    let default = if has(Role::Duration) { Role::Duration } else { Role::Other };
    let weight = weight(&class.name).map_or(default, |(field, _)| Role::of_field(field));
    Some(EventKind { class, weight, is_sampled: is_sample(&class.name) })
}
