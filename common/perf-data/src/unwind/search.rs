//! Finds the CFI of an address in a section.

use gimli::{BaseAddresses, CieOrFde, CommonInformationEntry, UnwindSection};

use crate::unwind::cfi::CfiBytes;

/// `.eh_frame_hdr`: the functions with CFI in `.eh_frame`, sorted by the linker.
///
/// ```c
/// uint8  version = 1, encoding of the pointer, of the count, of the table;
/// int32  .eh_frame - this field;
/// uint32 count;
/// struct { int32 function - header, entry in .eh_frame - header; } table[count];
/// ```
pub(crate) struct EhFrameHeader<'f> {
    address: u64,
    eh_frame: u64,
    table: &'f [[u8; 8]],
}

/// The encodings that all linkers use; headers with others are not read.
const VERSION_AND_ENCODINGS: [u8; 4] = [1, 0x1b, 0x03, 0x3b];

impl<'f> EhFrameHeader<'f> {
    /// `None` if it is damaged, has another encoding or no table.
    pub(crate) fn new(address: u64, bytes: &'f [u8]) -> Option<EhFrameHeader<'f>> {
        let (start, rest) = bytes.split_first_chunk::<4>()?;
        let (eh_frame, rest) = rest.split_first_chunk::<4>()?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        let eh_frame = i64::from(i32::from_le_bytes(*eh_frame));
        let eh_frame = address.wrapping_add(4).wrapping_add_signed(eh_frame);
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let table = rest.as_chunks().0.get(..count).filter(|table| !table.is_empty())?;
        (*start == VERSION_AND_ENCODINGS).then_some(EhFrameHeader { address, eh_frame, table })
    }

    /// The address of `.eh_frame`.
    pub(crate) fn eh_frame(&self) -> u64 {
        self.eh_frame
    }

    /// The offset in `.eh_frame` of the entry for the last function that begins at or before
    /// `address`.
    pub(crate) fn offset(&self, address: u64) -> Option<usize> {
        let next = self.table.partition_point(|row| self.pair(row).0 <= address);
        let (_, entry) = self.pair(self.table.get(next.checked_sub(1)?)?);
        usize::try_from(entry.checked_sub(self.eh_frame)?).ok()
    }

    /// The addresses of a function and of its entry.
    fn pair(&self, row: &[u8; 8]) -> (u64, u64) {
        let [a, b, c, d, e, f, g, h] = *row;
        let address = |bytes| self.address.wrapping_add_signed(i32::from_le_bytes(bytes).into());
        (address([a, b, c, d]), address([e, f, g, h]))
    }
}

/// The functions of a section that has no header to search in, found by reading the whole section.
pub(crate) struct SortedFunctions {
    /// The addresses of functions and the offsets of their entries.
    entries: Vec<(u64, u32)>,
}

impl SortedFunctions {
    /// Reads the section up to where it is damaged.
    pub(crate) fn new<'f, S>(section: &S, bases: &BaseAddresses) -> SortedFunctions
    where
        S: UnwindSection<CfiBytes<'f>>,
    {
        let mut entries = Vec::new();
        let mut cie = None;
        let mut all = section.entries(bases);
        while let Ok(Some(entry)) = all.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            // Most entries share the common entry (CIE) of the one before.
            let parsed = partial.parse(|section, bases, offset| match &cie {
                Some((known, cie)) if *known == offset => Ok(CommonInformationEntry::clone(cie)),
                _ => {
                    let parsed = section.cie_from_offset(bases, offset)?;
                    cie = Some((offset, parsed.clone()));
                    Ok(parsed)
                }
            });
            if let Ok(function) = parsed
                && function.len() > 0
                && let Ok(offset) = u32::try_from(function.offset())
            {
                entries.push((function.initial_address(), offset));
            }
        }
        entries.sort_unstable();
        SortedFunctions { entries }
    }

    /// The offset in the section of the entry for the last function that begins at or before
    /// `address`.
    pub(crate) fn offset(&self, address: u64) -> Option<usize> {
        let next = self.entries.partition_point(|(start, _)| *start <= address);
        let (_, offset) = self.entries.get(next.checked_sub(1)?)?;
        usize::try_from(*offset).ok()
    }
}
