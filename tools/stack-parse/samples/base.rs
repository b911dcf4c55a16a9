//! Makes the root frames of samples.

use std::borrow::Cow;

use common::stacks::{FrameId, NodeId};

use super::events::Event;
use super::labels::value_of;
use super::root::Root;
use super::sample::Sample;
use super::sums::Sums;
use super::window::Window;

/// The root frames of the current sample, and the data that they were made from.
#[derive(Debug, Default)]
pub(super) struct Base {
    event: Option<usize>,
    comm: Vec<u8>,
    pid: Vec<u8>,
    tid: Vec<u8>,
    label: Option<Vec<u8>>,
    /// The name of a root frame that is being made.
    name: Vec<u8>,
    pub(super) frames: Vec<FrameId>,
    pub(super) node: NodeId,
}

impl Base {
    /// Makes the root frames of a sample of this event, which has this index.
    pub(super) fn set(
        &mut self,
        (index, event): (usize, &mut Event),
        origin: &Sample<'_>,
        root: &Root,
        window: &mut Window,
        sums: &mut Sums,
    ) {
        let ids = (origin.pid.unwrap_or_default(), origin.tid.unwrap_or_default());
        let label = match root {
            Root::Label(key) => {
                let when = window.labelled_when(origin);
                value_of(key, origin, &event.name, when).map(Cow::into_owned)
            }
            _ => None,
        };
        // The next sample is mostly of the same thread.
        let has_ids = || (&self.pid[..], &self.tid[..]) == ids;
        let is_known = match root {
            Root::None => true,
            Root::Comm => self.comm == origin.comm,
            Root::Pid | Root::Tid => self.comm == origin.comm && has_ids(),
            Root::Label(_) => self.label == label,
        };
        if is_known && self.event == Some(index) {
            return;
        }
        (self.event, self.label) = (Some(index), label);
        for (kept, part) in
            [(&mut self.comm, origin.comm), (&mut self.pid, ids.0), (&mut self.tid, ids.1)]
        {
            kept.clear();
            kept.extend_from_slice(part);
        }
        self.make(event, origin, root, sums);
    }

    fn make(&mut self, event: &mut Event, origin: &Sample<'_>, root: &Root, sums: &mut Sums) {
        self.frames.clear();
        self.node = sums.event_node(event);
        if sums.by_event {
            self.frames.push(sums.tree.frame(self.node));
        }
        self.name.clear();
        let label = self.label.as_deref();
        root.push_name(origin, label, &mut self.name);
        if !self.name.is_empty() || label.is_some() {
            let frame = sums.frames.intern(&self.name);
            self.frames.push(frame);
            self.node = sums.tree.child(self.node, frame);
        }
    }
}
