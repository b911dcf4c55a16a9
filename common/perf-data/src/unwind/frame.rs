//! A function on the stack, while it is unwound.

use crate::unwind::machine::Registers;

/// A function that was called, or the one that was running.
pub(crate) struct UnwoundFrame {
    pub(crate) registers: Registers,
    /// The address where its code continues; for the sample's own frame, where the processor was.
    pub(crate) pc: u64,
    /// Whether `pc` is the address of the instruction itself: in the function that was running or
    /// that a signal interrupted. In all others, the call before `pc` is meant.
    pub(crate) is_exact: bool,
}

impl UnwoundFrame {
    /// An address within the instruction that ran, or within the call.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        if self.is_exact { self.pc } else { self.pc.wrapping_sub(1) }
    }
}
