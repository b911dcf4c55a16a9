//! Counts stacks in a prefix tree over frames, so that memory grows with distinct
//! stacks and not with input.

mod sorted;

use std::collections::BTreeMap;

use hashbrown::HashTable;

use crate::stacks::room::{Room, filled, make_room_in, with_room};
use crate::stacks::{FrameId, FrameTable, Overflows};
use crate::{Error, Result, folded::Frames, io::Total};

/// The number of a node in a [`StackTree`], lower than those of its children.
pub type NodeId = u32;

/// Weights of stacks, root first, in a prefix tree.
#[derive(Clone, Debug)]
pub struct StackTree {
    nodes: Vec<Node>,
    /// The weights of the nodes; the newest nodes may have no entry yet, which means 0. They are
    /// kept apart so that nodes, which are looked up all the time, are closer together.
    weights: Vec<u64>,
    /// All children but the first ones.
    children: HashTable<Child>,
    /// The weights that did not fit, by the node in which their stack ends.
    left_out: BTreeMap<NodeId, Total>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: NodeId,
    frame: FrameId,
    /// Its first child, or the root if it has none.
    first: NodeId,
}

/// A child of `parent`. The frame is also in the node, but that is somewhere else in memory.
#[derive(Clone, Copy, Debug)]
struct Child {
    parent: NodeId,
    frame: FrameId,
    node: NodeId,
}

impl Default for StackTree {
    fn default() -> StackTree {
        let root = Node { parent: 0, frame: FrameId::MAX, first: 0 };
        StackTree {
            nodes: vec![root],
            weights: Vec::new(),
            children: HashTable::new(),
            left_out: BTreeMap::new(),
        }
    }
}

impl StackTree {
    /// The node above every root frame: the empty stack.
    pub const ROOT: NodeId = 0;

    /// The node of `frame` below `parent`, made if it is new.
    ///
    /// # Panics
    ///
    /// When there are 2^32 nodes.
    #[inline]
    pub fn child(&mut self, parent: NodeId, frame: FrameId) -> NodeId {
        let first = self.nodes[parent as usize].first;
        if first != Self::ROOT && self.nodes[first as usize].frame == frame {
            return first;
        }
        self.other_child(parent, frame)
    }

    /// The node of `frame` below `parent`, which is not the first child; made if it is new.
    #[inline(never)]
    fn other_child(&mut self, parent: NodeId, frame: FrameId) -> NodeId {
        let StackTree { nodes, children, .. } = self;
        if nodes[parent as usize].first == Self::ROOT {
            let node = append(nodes, parent, frame);
            nodes[parent as usize].first = node;
            return node;
        }
        let hash = hash_edge(parent, frame);
        let found = children.find(hash, |it| it.parent == parent && it.frame == frame);
        if let Some(child) = found {
            return child.node;
        }
        let node = append(nodes, parent, frame);
        let child = Child { parent, frame, node };
        let hash_of = |it: &Child| hash_edge(it.parent, it.frame);
        make_room_in(children, hash_of);
        children.insert_unique(hash, child, hash_of);
        node
    }

    /// Adds to the weight of the stack that ends in `node`; `weight` is left
    /// out if the sum would not fit, see [`overflows`](StackTree::overflows).
    #[inline]
    pub fn add(&mut self, node: NodeId, weight: u64) {
        let index = node as usize;
        if index >= self.weights.len() {
            self.weights.make_room(self.nodes.len() - self.weights.len());
            self.weights.resize(self.nodes.len(), 0);
        }
        let sum = &mut self.weights[index];
        match sum.checked_add(weight) {
            Some(added) => *sum = added,
            None => self.leave_out(node, weight.into()),
        }
    }

    /// Leaves out a weight of the stack that ends in `node`, as it does not fit into
    /// 64 bits.
    #[cold]
    pub fn leave_out(&mut self, node: NodeId, total: Total) {
        *self.left_out.entry(node).or_default() += total;
    }

    /// The weights that were left out of stacks below `top`, which are named by
    /// their frames below it.
    #[must_use]
    pub fn overflows(&self, top: NodeId, frames: &FrameTable) -> Overflows {
        let mut overflows = Overflows::default();
        for (&node, &total) in &self.left_out {
            if let Some(stack) = self.text(top, node, frames) {
                overflows.leave_out(&stack, total);
            }
        }
        overflows
    }

    /// The stack that ends in `node`, as folded text; `None` if it does not go
    /// through `top`.
    fn text(&self, top: NodeId, node: NodeId, frames: &FrameTable) -> Option<Vec<u8>> {
        let skipped = match top {
            Self::ROOT => 0,
            top => 1 + self.path(node).iter().position(|&node| node == top)?,
        };
        let mut text = Vec::new();
        self.append_stack(node, skipped, frames, &mut text);
        Some(text)
    }

    /// Appends the stack that ends in `node`, as folded text without the first `skipped`
    /// frames.
    pub fn append_stack(
        &self,
        node: NodeId,
        skipped: usize,
        frames: &FrameTable,
        out: &mut Vec<u8>,
    ) {
        for (depth, &node) in self.path(node).iter().skip(skipped).enumerate() {
            if depth > 0 {
                out.push(b';');
            }
            out.extend_from_slice(frames.name(self.frame(node)));
        }
    }

    /// The nodes from below the root to `node`.
    #[must_use]
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let parents = std::iter::successors(Some(node), |&node| Some(self.parent(node)));
        let mut path: Vec<NodeId> = parents.take_while(|&node| node != Self::ROOT).collect();
        path.reverse();
        path
    }

    /// Adds a folded stack, interning its frames in `frames`.
    pub fn add_stack(&mut self, frames: &mut FrameTable, stack: &[u8], weight: u64) {
        let node = self.stack(frames, stack);
        self.add(node, weight);
    }

    /// The node in which a folded stack ends, made if it is new; its frames
    /// are interned in `frames`.
    pub fn stack(&mut self, frames: &mut FrameTable, stack: &[u8]) -> NodeId {
        let step = |node, frame| self.child(node, frames.intern(frame));
        Frames::new(stack).fold(Self::ROOT, step)
    }

    /// Adds all stacks of `other`; `ours` gives the number its frames have here.
    pub fn add_tree(&mut self, other: &StackTree, ours: impl Fn(FrameId) -> FrameId) {
        self.add_nodes(other, |node| Some(ours(node.frame)));
    }

    /// Adds all stacks of `other` without the nodes for which `ours` gives no number of a frame.
    fn add_nodes(&mut self, other: &StackTree, ours: impl Fn(&Node) -> Option<FrameId>) {
        let mut nodes = filled(Self::ROOT, other.nodes.len());
        for (index, node) in other.nodes.iter().enumerate().skip(1) {
            if let Some(frame) = ours(node) {
                nodes[index] = self.child(nodes[node.parent as usize], frame);
                self.add(nodes[index], other.self_weight(index as NodeId));
            }
        }
        for (&node, &total) in &other.left_out {
            self.leave_out(nodes[node as usize], total);
        }
    }

    /// Multiplies the weights of `top` and all nodes below it, as when samples turn out to be
    /// periods. If a product does not fit, the greatest multiple of `factor` that fits is kept, and
    /// the rest is left out.
    pub fn scale_below(&mut self, top: NodeId, factor: u64) {
        let most = u64::MAX.checked_div(factor).unwrap_or(u64::MAX);
        let mut is_below = filled(false, self.nodes.len());
        for index in top as usize..self.nodes.len() {
            is_below[index] = index == top as usize || is_below[self.nodes[index].parent as usize];
            if !is_below[index] {
                continue;
            }
            let node = index as NodeId;
            if let Some(total) = self.left_out.get_mut(&node) {
                total.weight = total.weight.saturating_mul(factor.into());
            }
            let Some(weight) = self.weights.get_mut(index) else { continue };
            let lines = weight.saturating_sub(most);
            *weight = (*weight - lines) * factor;
            if lines > 0 {
                let weight = u128::from(lines) * u128::from(factor);
                self.leave_out(node, Total { lines, weight });
            }
        }
    }

    /// All stacks without their root frames, equal ones summed.
    #[must_use]
    pub fn without_roots(&self) -> StackTree {
        let mut tree = StackTree::default();
        tree.add_nodes(self, |node| (node.parent != Self::ROOT).then_some(node.frame));
        tree
    }

    /// How many nodes there are, the root included; ids are below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no stack was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// The node above; the root is its own parent.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.nodes[node as usize].parent
    }

    /// The frame of a node other than the root.
    #[must_use]
    pub fn frame(&self, node: NodeId) -> FrameId {
        self.nodes[node as usize].frame
    }

    /// The weight of the stack that ends in `node`, without that of longer stacks.
    #[must_use]
    pub fn self_weight(&self, node: NodeId) -> u64 {
        self.weights.get(node as usize).copied().unwrap_or_default()
    }

    /// For each node, the weight of it and all below it.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub fn total_weights(&self) -> Result<Vec<u64>> {
        let mut totals = with_room(self.nodes.len());
        totals.extend_from_slice(&self.weights);
        totals.resize(self.nodes.len(), 0);
        for node in (1..self.nodes.len()).rev() {
            let parent = self.nodes[node].parent as usize;
            totals[parent] = totals[parent].checked_add(totals[node]).ok_or(Error::Overflow)?;
        }
        Ok(totals)
    }

    /// The children of each node, in the order in which they were added.
    #[must_use]
    pub fn children(&self) -> Children {
        let mut starts = filled(0u32, self.nodes.len() + 1);
        for node in &self.nodes[1..] {
            starts[node.parent as usize] += 1;
        }
        // Where the children of each node end, which is where those of the next start.
        let mut sum = 0;
        for count in &mut starts {
            sum += *count;
            *count = sum;
        }
        let mut nodes = filled(0, self.nodes.len() - 1);
        for id in (1..self.nodes.len()).rev() {
            let start = &mut starts[self.nodes[id].parent as usize];
            *start -= 1;
            nodes[*start as usize] = id as NodeId;
        }
        Children { starts, nodes }
    }
}

/// The children of every node of a [`StackTree`].
#[derive(Clone, Debug)]
pub struct Children {
    starts: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Children {
    /// The children of `node`.
    #[must_use]
    pub fn of(&self, node: NodeId) -> &[NodeId] {
        let node = node as usize;
        &self.nodes[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// A new node of weight 0 below `parent`; it is not yet one of its children.
#[inline]
fn append(nodes: &mut Vec<Node>, parent: NodeId, frame: FrameId) -> NodeId {
    let node = NodeId::try_from(nodes.len()).expect("fewer than 2^32 distinct stacks");
    nodes.make_room(1);
    nodes.push(Node { parent, frame, first: StackTree::ROOT });
    node
}

/// The hash of an edge, for a table that uses the lowest and the highest bits.
#[inline]
fn hash_edge(parent: NodeId, frame: FrameId) -> u64 {
    let edge = u64::from(parent) << 32 | u64::from(frame);
    let mixed = u128::from(edge ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    (mixed as u64) ^ ((mixed >> 64) as u64)
}

#[cfg(test)]
mod tests;
