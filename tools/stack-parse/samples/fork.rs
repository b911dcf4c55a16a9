//! Lets another thread sum a part of the samples, and adds its sums to those of this one.

use common::stacks::FrameId;

use super::sink::Sink;
use super::{CallChains, Samples};

impl Samples<'_> {
    /// Whether another thread can help: it would treat samples the same, whatever came before them.
    pub(crate) fn can_fork(&self) -> bool {
        let is_summed = matches!(self.sink, Sink::Sum) && self.labelled.is_none();
        (is_summed || matches!(self.sink, Sink::List)) && self.events.is_chosen()
    }

    /// Empty sums that treat this input the same, for another thread.
    pub(crate) fn fork(&self) -> Samples<'static> {
        let (args, events) = (self.args.clone(), self.events.fork());
        let mut fork = Samples::of(args, None, events, self.window.clone());
        fork.input = self.input.clone();
        fork
    }

    /// Adds the sums of a fork.
    pub(crate) fn absorb(&mut self, mut other: Samples<'_>) {
        if other.chains != CallChains::None {
            self.chains = other.chains;
        }
        self.facts.absorb(other.facts);
        let Samples { events, tree, frames, .. } = self;
        events.absorb(&mut other.events, |ours, theirs| {
            if let Some(their_node) = theirs.node {
                let node = ours.node_in(tree, frames);
                let their_tree = &mut other.tree;
                ours.weigher.agree((node, tree), &mut theirs.weigher, (their_node, their_tree));
            }
        });
        let ours: Vec<FrameId> = (0..other.frames.len() as FrameId)
            .map(|frame| self.frames.intern(other.frames.name(frame)))
            .collect();
        self.traits.absorb(&other.traits, &ours);
        self.tree.add_tree(&other.tree, |frame| ours[frame as usize]);
    }
}
