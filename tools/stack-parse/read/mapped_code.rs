//! Code that a recording has as addresses, and the files that were mapped there.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use bstr::ByteSlice;
use common::{numbers::hexadecimal, stacks::FrameId};
use symbolize::{Detail, Location, MappedObject, Named, Objects};

use crate::frame::{Frame, Kind};
use crate::nameless;
use crate::options::Options;
use crate::samples::Samples;

/// A part of a file in memory; `end` is the address after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The offset of its start in the file.
    pub(crate) offset: u64,
    pub(crate) path: Vec<u8>,
    /// The build-id of the file; empty if it is not known.
    pub(crate) build_id: Vec<u8>,
}

impl Mapping {
    pub(crate) fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Where an address is in the file.
    pub(crate) fn offset_of(&self, address: u64) -> u64 {
        address.wrapping_sub(self.start).wrapping_add(self.offset)
    }

    /// Whether it may be a file with symbols.
    fn is_file(&self) -> bool {
        self.path.starts_with(b"/") || self.path == b"[vdso]" || !self.build_id.is_empty()
    }
}

/// Reads a line of `/proc/PID/maps`, in the form of Linux or of gperftools:
/// `55b7-55c8 r-xp 00001000 00:00 15695892    /usr/bin/demo`
/// `00400000-00fcb000: cppbench_server_main`.
pub(crate) fn mapping(line: &[u8]) -> Option<Mapping> {
    let (range, rest) = line.trim_ascii_start().split_once_str(" ")?;
    let (start, end) = range.strip_suffix(b":").unwrap_or(range).split_once_str("-")?;
    let (start, end) = (hexadecimal(start)?, hexadecimal(end)?);
    if range.ends_with(b":") {
        let path = rest.trim_ascii().to_vec();
        return Some(Mapping { start, end, path, ..Mapping::default() });
    }
    let (_permissions, rest) = rest.split_once_str(" ")?;
    let (offset, rest) = rest.split_once_str(" ")?;
    let (_device, rest) = rest.split_once_str(" ")?;
    let path = rest.trim_ascii_start().split_once_str(" ").map_or(&b""[..], |(_inode, path)| path);
    let path = path.trim_ascii().to_vec();
    Some(Mapping { start, end, offset: hexadecimal(offset)?, path, build_id: Vec::new() })
}

/// Code whose frames are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'a> {
    /// The frame if its file does not name it; it may have a name from another source.
    pub(crate) bare: Frame<'a>,
    /// The file or the kernel that has it, if known, and the address in that.
    pub(crate) object: Option<(MappedObject<'a>, u64)>,
}

/// The frames of code. Each format has its own type of keys for code, `K`.
#[derive(Debug)]
pub(crate) struct Names<K> {
    frames: Vec<FrameId>,
    /// For each key, the range of its frames in `frames`.
    known: HashMap<K, std::ops::Range<usize>>,
    /// The keys of code without a name.
    nameless: HashSet<K>,
}

impl<K: Copy + Eq + Hash> Names<K> {
    /// The frames of the code with this key, root first: several if functions were inlined.
    pub(crate) fn frames(&self, code: K) -> &[FrameId] {
        self.known.get(&code).map_or(&[], |range| &self.frames[range.clone()])
    }

    /// Whether no file names it, so that its frames are only those of [`Code::bare`].
    pub(crate) fn is_nameless(&self, code: K) -> bool {
        self.nameless.contains(&code)
    }

    fn add(&mut self, code: K, add: impl FnOnce(&mut Vec<FrameId>)) {
        let start = self.frames.len();
        add(&mut self.frames);
        self.known.insert(code, start..self.frames.len());
    }

    /// Adds what was found for code in its file, or `bare` where that has another name. Returns
    /// whether it has a name now.
    fn add_looked_up(
        &mut self,
        code: K,
        innermost_first: &[Named<'_>],
        bare: Frame<'_>,
        samples: &mut Samples<'_>,
    ) -> bool {
        let is_found = innermost_first.iter().any(|named| !named.name.is_empty());
        if !is_found {
            self.nameless.insert(code);
            if !bare.name.is_empty() {
                self.add(code, |frames| samples.frames(&bare, frames));
                return true;
            }
        }
        self.add(code, |frames| {
            for named in innermost_first.iter().rev() {
                let (name, source, inlined) = (named.name, named.source, named.inlined);
                samples.frames(&Frame { name, source, inlined, ..bare }, frames);
            }
        });
        is_found
    }
}

impl<K> Default for Names<K> {
    fn default() -> Names<K> {
        Names { frames: Vec::new(), known: HashMap::new(), nameless: HashSet::new() }
    }
}

/// Names addresses, each of which is in a mapping or in none.
pub(crate) fn name_addresses<'m>(
    addresses: impl Iterator<Item = (u64, Option<&'m Mapping>)>,
    options: &Options,
    samples: &mut Samples<'_>,
) -> Names<u64> {
    let codes = addresses.map(|(address, mapping)| (address, code(address, mapping)));
    name_codes(codes, options, samples)
}

/// The code at an address, which is in a mapping or in none.
pub(crate) fn code(address: u64, mapping: Option<&Mapping>) -> Code<'_> {
    let file = mapping.filter(|mapping| mapping.is_file());
    let object = file.map(|file| (mapped(file), file.offset_of(address)));
    Code { bare: bare(address, mapping), object }
}

/// Names code. Code without a name is shown as its file, and notes list the files that leave most
/// code without one. The same code may come several times.
pub(crate) fn name_codes<'a, K: Copy + Eq + Hash>(
    codes: impl Iterator<Item = (K, Code<'a>)>,
    options: &Options,
    samples: &mut Samples<'_>,
) -> Names<K> {
    let mut objects = options.symbolize.objects();
    let (mut names, mut all) = (Names::default(), 0);
    let mut batch: Vec<(K, Location, Frame<'_>)> = Vec::new();
    for (key, code) in codes {
        all += 1;
        if names.known.contains_key(&key) {
            continue;
        }
        match code.object {
            Some((mapped, address)) => {
                names.known.insert(key, 0..0);
                let object = objects.intern(&mapped);
                batch.push((key, objects.locate(object, address, address, None), code.bare));
            }
            None => {
                names.nameless.insert(key);
                names.add(key, |frames| samples.frames(&code.bare, frames));
            }
        }
    }
    let args = &samples.wants.frames;
    let detail = Detail { inlines: args.keep_inlined(), lines: args.need_source() };
    // One place in a file may have been mapped to several addresses.
    let mut unique: Vec<Location> = batch.iter().map(|(_, location, _)| *location).collect();
    unique.sort_unstable();
    unique.dedup();
    let resolved = objects.resolve(&unique, detail, options.threads());
    let mut nameless = Vec::new();
    for (key, location, bare) in batch {
        let Ok(place) = unique.binary_search(&location) else { continue };
        let innermost_first: Vec<_> = resolved.frames(place).collect();
        if !names.add_looked_up(key, &innermost_first, bare, samples) {
            nameless.push((location.object, 1));
        }
    }
    for line in nameless::report(&objects, nameless.into_iter(), all, &options.symbolize, |_| None)
    {
        samples.note(line);
    }
    names
}

/// The address in the file itself, as objdump prints it, if that file is here.
pub(crate) fn address_in(address: u64, mapping: &Mapping, objects: &mut Objects) -> Option<u64> {
    if !mapping.is_file() {
        return None;
    }
    let object = objects.intern(&mapped(mapping));
    objects.elf(object)?.address_at(mapping.offset_of(address))
}

fn mapped(mapping: &Mapping) -> MappedObject<'_> {
    let build_id = Some(&mapping.build_id[..]).filter(|id| !id.is_empty());
    MappedObject { path: &mapping.path, build_id, ..Default::default() }
}

/// The bytes of a build-id such as `8a2b…`; empty for Go's own build-id, which is not a number.
pub(crate) fn bytes_of_hex(digits: &[u8]) -> Vec<u8> {
    let byte = |pair: &[u8]| match pair {
        [_, _] => hexadecimal(pair).map(|byte| byte as u8),
        _ => None,
    };
    digits.chunks(2).map(byte).collect::<Option<_>>().unwrap_or_default()
}

/// The frame of an address without a name.
pub(crate) fn bare(address: u64, mapping: Option<&Mapping>) -> Frame<'_> {
    let object = mapping.map_or(&b""[..], |mapping| &mapping.path);
    Frame {
        object,
        address: Some(address),
        offset: mapping.filter(|_| !object.is_empty()).map(|mapping| mapping.offset_of(address)),
        kind: Kind::of_object(object, Some(address)),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps() {
        let made = |start, end, offset, path: &str| {
            let path = path.as_bytes().to_vec();
            Some(Mapping { start, end, offset, path, build_id: Vec::new() })
        };
        for (line, expected) in [
            (
                "7f13-7f14 r-xp 00005000 00:00 15695892    /usr/lib/my lib.so",
                made(0x7f13, 0x7f14, 0x5000, "/usr/lib/my lib.so"),
            ),
            ("7f13-7f14 rw-p 00000000 00:00 0 ", made(0x7f13, 0x7f14, 0, "")),
            ("7f13-7f14 rw-p 00000000 00:00 0", made(0x7f13, 0x7f14, 0, "")),
            (
                "  00400000-00fcb000: cppbench server",
                made(0x40_0000, 0xfc_b000, 0, "cppbench server"),
            ),
            ("build=/usr/lib", None),
            ("", None),
        ] {
            assert_eq!(mapping(line.as_bytes()), expected, "{line}");
        }
    }
}
