//! What is summed: the stacks of all samples in one tree, below one node for each event.

mod advice;
mod frame_traits;
mod labelled;

use bstr::ByteSlice;
use common::folded::{NO_STACK, clean_frame};
use common::stacks::{FrameId, FrameTable, NodeId, StackTree};
use common::{Result, pipe::Pipe};

use super::events::{Event, Events, shown};
use super::labels::SampleLabels;
use super::sample::OpenSample;
use super::wants::Wants;
use crate::frame::{Frame, FrameArgs};
use frame_traits::FrameTraits;
use labelled::Labelled;

pub(crate) use advice::{Advice, CallChains, Recorded};
pub(super) use labelled::Noted;

/// The sums of samples.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// Whether stacks are kept: not if samples are written as they come. Names of frames always are.
    is_kept: bool,
    /// Whether the events are root frames.
    pub(super) by_event: bool,
    pub(super) frames: FrameTable,
    traits: FrameTraits,
    pub(super) chains: CallChains,
    /// The stacks of each event, below one node per event.
    pub(super) tree: StackTree,
    /// The samples summed by their labels, if lines have labels.
    pub(super) labelled: Option<Labelled>,
    /// A name that is being made, and the same name without control bytes.
    text: Vec<u8>,
    clean: Vec<u8>,
}

impl Sums {
    pub(super) fn new(wants: &Wants) -> Sums {
        // The stacks of slices are needed until these end.
        let (is_kept, by_event) = (!wants.at_once || wants.wall, wants.by_event);
        let labelled = (!wants.at_once && wants.line_labels()).then(Labelled::default);
        Sums { is_kept, by_event, labelled, ..Sums::default() }
    }

    /// The id of the frame with this name.
    #[inline]
    pub(super) fn frame(&mut self, name: &[u8]) -> FrameId {
        self.text.clear();
        clean_frame(name, &mut self.text);
        self.frames.intern(&self.text)
    }

    /// The name of a frame.
    pub(super) fn name(&self, frame: FrameId) -> &[u8] {
        self.frames.name(frame)
    }

    /// Appends the ids of the frames made from a frame, root first: nearly always one; none if the
    /// frame is dropped.
    pub(super) fn frames_of(
        &mut self,
        frame: &Frame<'_>,
        args: &FrameArgs,
        ids: &mut Vec<FrameId>,
    ) {
        let Sums { text, clean, frames, traits, .. } = self;
        args.for_each_name(frame, text, |name| {
            clean.clear();
            clean_frame(name, clean);
            let id = frames.intern(clean);
            traits.note(id, frame);
            ids.push(id);
        });
    }

    /// The node above the stacks of an event, made if it is new.
    pub(super) fn event_node(&mut self, event: &mut Event) -> NodeId {
        *event.node.get_or_insert_with(|| {
            let frame = self.frame(shown(&event.name));
            self.tree.child(StackTree::ROOT, frame)
        })
    }

    /// The node of `frame` below `parent`; meaningless where samples are not summed.
    #[inline]
    pub(super) fn child(&mut self, parent: NodeId, frame: FrameId) -> NodeId {
        if self.is_kept { self.tree.child(parent, frame) } else { parent }
    }

    /// The node of the frame with this name below another.
    pub(super) fn below(&mut self, parent: NodeId, name: &[u8]) -> NodeId {
        let frame = self.frames.intern(name);
        self.tree.child(parent, frame)
    }

    /// Whether the name of any frame of the stack with this leaf contains `part`.
    pub(super) fn has_frame(&self, leaf: NodeId, part: &[u8]) -> bool {
        let up = |node: &NodeId| Some(self.tree.parent(*node));
        std::iter::successors(Some(leaf), up)
            .take_while(|node| *node != StackTree::ROOT)
            .any(|node| self.frames.name(self.tree.frame(node)).contains_str(part))
    }

    /// The leaf of a sample. With `--root none` a sample without frames would be lost, so it gets
    /// one, unless its event is a frame already.
    #[inline]
    pub(super) fn some_frame(&mut self, sample: &OpenSample, leaf: NodeId) -> NodeId {
        if leaf != sample.base || self.by_event || self.tree.parent(leaf) != StackTree::ROOT {
            return leaf;
        }
        let frame = self.frames.intern(NO_STACK);
        self.tree.child(leaf, frame)
    }

    /// Adds a sample with this leaf; its weight is `None` if it does not fit into 64 bits.
    #[inline]
    pub(super) fn add(&mut self, sample: &OpenSample, leaf: NodeId, weight: Option<u64>) {
        let leaf = self.some_frame(sample, leaf);
        if let Some(labelled) = &mut self.labelled {
            labelled.add(labelled.noted, leaf, sample);
        }
        match weight {
            Some(weight) => self.tree.add(leaf, weight),
            None => self.tree.leave_out(leaf, sample.total()),
        }
    }

    /// Adds a weight to the stack with this leaf and these labels.
    pub(super) fn add_weight(&mut self, weight: u64, leaf: NodeId, labels: Noted) {
        self.tree.add(leaf, weight);
        if let Some(labelled) = &mut self.labelled {
            let sample = OpenSample { base: leaf, event: 0, count: weight, weight: 1 };
            labelled.add(labels, leaf, &sample);
        }
    }

    /// The labels of the last sample.
    pub(super) fn noted_labels(&self) -> Noted {
        self.labelled.as_ref().map(|it| it.noted).unwrap_or_default()
    }

    /// Adds the sums of samples without labels that another thread made. `events` are those of the
    /// samples here, `their_events` those of `other`.
    pub(super) fn absorb(
        &mut self,
        mut other: Sums,
        events: &mut Events,
        their_events: &mut Events,
    ) {
        if other.chains != CallChains::None {
            self.chains = other.chains;
        }
        events.absorb(their_events, |ours, theirs| {
            if let Some(their_node) = theirs.node {
                let node = self.event_node(ours);
                let theirs = (&mut theirs.weigher, (their_node, &mut other.tree));
                ours.weigher.agree((node, &mut self.tree), theirs.0, theirs.1);
            }
        });
        let ours: Vec<FrameId> = (0..other.frames.len() as FrameId)
            .map(|frame| self.frames.intern(other.frames.name(frame)))
            .collect();
        self.traits.absorb(&other.traits, &ours);
        self.tree.add_tree(&other.tree, |frame| ours[frame as usize]);
    }

    /// The facts for [`Advice`]. The first `root_frames` frames are not from call chains.
    pub(super) fn recorded(&self, events: &Events, root_frames: u32) -> Recorded<'_> {
        let Sums { tree, frames, traits, chains, .. } = self;
        let samples = events.iter().map(|event| event.all().samples).sum();
        Recorded { tree, frames, traits, chains: *chains, root_frames, samples }
    }

    /// Writes all lines.
    pub(super) fn write(
        mut self,
        events: &Events,
        labels: &SampleLabels,
        pipe: &mut Pipe,
    ) -> Result<()> {
        match self.labelled.take() {
            Some(labelled) => labelled.write((&self, events), labels, pipe),
            None => self.write_tree(events, pipe),
        }
    }

    /// Writes all stacks. In the tree they are below their events, which are written as frames only
    /// if the user asked for that.
    fn write_tree(&self, events: &Events, pipe: &mut Pipe) -> Result<()> {
        let nodes: Vec<_> = events.iter().filter_map(|event| event.node).collect();
        match nodes[..] {
            _ if self.by_event => pipe.write_tree(&self.tree, StackTree::ROOT, &self.frames),
            [node] => pipe.write_tree(&self.tree, node, &self.frames),
            _ => pipe.write_tree(&self.tree.without_roots(), StackTree::ROOT, &self.frames),
        }
    }

    /// Appends the stack with this leaf.
    pub(super) fn append_stack(&self, leaf: NodeId, out: &mut Vec<u8>) {
        self.tree.append_stack(leaf, usize::from(!self.by_event), &self.frames, out);
    }
}
