//! The tables that samples refer to by numbers. The first entry of each table means "none".

use std::ops::Range;

use super::FORMAT;
use super::attributes::{Attribute, Text};
use crate::frame::{Frame, Kind};
use crate::options::Options;
use crate::read::mapped_code::{self, Code, Mapping};
use crate::read::own_labels::OwnLabels;
use crate::read::source::append_frames;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;

/// All tables.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    pub(super) strings: Vec<u8>,
    /// Where each string ends in `strings`.
    pub(super) string_ends: Vec<usize>,
    pub(super) mappings: Vec<RawMapping>,
    pub(super) locations: Vec<Location>,
    pub(super) functions: Vec<Function>,
    /// The locations of all stacks, leaf first; `stack_ends` has where each stack ends.
    pub(super) places: Vec<u64>,
    pub(super) stack_ends: Vec<usize>,
    pub(super) attributes: Vec<Attribute>,
    /// The trace and the span that a sample was taken in.
    pub(super) links: Vec<[Vec<u8>; 2]>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct RawMapping {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) offset: u64,
    pub(super) file: u64,
    pub(super) attributes: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Location {
    pub(super) mapping: u64,
    pub(super) address: u64,
    /// The functions and their lines, the innermost inlined one first.
    pub(super) lines: Vec<(u64, u64)>,
    pub(super) attributes: Vec<u64>,
}

/// Numbers of strings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Function {
    pub(super) name: u64,
    pub(super) system_name: u64,
    pub(super) file: u64,
}

/// The attribute of a mapping with the build-id of its file.
const BUILD_ID: &[u8] = b"process.executable.build_id.gnu";

/// The attribute of a location with the kind of its code: `native`, `kernel`, `jvm`.
const FRAME_TYPE: &[u8] = b"profile.frame.type";

impl Dictionary {
    pub(super) fn string(&self, number: u64) -> &[u8] {
        &self.strings[range(&self.string_ends, number)]
    }

    /// The text itself, or the string with this number.
    pub(super) fn text<'a>(&'a self, text: &'a Text) -> &'a [u8] {
        match text {
            Text::Known(text) => text,
            Text::Number(number) => self.string(*number),
        }
    }

    /// The value of the attribute with this key among those with these numbers; empty if there is
    /// none.
    fn attribute(&self, numbers: &[u64], key: &[u8]) -> &[u8] {
        let all = numbers.iter().filter_map(|number| get(&self.attributes, *number));
        let mut found = all.filter(|attribute| self.text(&attribute.key) == key);
        found.next().map_or(b"", |attribute| self.text(&attribute.value))
    }

    /// Adds an attribute as a label. Those of the thread, the process and the processor get the
    /// same keys as in all formats.
    pub(super) fn add_label(&self, attribute: &Attribute, labels: &mut OwnLabels) {
        let key = match self.text(&attribute.key) {
            b"thread.name" => &b"comm"[..],
            b"thread.id" => b"tid",
            b"process.pid" => b"pid",
            b"cpu.logical_number" => b"cpu",
            key => key,
        };
        let mut value = self.text(&attribute.value).to_vec();
        if value.is_empty() {
            return;
        }
        let unit = self.string(attribute.unit);
        if !unit.is_empty() {
            value.push(b' ');
            value.extend_from_slice(unit);
        }
        if !key.is_empty() && !labels.has(key) {
            labels.add(FORMAT.name, key, &value);
        }
    }

    /// Names all locations: a frame of [`FrameNames`] for each, and one for those that are
    /// missing.
    pub(super) fn name_frames(&self, options: &Options, samples: &mut Samples<'_>) -> FrameNames {
        let mappings: Vec<Mapping> = self.mappings.iter().map(|it| self.mapping(it)).collect();
        let mapping =
            |location: &Location| get(&mappings, location.mapping).filter(|_| location.mapping > 0);
        let nameless = self.locations.iter().enumerate().filter(|(_, it)| !self.has_name(it));
        let codes = nameless.map(|(number, location)| {
            let code = mapped_code::code(location.address, mapping(location));
            let bare = Frame { kind: self.kind(location, code.bare.kind), ..code.bare };
            (number, Code { bare, ..code })
        });
        let named = mapped_code::name_codes(codes, options, samples);
        let (mut names, mut frames) = (FrameNames::default(), Vec::new());
        for (number, location) in self.locations.iter().enumerate() {
            frames.clear();
            if self.has_name(location) {
                let bare = mapped_code::bare(location.address, mapping(location));
                let bare = Frame { kind: self.kind(location, bare.kind), ..bare };
                let root_first = location.lines.iter().rev().map(|&(function, line)| {
                    let file = get(&self.functions, function).map(|it| self.string(it.file));
                    (self.function_name(function), file.unwrap_or_default(), line)
                });
                append_frames(root_first, &bare, samples, &mut frames);
            } else {
                frames.extend_from_slice(named.frames(number));
            }
            let object = mapping(location).map_or(&b""[..], |mapping| &mapping.path);
            names.push_named(&frames, object, samples);
        }
        names.name_others(&Frame { name: b"[unknown]", ..Frame::default() }, samples);
        names
    }

    fn kind(&self, location: &Location, otherwise: Kind) -> Kind {
        match self.attribute(&location.attributes, FRAME_TYPE) {
            b"kernel" => Kind::Kernel,
            _ => otherwise,
        }
    }

    fn has_name(&self, location: &Location) -> bool {
        location.lines.iter().any(|(function, _)| !self.function_name(*function).is_empty())
    }

    fn function_name(&self, function: u64) -> &[u8] {
        let Some(function) = get(&self.functions, function) else { return b"" };
        match self.string(function.name) {
            b"" => self.string(function.system_name),
            name => name,
        }
    }

    /// A mapping without a file has its build-id as its path.
    fn mapping(&self, mapping: &RawMapping) -> Mapping {
        let RawMapping { start, end, offset, .. } = *mapping;
        let build_id = self.attribute(&mapping.attributes, BUILD_ID);
        let file = self.string(mapping.file);
        let path = if file.is_empty() { build_id } else { file }.to_vec();
        Mapping { start, end, offset, path, build_id: mapped_code::bytes_of_hex(build_id) }
    }

    /// The stacks, in the order of their numbers.
    pub(super) fn stacks(&self, stacks: &mut Stacks) -> Vec<StackId> {
        let stack = |number: usize| {
            let places = &self.places[range(&self.stack_ends, number as u64)];
            let callers_first = places.iter().rev();
            callers_first.fold(Stacks::EMPTY, |callers, &place| {
                stacks.call(callers, u32::try_from(place).unwrap_or(u32::MAX))
            })
        };
        (0..self.stack_ends.len()).map(stack).collect()
    }
}

/// The range of entry `number` in a list of all entries, of which `ends` has the ends.
fn range(ends: &[usize], number: u64) -> Range<usize> {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let Some(&end) = ends.get(number) else { return 0..0 };
    let start = if number == 0 { 0 } else { ends[number - 1] };
    start..end
}

fn get<T>(table: &[T], number: u64) -> Option<&T> {
    table.get(usize::try_from(number).ok()?)
}
