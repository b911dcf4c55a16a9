//! The call chains that the kernel recorded: which of their addresses are exact, and which are
//! return addresses.
//!
//! ```text
//! PERF_CONTEXT_KERNEL   a marker: addresses of the kernel follow
//! ffffffff9ae00130      where the processor was
//! ffffffff9aca2c17      where a function continues after a call: the call is before it
//! PERF_CONTEXT_USER     a marker: addresses of the program follow
//! 00007f3c1b0d2a4e      where the program entered the kernel
//! 0000561f0ac011a9      where a function continues after a call
//! ```
//!
//! So the first address after a marker is exact, and all others are return addresses; see
//! `perf_callchain_user` and `perf_callchain_kernel` of Linux. There are three exceptions.
//!
//! - The processor's own record of calls (LBR) has the addresses of the calls themselves.
//! - simpleperf moves the return addresses that it gets from the kernel to the calls; and where an
//!   interpreter runs, its chains have the places in the bytecode, which may be the first of a
//!   method.
//! - A signal handler returns to code that nothing has called and that begins there:
//!   `__restore_rt`. Frame pointers lead from it to what called the interrupted function, not
//!   to that function, so the address after it is a return address as all others.

use crate::sample::{CpuMode, RawSample, context};

/// An address of a call chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChainAddress {
    pub(crate) address: u64,
    pub(crate) space: Space,
    /// Whether this is the address of the instruction itself. If not, it is a return address: the
    /// call is before it.
    pub(crate) is_exact: bool,
}

/// The memory that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Kernel,
    User,
    /// That of a guest or a hypervisor, whose maps are unknown.
    Other,
}

/// The addresses of the sample's call chain, leaf first.
pub(crate) fn addresses(sample: &RawSample<'_>) -> impl Iterator<Item = ChainAddress> {
    let mut numbers = sample.chain.iter();
    let has_calls = sample.has_chain_of_calls;
    let mut space = if sample.mode == CpuMode::Kernel { Space::Kernel } else { Space::User };
    let mut is_first = true;
    std::iter::from_fn(move || {
        loop {
            let number = numbers.next()?;
            if number < context::FIRST {
                let is_exact = is_first || (has_calls && space == Space::User);
                is_first = false;
                return Some(ChainAddress { address: number, space, is_exact });
            }
            is_first = true;
            match number {
                context::KERNEL => space = Space::Kernel,
                context::USER => space = Space::User,
                // The next number is that of the record that should have the addresses.
                context::USER_DEFERRED => {
                    numbers.next();
                }
                _ => space = Space::Other,
            }
        }
    })
}
