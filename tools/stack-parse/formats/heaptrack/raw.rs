//! Raw recordings: addresses, and the files that were mapped there, but no names.
//!
//! ```text
//! x 1f /home/me/demo             the program
//! m 1 -                          the list of files begins anew
//! m 1 x 55ea1692b000 0 6f8 1000 2e1    a file, here the program: where it is loaded, and the
//!                                address and size of each segment, from there
//! t 55ea1692c272 7               a return address, called by trace 7; 0 means no trace
//! + 2710 b 55ea36fc93c0          bytes, trace and address of an allocation
//! - 55ea36fc93c0                 its deallocation
//! ```

use std::io::{self, BufRead};

use bstr::ByteSlice;
use bstr::io::BufReadExt;
use hashbrown::HashMap;
use symbolize::{Addressing, MappedObject};

use super::{SIZED_STRINGS, pair, sized_prefix, version};
use crate::options::Options;
use crate::read::mapped_code::{Code, Mapping, bare, name_codes};
use crate::read::stacks::FrameNames;
use crate::samples::Samples;

/// An address in the call, and the number of the file it is in, if one is known.
type Key = (u64, Option<u32>);

/// The frame of each trace, and the files that are needed to name it.
#[derive(Default)]
pub(super) struct Calls {
    /// The number of the frame of each trace, in the order of the traces.
    pub(super) frames: Vec<u32>,
    version: u64,
    program: Vec<u8>,
    /// All files that were ever mapped; `listed` has the numbers of those that are mapped now.
    files: Vec<Mapping>,
    listed: Vec<u32>,
    /// The codes of all frames.
    codes: Vec<Key>,
    numbers: HashMap<Key, u32>,
}

impl Calls {
    /// Reads all files and traces of a recording, and nothing else.
    ///
    /// # Errors
    ///
    /// What reading returns.
    pub(super) fn read(mut input: impl BufRead) -> io::Result<Calls> {
        let mut calls = Calls::default();
        input.for_byte_line(|line| {
            match line.strip_suffix(b"\r").unwrap_or(line) {
                [b'v', b' ', rest @ ..] => calls.version = version(rest).unwrap_or_default(),
                [b'x', b' ', rest @ ..] => calls.program = calls.string(rest).0.to_vec(),
                [b'm', b' ', rest @ ..] => calls.file(rest),
                [b't', b' ', rest @ ..] => calls.trace(rest),
                _ => {}
            }
            Ok(true)
        })?;
        Ok(calls)
    }

    /// A string, and what comes after it.
    fn string<'a>(&self, text: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        if self.version >= SIZED_STRINGS {
            return sized_prefix(text).unwrap_or_default();
        }
        text.split_once_str(" ").unwrap_or((text, b""))
    }

    /// `1 x 55ea1692b000 0 6f8 1000 2e1`
    fn file(&mut self, rest: &[u8]) {
        let (name, rest) = self.string(rest);
        if name == b"-" {
            self.listed.clear();
            return;
        }
        let path = if name == b"x" { self.program.clone() } else { name.to_vec() };
        let mut numbers = super::numbers(rest).map_while(|number| number);
        let Some(base) = numbers.next() else { return };
        let segments: Vec<u64> = numbers.collect();
        let segments = segments.chunks_exact(2).map(|it| (it[0], it[0].saturating_add(it[1])));
        let (start, end) = segments.fold((u64::MAX, 0), |(start, end), segment| {
            (start.min(segment.0), end.max(segment.1))
        });
        if start < end {
            let (start, end) = (base.wrapping_add(start), base.wrapping_add(end));
            let file = Mapping { start, end, path, ..Mapping::default() };
            // The whole list is repeated when the program loads one more.
            let known = self.files.iter().position(|known| *known == file);
            let number = known.unwrap_or_else(|| {
                self.files.push(file);
                self.files.len() - 1
            });
            self.listed.push(number as u32);
        }
    }

    fn trace(&mut self, rest: &[u8]) {
        let Some([address, _]) = pair(rest) else { return };
        // The address before the return address is in the call.
        let address = address.saturating_sub(1);
        let mut listed = self.listed.iter().copied();
        let key = (address, listed.find(|file| self.files[*file as usize].contains(address)));
        let next = self.codes.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.codes.push(key);
        }
        self.frames.push(number);
    }

    /// Names all frames.
    pub(super) fn names(&self, options: &Options, samples: &mut Samples<'_>) -> FrameNames {
        let file = |key: &Key| key.1.map(|file| &self.files[file as usize]);
        let codes = self.codes.iter().map(|key| {
            let (address, file) = (key.0, file(key));
            let on_disk = file.filter(|file| file.path.starts_with(b"/"));
            let object = on_disk.map(|file| {
                let (path, addressing) = (&file.path[..], Addressing::Image);
                let mapped = MappedObject { path, addressing, ..MappedObject::default() };
                (mapped, file.offset_of(address))
            });
            (*key, Code { bare: bare(address, file), object })
        });
        let named = name_codes(codes, options, samples);
        let mut names = FrameNames::default();
        for key in &self.codes {
            let object = file(key).map_or(&b""[..], |file| &file.path);
            names.push_named(named.frames(*key), object, samples);
        }
        names
    }
}

/// Whether only raw recordings have such a line: the program, or a file that it mapped.
pub(super) fn is_raw(line: &[u8]) -> bool {
    line.starts_with(b"x ") || line.starts_with(b"m ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_in_the_files_that_are_mapped_then() {
        let text = b"v 10400 3\nx 5 /a/pr\nm 1 -\nm 1 x 1000 0 10 100 20\nm 7 /lib/so 0 400000 9\n\
            t 1011 0\nt 400009 1\nt 40000a 2\nm 1 -\nm 7 /lib/so 1000 0 100\nt 1011 0\nt bad\n\
            m 1 -\nm 1 x 1000 0 10 100 20\nt 1011 3\n";
        let calls = Calls::read(&text[..]).expect("bytes");
        let paths: Vec<_> = calls.files.iter().map(|file| (&file.path[..], file.start)).collect();
        let expected: [(&[u8], u64); 3] =
            [(b"/a/pr", 0x1000), (b"/lib/so", 0x40_0000), (b"/lib/so", 0x1000)];
        assert_eq!(paths, expected);
        let codes = [(0x1010, Some(0)), (0x40_0008, Some(1)), (0x40_0009, None), (0x1010, Some(2))];
        assert_eq!(calls.codes, codes);
        assert_eq!(calls.frames, [0, 1, 2, 3, 0]);
    }

    #[test]
    fn old_strings_end_at_a_space() {
        let text = b"v 10100 2\nx /a/pr\nm x 1000 0 10\nm - \nm x 2000 0 10\nt 2001 0\n";
        let calls = Calls::read(&text[..]).expect("bytes");
        assert_eq!(calls.files.len(), 2);
        assert_eq!(calls.codes, [(0x2000, Some(1))]);
    }
}
