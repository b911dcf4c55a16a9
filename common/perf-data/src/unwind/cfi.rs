//! The parts of call frame information (CFI): sections of bytes, with an entry for each function.

use gimli::{
    EndianSlice, FrameDescriptionEntry, LittleEndian, Register, RegisterRule, UnwindContextStorage,
    UnwindExpression, UnwindTableRow,
};

use crate::unwind::expression::Expression;

/// The bytes of a section.
pub(crate) type CfiBytes<'f> = EndianSlice<'f, LittleEndian>;

/// Memory for the state of a row and the states to which it may return: compilers use one, gimli
/// has room for 4.
pub(crate) struct RowMemory;

impl UnwindContextStorage<usize> for RowMemory {
    type Rules = [(Register, RegisterRule<usize>); 192];
    type Stack = Box<[UnwindTableRow<usize, Self>; 16]>;
}

/// The CFI of one function.
pub(crate) struct FunctionCfi<'f> {
    pub(crate) entry: FrameDescriptionEntry<CfiBytes<'f>>,
    /// The section that the entry is in.
    pub(crate) section: &'f [u8],
}

impl<'f> FunctionCfi<'f> {
    /// The register in which the return address is.
    pub(crate) fn return_address(&self) -> Register {
        self.entry.cie().return_address_register()
    }

    /// Whether a signal handler returns to this function.
    pub(crate) fn is_signal_frame(&self) -> bool {
        self.entry.is_signal_trampoline()
    }

    pub(crate) fn expression(&self, at: UnwindExpression<usize>) -> Option<Expression<'f>> {
        let code = self.section.get(at.offset..)?.get(..at.length)?;
        Some(Expression { code, encoding: self.entry.cie().encoding() })
    }
}
