//! Calls in one function's code for which the frame tables name the same function.

use super::call::CallFrame;

/// Calls with the same outermost function, whatever was inlined there.
#[derive(Clone, Copy, Debug)]
pub(super) struct SameCalls<'a> {
    /// The first of them, in the order of the source.
    pub(super) first: CallFrame<'a>,
    pub(super) count: u32,
    /// Whether all of them are allocations.
    pub(super) only_allocates: bool,
}

impl<'a> SameCalls<'a> {
    pub(super) fn new(call: &CallFrame<'a>, is_allocation: bool) -> SameCalls<'a> {
        SameCalls { first: *call, count: 1, only_allocates: is_allocation }
    }

    /// Whether a call in this frame is one of them.
    pub(super) fn include(&self, call: &CallFrame) -> bool {
        (self.first.pack, self.first.function) == (call.pack, call.function)
    }

    /// Adds a call that they [`include`](SameCalls::include).
    pub(super) fn add(&mut self, call: &CallFrame<'a>, is_allocation: bool) {
        self.count += 1;
        self.only_allocates &= is_allocation;
        if call.is_before(&self.first) {
            self.first = *call;
        }
    }
}
