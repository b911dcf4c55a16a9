//! All parts of a profile except its samples.

use common::stacks::FrameId;
use hashbrown::HashMap;

use super::FORMAT;
use super::messages::{LocationMessage, function, label, location, mapping, profile, value_type};
use super::prune::Prune;
use crate::options::Options;
use crate::read::mapped_code::{self, Mapping, bare};
use crate::read::own_labels::OwnLabels;
use crate::read::protobuf::{Fields, Malformed};
use crate::read::source::append_frames;
use crate::samples::{Inlined, Samples};

/// The things that samples refer to. Strings are indexes into `strings`.
#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    strings: Vec<&'a [u8]>,
    types: Vec<ValueType>,
    mappings: HashMap<u64, RawMapping>,
    functions: HashMap<u64, Function>,
    /// The messages of locations, by their id.
    locations: HashMap<u64, Location<'a>>,
    frames: Vec<FrameId>,
    comments: Vec<u64>,
    drop_frames: u64,
    keep_frames: u64,
    default_type: u64,
    /// How long was recorded, in nanoseconds.
    duration: u64,
    /// How much of `period_type` passed between two samples.
    period: u64,
    period_type: ValueType,
    /// The frames that the profile wants to hide.
    prune: Option<Prune>,
    /// Whether one id stands for two locations, for example where two profiles were concatenated.
    pub(super) is_several: bool,
}

/// The name and the unit of values.
type ValueType = [u64; 2];

fn value_type(message: &[u8]) -> Result<ValueType, Malformed> {
    Ok(value_type::read(message)?.numbers([value_type::TYPE, value_type::UNIT]))
}

#[derive(Clone, Copy, Debug, Default)]
struct RawMapping {
    start: u64,
    end: u64,
    offset: u64,
    file: u64,
    build_id: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Function {
    name: u64,
    system_name: u64,
    file: u64,
}

/// A location in code.
#[derive(Clone, Debug, Default)]
struct Location<'a> {
    message: &'a [u8],
    /// The indexes of its frames in `frames`, root first.
    frames: std::ops::Range<u32>,
    /// Its mapping and its address in that file, if labels of leaves are wanted.
    mapping: u64,
    address: Option<u64>,
}

/// The labels of a leaf.
pub(super) const LEAF: [&[u8]; 3] = [b"addr", b"object", b"build_id"];

impl<'a> Tables<'a> {
    /// Reads everything in a profile except its samples; `Err` holds the offset from which it could
    /// not be read.
    pub(super) fn read(&mut self, bytes: &'a [u8]) -> Result<(), usize> {
        let mut fields = Fields::of(bytes);
        let mut damaged = None;
        loop {
            let at = bytes.len() - fields.rest().len();
            let Some(field) = fields.next() else { break };
            let (number, value) = field.map_err(|Malformed| at)?;
            let (bytes, mut read) = (value.bytes(), Ok(()));
            match number {
                profile::SAMPLE_TYPE => read = value_type(bytes).map(|read| self.types.push(read)),
                profile::MAPPING => read = self.mapping(bytes),
                profile::LOCATION => read = self.location(bytes),
                profile::FUNCTION => read = self.function(bytes),
                profile::STRING_TABLE => self.strings.push(bytes),
                profile::DROP_FRAMES => self.drop_frames = value.number(),
                profile::KEEP_FRAMES => self.keep_frames = value.number(),
                profile::DURATION_NANOS => self.duration = value.number(),
                profile::PERIOD_TYPE => self.period_type = value_type(bytes).unwrap_or_default(),
                profile::PERIOD => self.period = value.number(),
                profile::COMMENT => read = value.append_numbers(&mut self.comments),
                profile::DEFAULT_SAMPLE_TYPE => self.default_type = value.number(),
                _ => {}
            }
            if read.is_err() {
                damaged.get_or_insert(at);
            }
        }
        damaged.map_or(Ok(()), Err)
    }

    /// Notes what the profile says of the whole recording.
    pub(super) fn note_facts(&self, samples: &mut Samples<'_>) {
        samples.facts.length = Some(self.duration).filter(|duration| *duration > 0);
        if self.string(self.period_type[1]) == b"nanoseconds" {
            samples.facts.note_interval(self.period);
        }
    }

    fn mapping(&mut self, message: &[u8]) -> Result<(), Malformed> {
        use mapping::{BUILD_ID, FILE_OFFSET, FILENAME, ID, MEMORY_LIMIT, MEMORY_START};
        let wanted = [ID, MEMORY_START, MEMORY_LIMIT, FILE_OFFSET, FILENAME, BUILD_ID];
        let [id, start, end, offset, file, build_id] = mapping::read(message)?.numbers(wanted);
        self.mappings.insert(id, RawMapping { start, end, offset, file, build_id });
        Ok(())
    }

    fn function(&mut self, message: &[u8]) -> Result<(), Malformed> {
        use function::{FILENAME, ID, NAME, SYSTEM_NAME};
        let wanted = [ID, NAME, SYSTEM_NAME, FILENAME];
        let [id, name, system_name, file] = function::read(message)?.numbers(wanted);
        self.functions.insert(id, Function { name, system_name, file });
        Ok(())
    }

    fn location(&mut self, message: &'a [u8]) -> Result<(), Malformed> {
        let id = location::read(message)?.number(location::ID);
        let before = self.locations.insert(id, Location { message, ..Location::default() });
        self.is_several |= before.is_some_and(|before| before.message != message);
        Ok(())
    }

    fn string(&self, number: u64) -> &'a [u8] {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        self.strings.get(number).copied().unwrap_or_default()
    }

    /// The names and units of the values of each sample.
    pub(super) fn sample_types(&self) -> Vec<(&'a [u8], &'a [u8])> {
        self.types.iter().map(|&[name, unit]| (self.string(name), self.string(unit))).collect()
    }

    /// The index of the value that pprof itself shows: the one the profile names, or the last.
    pub(super) fn default_type(&self) -> usize {
        let name = self.string(self.default_type);
        let named = self.types.iter().position(|kind| self.string(kind[0]) == name);
        named.filter(|_| !name.is_empty()).unwrap_or(self.types.len().saturating_sub(1))
    }

    /// Prints the comments that the writer of the profile left for its readers.
    pub(super) fn tell_comments(&self, samples: &mut Samples<'_>) {
        for &comment in &self.comments {
            let text = String::from_utf8_lossy(self.string(comment)).into_owned();
            samples.note(format_args!("comment: {}", text.trim()));
        }
    }

    /// Makes the frames of all locations. Those without a function are looked up in the mapped
    /// file, if it is on this machine.
    pub(super) fn name_locations(&mut self, options: &Options, samples: &mut Samples<'_>) {
        let mappings: HashMap<u64, Mapping> =
            self.mappings.iter().map(|(&id, mapping)| (id, self.mapped(mapping))).collect();
        let mut locations = std::mem::take(&mut self.locations);
        let places: HashMap<u64, LocationMessage> = locations
            .iter()
            .map(|(&id, location)| (id, LocationMessage::read(location.message)))
            .collect();
        // Addresses are looked up unchanged: for a caller, `Location.address` of profile.proto is
        // in the middle of the call already.
        let nameless = places.values().filter(|place| !self.has_name(place));
        let nameless = nameless.map(|place| (place.address, mappings.get(&place.mapping)));
        let names = mapped_code::name_addresses(nameless, options, samples);
        self.locate(&mut locations, &places, &mappings, options, samples);
        let (drop, keep) = (self.string(self.drop_frames), self.string(self.keep_frames));
        let (mut prune, mut frames) = (Prune::new(drop, keep, samples), Vec::new());
        let wants_lines = samples.wants.frames.srcline();
        for (id, location) in &mut locations {
            let place = &places[id];
            let start = frames.len() as u32;
            let functions =
                place.lines.iter().rev().map(|(function, _)| self.function_name(*function));
            let shown = prune.as_mut().map_or(place.lines.len(), |it| it.location(*id, functions));
            // A profile may have a source line without a function name.
            let is_line = wants_lines && names.is_nameless(place.address) && self.has_file(place);
            if is_line || self.has_name(place) {
                let bare = bare(place.address, mappings.get(&place.mapping));
                let lines = place.lines.iter().rev().take(shown);
                let root_first = lines.map(|&(function, line)| {
                    (self.function_name(function), self.file(function), line)
                });
                append_frames(root_first, &bare, samples, &mut frames);
            } else {
                frames.extend_from_slice(names.frames(place.address));
            }
            location.frames = start..frames.len() as u32;
        }
        (self.locations, self.frames, self.prune) = (locations, frames, prune);
    }

    /// Finds the addresses of locations in their files, if a label needs them.
    fn locate(
        &self,
        locations: &mut HashMap<u64, Location<'a>>,
        places: &HashMap<u64, LocationMessage>,
        mappings: &HashMap<u64, Mapping>,
        options: &Options,
        samples: &Samples<'_>,
    ) {
        if !LEAF.iter().any(|key| samples.wants.label(key)) {
            return;
        }
        let mut objects = options.symbolize.objects();
        for (id, location) in locations {
            let place = &places[id];
            location.mapping = place.mapping;
            location.address = mappings
                .get(&place.mapping)
                .and_then(|mapping| mapped_code::address_in(place.address, mapping, &mut objects));
        }
    }

    /// Adds the labels of the leaf's location, unless the sample has them itself.
    pub(super) fn add_leaf_labels(&self, leaf: u64, out: &mut OwnLabels) {
        let Some(location) = self.locations.get(&leaf) else { return };
        let address = location.address.map(|it| format!("{it:#x}")).unwrap_or_default();
        let mapping = self.mappings.get(&location.mapping).copied().unwrap_or_default();
        let build_id = self.string(mapping.build_id);
        let build_id = if mapped_code::bytes_of_hex(build_id).is_empty() { b"" } else { build_id };
        for (key, value) in
            LEAF.into_iter().zip([address.as_bytes(), self.string(mapping.file), build_id])
        {
            if !value.is_empty() && !out.has(key) {
                out.add(FORMAT.name, key, value);
            }
        }
    }

    fn has_name(&self, place: &LocationMessage) -> bool {
        place.lines.iter().any(|&(function, _)| !self.function_name(function).is_empty())
    }

    fn has_file(&self, place: &LocationMessage) -> bool {
        place.lines.iter().any(|(function, _)| !self.file(*function).is_empty())
    }

    fn file(&self, function: u64) -> &'a [u8] {
        self.string(self.functions.get(&function).map_or(0, |it| it.file))
    }

    fn function_name(&self, function: u64) -> &'a [u8] {
        let Some(function) = self.functions.get(&function) else { return b"" };
        match self.string(function.name) {
            b"" => self.string(function.system_name),
            name => name,
        }
    }

    fn mapped(&self, mapping: &RawMapping) -> Mapping {
        let RawMapping { start, end, offset, .. } = *mapping;
        let path = self.string(mapping.file).to_vec();
        let build_id = mapped_code::bytes_of_hex(self.string(mapping.build_id));
        Mapping { start, end, offset, path, build_id }
    }

    /// Appends the frames of a location, root first; false if the profile has no such location.
    #[inline]
    pub(super) fn append_frames(
        &self,
        location: u64,
        inlined: &mut Inlined,
        frames: &mut Vec<FrameId>,
    ) -> bool {
        let Some(location) = self.locations.get(&location) else { return false };
        let range = location.frames.start as usize..location.frames.end as usize;
        let of_location = &self.frames[range];
        frames.extend_from_slice(&of_location[..inlined.take(of_location.len())]);
        true
    }

    /// The locations of a sample that stay, leaf first, if the profile wants to hide some.
    pub(super) fn prune<'l>(&self, locations: &'l [u64]) -> Option<&'l [u64]> {
        self.prune.as_ref().and_then(|prune| prune.sample(locations))
    }

    /// Adds a label: its text, or its number and unit.
    pub(super) fn add_label(&self, message: &[u8], out: &mut OwnLabels) -> Result<(), Malformed> {
        let wanted = [label::KEY, label::STR, label::NUM, label::NUM_UNIT];
        let [key, text, number, unit] = label::read(message)?.numbers(wanted);
        let mut value = self.string(text).to_vec();
        if text == 0 {
            value = number.cast_signed().to_string().into_bytes();
            if !self.string(unit).is_empty() {
                value.push(b' ');
                value.extend_from_slice(self.string(unit));
            }
        }
        out.add(FORMAT.name, self.string(key), &value);
        Ok(())
    }
}
