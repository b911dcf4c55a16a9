//! The tables themselves: `runtime/caml/stack.h` up to OCaml 4.14,
//! `runtime/caml/frame_descriptors.h` since 5.0; the same on all 64-bit
//! machines since 4.11.

use super::call::{Call, chain, decode_lines};
use super::units::is_ocaml;
use crate::executable::image::Image;
use crate::executable::unreadable::Unreadable;

/// The `frame_data` of a return to C: nothing else is in that descriptor.
const RETURN_TO_C: u16 = 0xffff;
/// The bits of `frame_data` that are not part of the frame's size.
const HAS_DEBUGINFO: u16 = 1;
const HAS_ALLOCATIONS: u16 = 2;

/// The size of the smallest descriptor, padding included.
const SMALLEST_DESCRIPTOR: usize = 16;

/// The content of the frame tables, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables<'a> {
    /// The calls with a known line.
    pub(crate) calls: Vec<Call<'a>>,
    /// The return addresses of the allocations without a line.
    pub(crate) bare_allocations: Vec<u64>,
}

impl<'a> Tables<'a> {
    /// Reads all tables.
    ///
    /// The symbol `caml_frametable` is an array of pointers, one to the table of each unit, and
    /// ends with 0. A plug-in (`.cmxs`) has no such array: there each unit's table has a symbol,
    /// `camlPlugin__frametable` or, since OCaml 5.1, `camlPlugin.frametable`.
    pub(crate) fn read(executable: &Image<'a>) -> Result<Tables<'a>, Unreadable> {
        let mut reader = TableReader {
            executable,
            tables: Tables::default(),
            // In a damaged file, many pointers may lead to one table.
            left: executable.room_for(SMALLEST_DESCRIPTOR),
            frames_left: executable.room_for(1),
        };
        match executable.address_of(b"caml_frametable") {
            Some(array) => reader.array(array).ok_or(Unreadable::BadFrameTables)?,
            None => {
                let tables = executable.addresses_of(is_table);
                if tables.is_empty() {
                    return Err(Unreadable::NoOcaml);
                }
                let read = tables.into_iter().try_for_each(|table| reader.table(table));
                read.ok_or(Unreadable::BadFrameTables)?;
            }
        }
        let mut tables = reader.tables;
        decode_lines(&mut tables.calls);
        Ok(tables)
    }
}

/// Whether `symbol` is the symbol of a unit's table.
fn is_table(symbol: &[u8]) -> bool {
    let unit = symbol.strip_suffix(b"frametable").filter(|_| is_ocaml(symbol));
    unit.is_some_and(|unit| [&b"__"[..], b".", b"$"].iter().any(|end| unit.ends_with(end)))
}

struct TableReader<'e, 'a> {
    executable: &'e Image<'a>,
    tables: Tables<'a>,
    /// How many more descriptors the file can hold.
    left: usize,
    /// How many more frames of calls are read.
    frames_left: usize,
}

impl TableReader<'_, '_> {
    /// Reads the tables whose addresses are at `pointer`, up to a 0.
    fn array(&mut self, mut pointer: u64) -> Option<()> {
        loop {
            match self.executable.pointer(pointer)? {
                0 => return Some(()),
                table => self.table(table)?,
            }
            pointer += 8;
        }
    }

    /// Reads `{ int64 count; descriptor[count] }`.
    fn table(&mut self, address: u64) -> Option<()> {
        let count = self.executable.cursor(address)?.u64()?;
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
        let mut after_address = executable.cursor(address + 8)?;
        let (frame_data, live) = (after_address.u16()?, after_address.u16()?);
        let mut end = address + 12 + 2 * u64::from(live);
        if frame_data == RETURN_TO_C {
            return Some(end.next_multiple_of(8));
        }
        let return_address = executable.pointer(address)?;
        let mut debuginfos = 1;
        if frame_data & HAS_ALLOCATIONS != 0 {
            debuginfos = u64::from(executable.cursor(end)?.u8()?);
            end += 1 + debuginfos;
        }
        let has_line = frame_data & HAS_DEBUGINFO != 0;
        let is_allocation = frame_data & HAS_ALLOCATIONS != 0;
        // A group without allocations is a point in a loop at which the collector may run.
        if is_allocation && !has_line && debuginfos > 0 {
            self.tables.bare_allocations.push(return_address);
        }
        if has_line {
            let start = end.next_multiple_of(4);
            end = start + 4 * debuginfos;
            for debuginfo in (start..end).step_by(4) {
                let offset = executable.cursor(debuginfo)?.u32()?;
                // Not every allocation of a group has a line.
                if offset != 0 {
                    let frames = chain(executable, debuginfo + u64::from(offset))?;
                    self.frames_left = self.frames_left.checked_sub(frames.len())?;
                    self.tables.calls.push(Call { return_address, is_allocation, frames });
                }
            }
        }
        Some(end.next_multiple_of(8))
    }
}
