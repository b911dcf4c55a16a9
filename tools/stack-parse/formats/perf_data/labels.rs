//! The labels that only perf's recordings have: the control group, and the address of the leaf.

use common::folded::Label;
use common::stacks::{FrameId, FrameTable};
use hashbrown::HashMap;
use symbolize::{CodeOrigin, Location, Objects};

use crate::samples::Samples;

/// The values of labels, each kept once.
#[derive(Default)]
pub(super) struct LabelValues {
    values: FrameTable,
    /// The paths of control groups, by their ids.
    cgroups: HashMap<u64, FrameId>,
    /// The labels of leaves.
    leaves: HashMap<Location, Leaf>,
}

/// The labels of a location in code; values are ids in [`LabelValues`].
#[derive(Clone, Copy, Default)]
struct Leaf {
    address: Option<FrameId>,
    object: Option<FrameId>,
    build_id: Option<FrameId>,
}

/// The keys of [`Leaf`].
const LEAF: [&[u8]; 3] = [b"addr", b"object", b"build_id"];

impl LabelValues {
    /// Notes the path of a control group.
    pub(super) fn set_cgroup(&mut self, id: u64, path: &[u8]) {
        let path = self.values.intern(path);
        self.cgroups.insert(id, path);
    }

    /// The path of a control group, if a record has it.
    pub(super) fn cgroup(&self, id: u64) -> Option<FrameId> {
        self.cgroups.get(&id).copied()
    }

    /// The labels of a sample, where the user asked for them: its control group, and those of its
    /// leaf.
    pub(super) fn of_sample(
        &mut self,
        cgroup: Option<FrameId>,
        leaf: Option<Location>,
        objects: &mut Objects,
        samples: &Samples<'_>,
    ) -> Vec<Label<'_>> {
        let cgroup = cgroup.filter(|_| samples.wants.label(b"cgroup"));
        let leaf = leaf.filter(|_| LEAF.iter().any(|key| samples.wants.label(key)));
        let leaf = leaf.map(|leaf| self.leaf(leaf, objects)).unwrap_or_default();
        let keys = [b"cgroup", LEAF[0], LEAF[1], LEAF[2]];
        let values = [cgroup, leaf.address, leaf.object, leaf.build_id];
        let known = keys.into_iter().zip(values);
        known
            .filter_map(|(key, value)| Some(Label { key, value: self.values.name(value?) }))
            .collect()
    }

    fn leaf(&mut self, location: Location, objects: &mut Objects) -> Leaf {
        if let Some(leaf) = self.leaves.get(&location) {
            return *leaf;
        }
        let object = location.object;
        // In other code the address is one in memory, which no object file has.
        let is_file = objects.origin(object) == CodeOrigin::File;
        let elf = if is_file { objects.elf(object) } else { None };
        let address = elf.and_then(|elf| elf.address_at(location.address));
        let leaf = Leaf {
            address: address.map(|it| self.values.intern(format!("{it:#x}").as_bytes())),
            object: Some(objects.path(object))
                .filter(|path| !path.is_empty())
                .map(|path| self.values.intern(path)),
            build_id: objects.build_id(object).map(|id| {
                let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
                self.values.intern(digits.as_bytes())
            }),
        };
        self.leaves.insert(location, leaf);
        leaf
    }
}
