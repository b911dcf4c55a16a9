//! The locations in code where samples were taken, each named once.

use common::names::FrameParts;
use common::stacks::FrameId;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::ops::Range;
use symbolize::{CodeOrigin, Detail, Location, Named, OCAML_STARTS, ObjectId, Objects};

use super::process_runtimes::ProcessRuntimes;
use crate::frame::Frame;
use crate::nameless;
use crate::samples::Samples;
use crate::symbolize_args::SymbolizeArgs;

/// The index of a location in [`Locations`].
pub(super) type LocationId = u32;

/// All locations found so far. The last ones have no names yet.
pub(super) struct Locations {
    detail: Detail,
    threads: usize,
    hasher: DefaultHashBuilder,
    ids: HashTable<LocationId>,
    locations: Vec<Option<Location>>,
    /// The names of the locations that have one.
    names: Vec<Name>,
    /// The frames of all names, root first.
    frames: Vec<FrameId>,
    /// How many frames have a location, named or not.
    uses: u64,
}

/// The frames of a location.
struct Name {
    /// The indexes of its frames in `frames`.
    frames: Range<u32>,
    /// How many frames have this location, if it has no symbol; `None` if it has one, and for
    /// placeholders.
    nameless: Option<u64>,
}

impl Locations {
    /// An address that is in no object.
    pub(super) const UNKNOWN: LocationId = 0;
    /// A placeholder for callers that are missing.
    pub(super) const TRUNCATED: LocationId = 1;

    /// A placeholder for callers that are not known.
    pub(super) const BROKEN: LocationId = 2;

    /// The frames of the locations that are in no object.
    const OF_NO_OBJECT: [&[u8]; 3] = [b"[unknown]", b"[truncated]", b"[broken]"];

    pub(super) fn new(detail: Detail, threads: usize) -> Locations {
        Locations {
            detail,
            threads,
            hasher: DefaultHashBuilder::default(),
            ids: HashTable::new(),
            locations: vec![None; Locations::OF_NO_OBJECT.len()],
            names: Vec::new(),
            frames: Vec::new(),
            uses: 0,
        }
    }

    /// The index of a location.
    #[inline]
    pub(super) fn intern(&mut self, location: Location) -> LocationId {
        let Locations { hasher, ids, locations, .. } = self;
        let hash = hasher.hash_one(location);
        if let Some(&id) = ids.find(hash, |&id| locations[id as usize] == Some(location)) {
            return id;
        }
        let id = LocationId::try_from(locations.len()).expect("fewer than 2^32 locations");
        locations.push(Some(location));
        ids.insert_unique(hash, id, |&id| hasher.hash_one(locations[id as usize]));
        id
    }

    /// A location; `None` if it is in no object.
    pub(super) fn get(&self, id: LocationId) -> Option<Location> {
        self.locations[id as usize]
    }

    /// Whether a location is code of the kernel.
    pub(super) fn is_of_kernel(&self, id: LocationId, objects: &Objects) -> bool {
        let object = self.get(id).map(|location| location.object);
        object.is_some_and(|object| objects.origin(object) == CodeOrigin::Kernel)
    }

    /// Names the locations that have no names yet.
    pub(super) fn name_new(&mut self, objects: &mut Objects, samples: &mut Samples<'_>) {
        for name in &Locations::OF_NO_OBJECT[self.names.len().min(Locations::OF_NO_OBJECT.len())..]
        {
            let nameless = (*name == b"[unknown]").then_some(0);
            self.add_name(nameless, |frames| frames.push(samples.frame(name)));
        }
        let new: Vec<Location> =
            self.locations[self.names.len()..].iter().flatten().copied().collect();
        let need_owner = samples.wants.frames.need_owner();
        let resolved = objects.resolve(&new, self.detail, self.threads);
        for (index, &location) in new.iter().enumerate() {
            let named = resolved.frames(index);
            let frame = |it| frame(it, location, objects, need_owner);
            let innermost_first: Vec<_> = named.map(frame).collect();
            let is_nameless = innermost_first.iter().all(|frame| frame.name.is_empty());
            self.add_name(is_nameless.then_some(0), |frames| {
                innermost_first.iter().rev().for_each(|frame| samples.frames(frame, frames));
            });
        }
    }

    fn add_name(&mut self, nameless: Option<u64>, add: impl FnOnce(&mut Vec<FrameId>)) {
        let start = self.frames.len() as u32;
        add(&mut self.frames);
        let frames = start..self.frames.len() as u32;
        self.names.push(Name { frames, nameless });
    }

    /// The frames of a named location, root first: several where functions were inlined, none if
    /// the options drop all of them.
    #[inline]
    pub(super) fn frames(&mut self, location: LocationId) -> &[FrameId] {
        let Name { frames, nameless } = &mut self.names[location as usize];
        self.uses += 1;
        if let Some(uses) = nameless {
            *uses += 1;
        }
        &self.frames[frames.start as usize..frames.end as usize]
    }

    /// The name of the function at a named location, the one around those that were inlined.
    pub(super) fn name(&self, location: LocationId, samples: &Samples<'_>) -> Vec<u8> {
        let Name { frames, .. } = &self.names[location as usize];
        let frame = self.frames.get(frames.start as usize).filter(|_| !frames.is_empty());
        let name = |frame: &FrameId| FrameParts::of(samples.name(*frame)).name.to_vec();
        frame.map(name).unwrap_or_default()
    }

    /// The objects of all locations.
    pub(super) fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let objects: BTreeSet<ObjectId> =
            self.locations.iter().flatten().map(|location| location.object).collect();
        objects.into_iter()
    }

    /// Reports the frames without a symbol, in those objects to which `tells` applies.
    pub(super) fn report(
        &self,
        objects: &Objects,
        tells: impl Fn(&ObjectId) -> bool,
        args: &SymbolizeArgs,
        runtimes: &ProcessRuntimes,
        samples: &mut Samples<'_>,
    ) {
        let nameless = self.names.iter().filter_map(|name| name.nameless).sum();
        samples.facts.nameless = Some([nameless, self.uses]);
        let named = self.names.iter().zip(&self.locations);
        let nameless = named.filter_map(|(name, location)| {
            let object = Some(location.as_ref()?.object).filter(&tells)?;
            name.nameless.map(|uses| (object, uses))
        });
        let runtime = |object| runtimes.of(object);
        for line in nameless::report(objects, nameless, self.uses, args, runtime) {
            samples.note(line);
        }
    }
}

/// `need_owner` says whether it is asked whose code it is.
fn frame<'a>(
    named: Named<'a>,
    location: Location,
    objects: &'a Objects,
    need_owner: bool,
) -> Frame<'a> {
    let Location { object, address } = location;
    let origin = objects.origin(object);
    Frame {
        name: named.name,
        object: objects.path(object),
        address: Some(address),
        offset: (origin == CodeOrigin::File).then_some(address),
        source: named.source,
        kind: origin.into(),
        beside: if need_owner && objects.is_of_ocaml(object) { OCAML_STARTS } else { b"" },
        inlined: named.inlined,
    }
}
