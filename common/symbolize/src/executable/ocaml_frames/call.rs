//! Where in the source a call is: `caml_debuginfo_location` of
//! `runtime/backtrace_nat.c`, OCaml 4.13 and 5.2.

use std::borrow::Cow;

use ocaml_demangle::parts::{write_backtrace_name, write_packs};

use super::units::unit_of;
use crate::executable::image::Image;
use crate::executable::source_line::SourceLine;

/// A call, an allocation or another point at which the runtime may take over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The address, as symbols have it, where the code continues afterwards.
    pub return_address: u64,
    /// Whether it is an allocation.
    pub is_allocation: bool,
    /// The functions that it is in: first those that were inlined, the innermost first; last the
    /// one whose code holds the call.
    pub frames: Vec<CallFrame<'a>>,
}

/// A function that a call is in, and the line of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFrame<'a> {
    /// The packs that the function's unit is in, in the form that symbols begin with: `Pack__`.
    pub pack: &'a [u8],
    /// As `Printexc` prints it: `Stdlib__Map.Make.add`, `Main.run.(fun)`. Packs are left out.
    pub function: &'a [u8],
    /// The path that the compiler was given.
    file: &'a [u8],
    /// From 1; 0 if there is none.
    line: u32,
}

impl<'a> Call<'a> {
    /// The function whose code holds the call, even if the call was inlined there.
    pub(crate) fn physical(&self) -> Option<&CallFrame<'a>> {
        self.frames.last()
    }
}

/// The name of the file for code that the compiler made up.
const NO_FILE: &[u8] = b"_none_";

impl<'a> CallFrame<'a> {
    /// A function outside of packs, at a line from 1.
    #[cfg(test)]
    pub(crate) fn new(function: &'a str, file: &'a str, line: u32) -> CallFrame<'a> {
        CallFrame { pack: b"", function: function.as_bytes(), file: file.as_bytes(), line }
    }

    /// The name of the function in the form of demangled symbols.
    #[must_use]
    pub fn readable(&self) -> Vec<u8> {
        self.readable_part(self.function.len())
    }

    /// The first `length` bytes of the function's name, in the form of demangled symbols.
    pub(crate) fn readable_part(&self, length: usize) -> Vec<u8> {
        let mut name = Vec::new();
        write_packs(self.pack, &mut name);
        write_backtrace_name(&self.function[..length], &mut name);
        name
    }

    /// Whether its line comes before that of `other`; code without a line comes last.
    pub(super) fn is_before(&self, other: &CallFrame) -> bool {
        let key = |it: &CallFrame| (it.line == 0 || it.file == NO_FILE, it.line);
        key(self) < key(other) || key(self) == key(other) && self.file < other.file
    }

    /// The unit that the function is in, as symbols name it: `Pack__Unit`.
    pub(super) fn unit(&self) -> Cow<'a, [u8]> {
        match self.pack {
            b"" => Cow::Borrowed(unit_of(self.function)),
            pack => Cow::Owned([pack, unit_of(self.function)].concat()),
        }
    }

    /// The part of the function's name after the unit: `.Make.add`; empty for the code that a unit
    /// runs at the start.
    pub(super) fn path(&self) -> &'a [u8] {
        &self.function[unit_of(self.function).len()..]
    }

    /// Whether the function is in `unit`, a name as in symbols.
    pub(super) fn is_in(&self, unit: &[u8]) -> bool {
        unit.strip_prefix(self.pack) == Some(unit_of(self.function))
    }

    /// The line of the call, `None` if the compiler made up the code: `_none_:0`.
    #[must_use]
    pub fn source(&self) -> Option<SourceLine> {
        self.file_line().map(|(file, line)| SourceLine { file: file.to_vec(), line })
    }

    /// The file and the line of the call, `None` if the compiler made up the code.
    pub(super) fn file_line(&self) -> Option<(&'a [u8], u32)> {
        let is_known = self.line > 0 && self.file != NO_FILE;
        is_known.then_some((self.file, self.line))
    }
}

/// More than any compiler inlines; a damaged file may have endless chains.
const DEEPEST: usize = 1 << 12;

/// Bit 31 of a second word: the frame is described by more than two words.
const IS_LONG: u32 = 1 << 31;

/// Reads the frames of a call at `address`; their second words are not turned into lines yet.
///
/// A frame is two words. The lowest two bits of the first say whether another frame follows, and
/// whether this is a raise. The rest of it, without the upper 6 bits, is the distance to
/// `{ int32 distance to the file's name; char name[]; }`. In a long frame of OCaml 5.2, 8 bytes of
/// columns and lines come before the name.
pub(super) fn chain<'a>(executable: &Image<'a>, mut address: u64) -> Option<Vec<CallFrame<'a>>> {
    let mut frames = Vec::new();
    while frames.len() < DEEPEST {
        let mut words = executable.cursor(address)?;
        let (first, second) = (words.u32()?, words.u32()?);
        let info = address + u64::from(first & 0x03ff_fffc);
        let distance = executable.cursor(info)?.u32()?.cast_signed();
        let name = info + if second & IS_LONG == 0 { 4 } else { 12 };
        let function = executable.text(name)?;
        let file = executable.text(info.checked_add_signed(distance.into())?)?;
        frames.push(CallFrame { pack: b"", function, file, line: second });
        if first & 1 == 0 {
            return Some(frames);
        }
        address += 8;
    }
    None
}

/// Turns the second words into lines.
///
/// Up to 5.1 the line is in the upper 20 bits. Since 5.2 it is in the upper 12 bits after that bit,
/// or in 19 bits if the frame is long. The file does not say its version. But hardly any file has
/// 2^19 lines, and nearly every program has calls before line 128, as in the standard library.
pub(super) fn decode_lines(calls: &mut [Call]) {
    let frames = || calls.iter().flat_map(|call| &call.frames);
    let words = || frames().filter(|frame| frame.file != NO_FILE).map(|frame| frame.line);
    let since_5_2 = words().any(|word| word & IS_LONG != 0) || words().all(|word| word >> 19 != 0);
    for frame in calls.iter_mut().flat_map(|call| &mut call.frames) {
        let word = frame.line;
        frame.line = match word & IS_LONG {
            _ if !since_5_2 => word >> 12,
            0 => word >> 19,
            _ => (word & !IS_LONG) >> 12,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(words: &[u32]) -> Vec<u32> {
        let frame = |&line| CallFrame::new("F.f", "f.ml", line);
        let frames = words.iter().map(frame).collect();
        let mut calls = [Call { return_address: 1, is_allocation: false, frames }];
        decode_lines(&mut calls);
        calls[0].frames.iter().map(|frame| frame.line).collect()
    }

    #[test]
    fn lines_are_where_the_version_has_them() {
        // 4.13: line 1000, columns 3 to 20; line 7
        assert_eq!(lines(&[1000 << 12 | 3 << 4, 7 << 12]), [1000, 7]);
        // 5.2: line 1000, one line, columns; line 7
        assert_eq!(lines(&[1000 << 19 | 3 << 5, 7 << 19]), [1000, 7]);
        // 5.2 with a long frame: line 5000 does not fit into 12 bits.
        assert_eq!(lines(&[IS_LONG | 5000 << 12 | 77, 7 << 19, 0]), [5000, 7, 0]);
    }
}
