//! Code that a recording knows by its addresses, and the files that were mapped
//! there.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice;
use common::{FrameId, hexadecimal};
use symbolize::{Detail, Location, MappedObject, Objects};

use crate::frame::{Frame, Kind};
use crate::nameless;
use crate::options::Options;
use crate::samples::Samples;

/// A part of a file in memory; `end` is behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Where in its file it starts.
    pub(crate) offset: u64,
    pub(crate) path: Vec<u8>,
    /// What tells the file from others of the same path, if it is known.
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
        self.path.starts_with(b"/") || self.path == b"[vdso]"
    }
}

/// A line of `/proc/PID/maps`, in the words of Linux or of gperftools:
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

/// The frames of addresses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    frames: Vec<FrameId>,
    /// Where in `frames` those of an address are, and the object that has no name
    /// for it.
    known: HashMap<u64, std::ops::Range<usize>>,
    /// Those for which there is no name.
    nameless: HashSet<u64>,
}

impl Names {
    /// The frames at an address, root first: several where functions were inlined.
    pub(crate) fn frames(&self, address: u64) -> &[FrameId] {
        self.known.get(&address).map_or(&[], |range| &self.frames[range.clone()])
    }

    /// Whether its frames are only called after the address.
    pub(crate) fn is_nameless(&self, address: u64) -> bool {
        self.nameless.contains(&address)
    }

    fn add(&mut self, address: u64, add: impl FnOnce(&mut Vec<FrameId>)) {
        let start = self.frames.len();
        add(&mut self.frames);
        self.known.insert(address, start..self.frames.len());
    }
}

/// Names addresses, each of which is in a mapping or in none. What has no name is
/// called after its file, and the files that leave most without one are told.
pub(crate) fn name_addresses<'m>(
    addresses: impl Iterator<Item = (u64, Option<&'m Mapping>)>,
    options: &Options,
    samples: &mut Samples<'_>,
) -> Names {
    let mut objects = options.symbolize.objects();
    let (mut names, mut all) = (Names::default(), 0);
    let mut batch: Vec<(u64, Location, &Mapping)> = Vec::new();
    for (address, mapping) in addresses {
        all += 1;
        if names.known.contains_key(&address) {
            continue;
        }
        match mapping.filter(|mapping| mapping.is_file()) {
            Some(mapping) => {
                names.known.insert(address, 0..0);
                batch.push((address, locate(address, mapping, &mut objects), mapping));
            }
            None => {
                names.nameless.insert(address);
                names.add(address, |frames| samples.frames(&bare(address, mapping), frames));
            }
        }
    }
    let args = samples.frame_args();
    let detail = Detail { inlines: args.keep_inlined(), lines: args.srcline() };
    // One place in a file may have been mapped to several addresses.
    let mut unique: Vec<Location> = batch.iter().map(|(_, location, _)| *location).collect();
    unique.sort_unstable();
    unique.dedup();
    let resolved = objects.resolve(&unique, detail, options.threads());
    let mut nameless = Vec::new();
    for (address, location, mapping) in batch {
        let Ok(place) = unique.binary_search(&location) else { continue };
        let innermost_first: Vec<_> = resolved.frames(place).collect();
        if innermost_first.iter().all(|named| named.name.is_empty()) {
            names.nameless.insert(address);
            nameless.push((location.object, 1));
        }
        names.add(address, |frames| {
            for named in innermost_first.iter().rev() {
                let (name, source, inlined) = (named.name, named.source, named.inlined);
                let frame = Frame { name, source, inlined, ..bare(address, Some(mapping)) };
                samples.frames(&frame, frames);
            }
        });
    }
    for line in nameless::report(&objects, nameless.into_iter(), all) {
        samples.note(line);
    }
    names
}

/// The address in the file itself, as objdump prints it, if that file is here.
pub(crate) fn address_in(address: u64, mapping: &Mapping, objects: &mut Objects) -> Option<u64> {
    if !mapping.is_file() {
        return None;
    }
    let location = locate(address, mapping, objects);
    objects.elf(location.object)?.address_at(location.address)
}

fn locate(address: u64, mapping: &Mapping, objects: &mut Objects) -> Location {
    let build_id = Some(&mapping.build_id[..]).filter(|id| !id.is_empty());
    let object =
        objects.intern(&MappedObject { path: &mapping.path, build_id, ..Default::default() });
    objects.locate(object, address, mapping.offset_of(address), None)
}

/// An address without a name.
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
