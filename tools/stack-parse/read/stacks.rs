//! Stacks of numbered frames, kept until the names of the frames are known.

use common::Result;
use common::stacks::{FrameId, FrameTable, NodeId};
use hashbrown::HashMap;

use super::own_labels::with_object;
use crate::frame::Frame;
use crate::samples::Samples;
use crate::samples::sample::Sample;

/// The number of a stack.
pub(crate) type StackId = u32;

/// Distinct stacks of numbered frames.
pub(crate) struct Stacks {
    nodes: Vec<Node>,
    /// The stack of these callers and this frame.
    above: HashMap<(StackId, u32), StackId>,
    /// A buffer for the stacks on the way from the root to a leaf, leaf first.
    path: Vec<StackId>,
}

/// A frame, on the stack of its callers.
struct Node {
    callers: StackId,
    frame: u32,
    /// The node of the root frames that were used last, and the node of this stack below it.
    known: Option<(NodeId, NodeId)>,
    /// Whether the functions that are inlined there are shown; `None` until it is asked.
    shows_inlined: Option<bool>,
}

/// The names of the frames that a file numbers.
#[derive(Default)]
pub(crate) struct FrameNames {
    ids: Vec<FrameId>,
    /// Where the ids of each frame end: most have one, those left out none.
    ends: Vec<usize>,
    /// The ids of every frame after the last one.
    others: Vec<FrameId>,
    /// The object of each frame, if its label is wanted.
    objects: Vec<FrameId>,
    object_names: FrameTable,
}

impl Default for Stacks {
    fn default() -> Stacks {
        let empty = Node::new(Stacks::EMPTY, 0);
        Stacks { nodes: vec![empty], above: HashMap::new(), path: Vec::new() }
    }
}

impl Stacks {
    /// The stack without frames.
    pub(crate) const EMPTY: StackId = 0;

    /// The stack in which `callers` called `frame`.
    pub(crate) fn call(&mut self, callers: StackId, frame: u32) -> StackId {
        let Stacks { nodes, above, .. } = self;
        *above.entry((callers, frame)).or_insert_with(|| {
            nodes.push(Node::new(callers, frame));
            (nodes.len() - 1) as StackId
        })
    }

    /// Adds a sample with this stack, below its root frames.
    pub(crate) fn add(
        &mut self,
        origin: &Sample<'_>,
        stack: StackId,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let object = names.object(self.nodes[stack as usize].frame);
        let labels = with_object(origin.labels, if stack == Stacks::EMPTY { b"" } else { object });
        let origin = Sample { labels: &labels, ..*origin };
        let Some(sample) = samples.open(&origin) else { return Ok(()) };
        let leaf = self.node(sample.base, stack, names, samples);
        if !samples.wants.at_once {
            return samples.close(sample, leaf, std::iter::empty());
        }
        self.find_path(stack, |_| false);
        let nodes = self.path.iter().rev().map(|&stack| &self.nodes[stack as usize]);
        let frames = nodes.flat_map(|node| node.frames(names));
        samples.close(sample, leaf, frames.copied())
    }

    /// The node of a stack below `base`.
    fn node(
        &mut self,
        base: NodeId,
        stack: StackId,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> NodeId {
        let known = |node: &Node| node.known.filter(|(known_base, _)| *known_base == base);
        let start = self.find_path(stack, |node| known(node).is_some());
        let mut at = known(&self.nodes[start as usize]).map_or(base, |(_, node)| node);
        for &stack in self.path.iter().rev() {
            let node = &mut self.nodes[stack as usize];
            node.shows_inlined.get_or_insert_with(|| {
                let frames = names.of(node.frame).len();
                samples.inlined.take_listed(frames) == frames
            });
            at = node.frames(names).iter().fold(at, |at, &frame| samples.child(at, frame));
            node.known = Some((base, at));
        }
        at
    }

    /// Sets `path` to the stacks from this one to the first for which `is_end` is true, or to the
    /// empty one. That one is returned, and is not in `path`.
    fn find_path(&mut self, stack: StackId, is_end: impl Fn(&Node) -> bool) -> StackId {
        self.path.clear();
        let mut stack = stack;
        while stack != Stacks::EMPTY && !is_end(&self.nodes[stack as usize]) {
            self.path.push(stack);
            stack = self.nodes[stack as usize].callers;
        }
        stack
    }
}

impl Node {
    fn new(callers: StackId, frame: u32) -> Node {
        Node { callers, frame, known: None, shows_inlined: None }
    }

    /// Its function, and those that are inlined there, root first.
    fn frames<'a>(&self, names: &'a FrameNames) -> &'a [FrameId] {
        match names.of(self.frame) {
            [outermost, ..] if self.shows_inlined == Some(false) => std::slice::from_ref(outermost),
            frames => frames,
        }
    }
}

impl FrameNames {
    /// Names the next frame.
    pub(crate) fn push(&mut self, frame: &Frame<'_>, samples: &mut Samples<'_>) {
        samples.frames(frame, &mut self.ids);
        self.ends.push(self.ids.len());
        if samples.wants.label(b"object") {
            self.objects.push(self.object_names.intern(frame.known_object()));
        }
    }

    /// Names the next frame with frames that were looked up before, root first: several if
    /// functions were inlined.
    pub(crate) fn push_named(&mut self, frames: &[FrameId], object: &[u8], samples: &Samples<'_>) {
        self.ids.extend_from_slice(frames);
        self.ends.push(self.ids.len());
        if samples.wants.label(b"object") {
            self.objects.push(self.object_names.intern(object));
        }
    }

    /// Names all frames that are not named one by one.
    pub(crate) fn name_others(&mut self, frame: &Frame<'_>, samples: &mut Samples<'_>) {
        self.others.clear();
        samples.frames(frame, &mut self.others);
    }

    /// How many frames have their own names.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The object of a frame, if it is known.
    fn object(&self, frame: u32) -> &[u8] {
        let object = self.objects.get(frame as usize);
        object.map_or(b"", |object| self.object_names.name(*object))
    }

    fn of(&self, frame: u32) -> &[FrameId] {
        let frame = frame as usize;
        let Some(&end) = self.ends.get(frame) else { return &self.others };
        let start = if frame == 0 { 0 } else { self.ends[frame - 1] };
        &self.ids[start..end]
    }
}
