//! The names of addresses of compiled code.

use std::collections::{HashMap, HashSet};

use common::stacks::FrameId;

use super::libs::{Key, Lib};
use super::saved_symbols::SavedSymbols;
use crate::frame::Frame;
use crate::options::Options;
use crate::read::mapped_code::{Names, name_codes};
use crate::samples::Samples;

/// Addresses without a name in their profile.
#[derive(Default)]
pub(super) struct Unnamed<'a>(Vec<(&'a Lib, u64)>);

impl<'a> Unnamed<'a> {
    /// Adds an address; it may come several times.
    pub(super) fn add(&mut self, lib: &'a Lib, address: u64) {
        self.0.push((lib, address));
    }

    /// Names all addresses: with the names in `saved`, else from the files of their libraries.
    pub(super) fn name(
        self,
        saved: &'a SavedSymbols,
        options: &Options,
        samples: &mut Samples<'_>,
    ) -> Natives<'a> {
        if !self.0.is_empty() && saved.is_of_others(self.0.iter().map(|(lib, _)| *lib)) {
            samples.note(format!(
                "{}: it has names for other libraries than those of this profile",
                saved.name
            ));
        }
        let mut known = HashMap::new();
        let mut unknown = Vec::new();
        let mut by_function = HashSet::new();
        for (lib, address) in self.0 {
            let key = lib.key(address);
            if known.contains_key(&key) {
                continue;
            }
            let mut frames = Vec::new();
            let bare = lib.bare(address);
            saved.frames(lib, address, |frame| {
                let Frame { name, source, inlined, .. } = *frame;
                samples.frames(&Frame { name, source, inlined, ..bare }, &mut frames);
            });
            if frames.is_empty() {
                let function = saved.function(lib, address);
                by_function.extend((!function.is_empty()).then_some(key));
                unknown.push((key, lib.code(address, function)));
            } else {
                known.insert(key, frames);
            }
        }
        let found = name_codes(unknown.into_iter(), options, samples);
        let by_function = by_function.into_iter().filter(|key| found.is_nameless(*key)).count();
        if by_function > 0 {
            samples.note(format!(
                "{}: it has inlined functions and lines for only one address of each function: \
                 {by_function} addresses lack them",
                saved.name
            ));
        }
        Natives { saved: known, found }
    }
}

/// The frames of addresses.
pub(super) struct Natives<'a> {
    saved: HashMap<Key<'a>, Vec<FrameId>>,
    found: Names<Key<'a>>,
}

impl<'a> Natives<'a> {
    /// The frames at an address of a library, root first.
    pub(super) fn frames(&self, lib: &'a Lib, address: u64) -> &[FrameId] {
        let key = lib.key(address);
        self.saved.get(&key).map_or_else(|| self.found.frames(key), |frames| &frames[..])
    }
}
