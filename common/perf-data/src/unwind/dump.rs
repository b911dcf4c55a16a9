//! The copy of a stack, and why no more callers are found in it.

/// How far above the dump an address still belongs to the same stack: threads have stacks of at
/// most 8 MB, unless they ask for more.
const LARGEST_STACK: u64 = 8 << 20;

/// The longest copy of a stack that perf can record, in bytes: `perf record --call-graph
/// dwarf,65528`.
pub const LONGEST_COPY: u32 = 65_528;

/// How far below the stack pointer a function may use memory, in bytes. What it has popped is there,
/// too.
const RED_ZONE: u64 = 128;

/// Why there are no more callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last function has no caller: it is `_start`, or a thread starts there.
    Root,
    /// The dump of the stack ended.
    Truncated,
    /// The frame of the last function has so many bytes, more than any dump.
    HugeFrame(u64),
    /// It goes on in memory that is not part of the dump: a signal has a stack of its own.
    OtherStack,
    /// It is not known where the caller's registers are, or the value found there is not an address
    /// of code.
    Lost,
}

/// The memory from the stack pointer on.
pub(crate) struct StackDump<'d> {
    start: u64,
    dump: &'d [u8],
}

impl<'d> StackDump<'d> {
    pub(crate) fn new(start: u64, dump: &'d [u8]) -> StackDump<'d> {
        StackDump { start, dump }
    }

    /// The 8 bytes at `address`.
    ///
    /// # Errors
    ///
    /// [`End::Truncated`] if they are above the dump, [`End::OtherStack`] if they are not on this
    /// stack.
    pub(crate) fn read(&self, address: u64) -> Result<u64, End> {
        let Some(offset) = address.checked_sub(self.start) else {
            let is_popped = self.start - address <= RED_ZONE;
            return Err(if is_popped { End::Lost } else { End::OtherStack });
        };
        // A process that is being replaced by another program has no stack.
        if self.dump.is_empty() {
            return Err(End::Lost);
        }
        if offset > self.dump.len() as u64 + LARGEST_STACK {
            return Err(End::OtherStack);
        }
        let bytes = usize::try_from(offset).ok().and_then(|offset| self.dump.get(offset..));
        let bytes = bytes.and_then(<[u8]>::first_chunk).ok_or(End::Truncated)?;
        Ok(u64::from_le_bytes(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_outside_of_the_dump_is_above_it_or_elsewhere() {
        let stack = StackDump::new(0x1000, &[1, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(stack.read(0x1000), Ok(1));
        assert_eq!(stack.read(0x1001), Ok(2 << 56));
        assert_eq!(stack.read(0x1002), Err(End::Truncated));
        assert_eq!(stack.read(0x9000), Err(End::Truncated));
        assert_eq!(stack.read(0xfff), Err(End::Lost));
        assert_eq!(stack.read(0x800), Err(End::OtherStack));
        assert_eq!(stack.read(u64::MAX), Err(End::OtherStack));
        assert_eq!(StackDump::new(0x1000, &[]).read(0x1000), Err(End::Lost));
    }
}
