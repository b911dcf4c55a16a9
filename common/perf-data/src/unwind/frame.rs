//! A function on the stack, while it is unwound.

use crate::unwind::machine::Registers;

/// A function that was called, or the one that was running.
pub(crate) struct UnwoundFrame {
    pub(crate) registers: Registers,
    /// Where its code continues; for the sample's own frame, where it is.
    pub(crate) pc: u64,
    /// Whether the instruction at `pc` is the one that counts: in the function
    /// that was running or that a signal interrupted. In all others it is the
    /// call before it.
    pub(crate) is_exact: bool,
}

impl UnwoundFrame {
    /// An address within the instruction that counts.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        if self.is_exact { self.pc } else { self.pc.wrapping_sub(1) }
    }
}
