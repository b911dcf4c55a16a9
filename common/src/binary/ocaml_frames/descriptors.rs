//! The tables themselves: `runtime/caml/stack.h` up to OCaml 4.14,
//! `runtime/caml/frame_descriptors.h` since 5.0; the same on all 64-bit
//! machines since 4.11.

use crate::binary::executable::{Executable, Unreadable};

use super::Call;
use super::call::{chain, decode_lines};

/// The `frame_data` of a return to C: nothing follows.
const RETURN_TO_C: u16 = 0xffff;
/// The bits of `frame_data` that are no part of the frame's size.
const HAS_DEBUGINFO: u16 = 1;
const HAS_ALLOCATIONS: u16 = 2;

/// The least that a descriptor takes, padding included.
const SMALLEST_DESCRIPTOR: usize = 16;

/// All calls that have debug information, in the order of the tables.
///
/// The symbol `caml_frametable` is an array of pointers to one table per unit,
/// ended by 0.
pub(crate) fn calls<'a>(executable: &Executable<'a>) -> Result<Vec<Call<'a>>, Unreadable> {
    let mut pointer = executable.address_of(b"caml_frametable").ok_or(Unreadable::NoOcaml)?;
    let mut reader = Reader {
        executable,
        calls: Vec::new(),
        // Pointers of a damaged file may all lead to one table.
        left: executable.room_for(SMALLEST_DESCRIPTOR),
        places_left: executable.room_for(1),
    };
    loop {
        match executable.pointer(pointer).ok_or(Unreadable::BadFrameTables)? {
            0 => break,
            table => reader.table(table).ok_or(Unreadable::BadFrameTables)?,
        }
        pointer += 8;
    }
    decode_lines(&mut reader.calls);
    Ok(reader.calls)
}

struct Reader<'e, 'a> {
    executable: &'e Executable<'a>,
    calls: Vec<Call<'a>>,
    /// How many more descriptors the file can hold.
    left: usize,
    /// How many more places are worth reading.
    places_left: usize,
}

impl Reader<'_, '_> {
    /// Reads `{ int64 count; descriptor[count] }`.
    fn table(&mut self, address: u64) -> Option<()> {
        let count = self.executable.u64(address)?;
        self.left = self.left.checked_sub(usize::try_from(count).ok()?)?;
        let mut next = address + 8;
        for _ in 0..count {
            next = self.descriptor(next)?;
        }
        Some(())
    }

    /// Reads a descriptor and returns where the next one is:
    ///
    /// ```c
    /// uint64 return_address;
    /// uint16 frame_data, live_count, live[live_count];
    /// uint8  allocation_count, allocation[allocation_count];  // HAS_ALLOCATIONS
    /// uint32 debuginfo[allocation_count or 1];                // HAS_DEBUGINFO, at a multiple of 4
    /// ```
    ///
    /// The next one is at a multiple of 8.
    fn descriptor(&mut self, address: u64) -> Option<u64> {
        let executable = self.executable;
        let frame_data = executable.u16(address + 8)?;
        let live = executable.u16(address + 10)?;
        let mut end = address + 12 + 2 * u64::from(live);
        if frame_data == RETURN_TO_C {
            return Some(end.next_multiple_of(8));
        }
        let mut debuginfos = 1;
        if frame_data & HAS_ALLOCATIONS != 0 {
            debuginfos = u64::from(executable.u8(end)?);
            end += 1 + debuginfos;
        }
        if frame_data & HAS_DEBUGINFO != 0 {
            let return_address = executable.pointer(address)?;
            let start = end.next_multiple_of(4);
            end = start + 4 * debuginfos;
            for place in (start..end).step_by(4) {
                let offset = executable.u32(place)?;
                // Not every allocation of a group has a place in the source.
                if offset != 0 {
                    let places = chain(executable, place + u64::from(offset))?;
                    self.places_left = self.places_left.checked_sub(places.len())?;
                    self.calls.push(Call { return_address, places });
                }
            }
        }
        Some(end.next_multiple_of(8))
    }
}
