//! Counting: a prefix tree over frames, so that memory grows with distinct
//! stacks and not with input.

use std::cmp::Reverse;

use hashbrown::HashTable;

use crate::stacks::line_texts::LineTexts;
use crate::{Error, FrameId, FrameTable, Frames, Result};

/// The number of a node in a [`StackTree`]; a parent's is below its children's.
pub type NodeId = u32;

/// Weights of stacks, root first, in a prefix tree.
#[derive(Clone, Debug)]
pub struct StackTree {
    nodes: Vec<Node>,
    /// Of the nodes, but perhaps for the newest, whose weights are 0. Nodes, which
    /// are looked up all the time, lie closer together without them.
    weights: Vec<u64>,
    children: HashTable<NodeId>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: NodeId,
    frame: FrameId,
    /// Its first child; the root if there is none.
    first: NodeId,
}

impl Default for StackTree {
    fn default() -> StackTree {
        let root = Node { parent: 0, frame: FrameId::MAX, first: 0 };
        StackTree { nodes: vec![root], weights: Vec::new(), children: HashTable::new() }
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
        let StackTree { nodes, children, .. } = self;
        let first = nodes[parent as usize].first;
        if first == Self::ROOT {
            let node = append(nodes, parent, frame);
            nodes[parent as usize].first = node;
            return node;
        }
        if nodes[first as usize].frame == frame {
            return first;
        }
        let hash = hash_edge(parent, frame);
        let found = children.find(hash, |&node| {
            let node = &nodes[node as usize];
            node.parent == parent && node.frame == frame
        });
        if let Some(&node) = found {
            return node;
        }
        let node = append(nodes, parent, frame);
        children.insert_unique(hash, node, |&node| {
            let node = &nodes[node as usize];
            hash_edge(node.parent, node.frame)
        });
        node
    }

    /// Adds to the weight of the stack that ends in `node`.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when the sum does not fit.
    #[inline]
    pub fn add(&mut self, node: NodeId, weight: u64) -> Result<()> {
        let index = node as usize;
        if index >= self.weights.len() {
            self.weights.resize(self.nodes.len(), 0);
        }
        let sum = &mut self.weights[index];
        *sum = sum.checked_add(weight).ok_or(Error::Overflow)?;
        Ok(())
    }

    /// Adds a folded stack, interning its frames in `frames`.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when the sum does not fit.
    pub fn add_stack(&mut self, frames: &mut FrameTable, stack: &[u8], weight: u64) -> Result<()> {
        let node = self.stack(frames, stack);
        self.add(node, weight)
    }

    /// The node in which a folded stack ends, made if it is new; its frames
    /// are interned in `frames`.
    pub fn stack(&mut self, frames: &mut FrameTable, stack: &[u8]) -> NodeId {
        let step = |node, frame| self.child(node, frames.intern(frame));
        Frames::new(stack).fold(Self::ROOT, step)
    }

    /// Adds all stacks of `other`; `ours` gives the number its frames have here.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub fn add_tree(&mut self, other: &StackTree, ours: impl Fn(FrameId) -> FrameId) -> Result<()> {
        let mut nodes = vec![Self::ROOT; other.nodes.len()];
        for (index, node) in other.nodes.iter().enumerate().skip(1) {
            nodes[index] = self.child(nodes[node.parent as usize], ours(node.frame));
            self.add(nodes[index], other.self_weight(index as NodeId))?;
        }
        Ok(())
    }

    /// Multiplies the weights of `top` and all below it, as when samples turn out
    /// to be periods.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a product does not fit.
    pub fn scale_below(&mut self, top: NodeId, factor: u64) -> Result<()> {
        let mut is_below = vec![false; self.nodes.len()];
        for node in top as usize..self.weights.len() {
            is_below[node] = node == top as usize || is_below[self.nodes[node].parent as usize];
            if is_below[node] {
                let weight = &mut self.weights[node];
                *weight = weight.checked_mul(factor).ok_or(Error::Overflow)?;
            }
        }
        Ok(())
    }

    /// All stacks without their root frames, equal ones summed.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub fn without_roots(&self) -> Result<StackTree> {
        let mut tree = StackTree::default();
        let mut nodes = vec![Self::ROOT; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if node.parent != Self::ROOT {
                nodes[index] = tree.child(nodes[node.parent as usize], node.frame);
                tree.add(nodes[index], self.self_weight(index as NodeId))?;
            }
        }
        Ok(tree)
    }

    /// How many nodes there are, the root included; ids are below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if and only if no stack was added.
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

    /// The weight of the stack that ends in `node`, what lies below excluded.
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
        let mut totals = self.weights.clone();
        totals.resize(self.nodes.len(), 0);
        for node in (1..self.nodes.len()).rev() {
            let parent = self.nodes[node].parent as usize;
            totals[parent] = totals[parent].checked_add(totals[node]).ok_or(Error::Overflow)?;
        }
        Ok(totals)
    }

    /// For each node its children, in the order they came.
    #[must_use]
    pub fn children(&self) -> Children {
        let mut starts = vec![0u32; self.nodes.len() + 1];
        for node in &self.nodes[1..] {
            starts[node.parent as usize + 1] += 1;
        }
        for node in 0..self.nodes.len() {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut nodes = vec![0; self.nodes.len() - 1];
        for (node, id) in self.nodes[1..].iter().zip(1..) {
            let slot = &mut next[node.parent as usize];
            nodes[*slot as usize] = id;
            *slot += 1;
        }
        Children { starts, nodes }
    }

    /// Hands every stack below `top` to `each`, as folded text of the frames below
    /// it, sorted by its bytes: the order of `LC_ALL=C sort` on the stacks. Stacks
    /// of weight 0 are left out.
    ///
    /// # Errors
    ///
    /// The first one that `each` returns.
    pub fn for_each_sorted(
        &self,
        top: NodeId,
        frames: &FrameTable,
        mut each: impl FnMut(&[u8], u64) -> Result<()>,
    ) -> Result<()> {
        let (children, texts) = (self.children(), LineTexts::of(frames));
        let mut text = Vec::new();
        let mut pending = Vec::new();
        self.push_sorted_steps(&children, top, 0, &texts, &mut pending);
        while let Some(step) = pending.pop() {
            text.truncate(step.prefix);
            texts.append(step.text, &mut text);
            if step.below {
                self.push_sorted_steps(&children, step.node, text.len(), &texts, &mut pending);
            } else {
                each(&text, self.self_weight(step.node))?;
            }
        }
        Ok(())
    }

    /// Adds what follows below `parent`, last first.
    fn push_sorted_steps(
        &self,
        children: &Children,
        parent: NodeId,
        prefix: usize,
        texts: &LineTexts<'_>,
        pending: &mut Vec<Step>,
    ) {
        let start = pending.len();
        for &node in children.of(parent) {
            let frame = self.frame(node);
            if self.self_weight(node) > 0 {
                pending.push(Step { text: texts.leaf(frame), node, prefix, below: false });
            }
            if !children.of(node).is_empty() {
                pending.push(Step { text: texts.inner(frame), node, prefix, below: true });
            }
        }
        pending[start..].sort_unstable_by_key(|step| Reverse(step.text));
    }
}

/// A text of a line that is to be written.
struct Step {
    /// Its place in [`LineTexts`].
    text: u32,
    node: NodeId,
    /// How much of the line so far is the parent's, its `;` included.
    prefix: usize,
    /// More follows, else the line ends.
    below: bool,
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

/// A new node of weight 0 below `parent`, which does not know it yet.
#[inline]
fn append(nodes: &mut Vec<Node>, parent: NodeId, frame: FrameId) -> NodeId {
    let node = NodeId::try_from(nodes.len()).expect("fewer than 2^32 distinct stacks");
    nodes.push(Node { parent, frame, first: StackTree::ROOT });
    node
}

/// Mixes an edge well enough for a table that looks at the low and the top
/// bits of a hash.
#[inline]
fn hash_edge(parent: NodeId, frame: FrameId) -> u64 {
    let edge = u64::from(parent) << 32 | u64::from(frame);
    let mixed = u128::from(edge ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    (mixed as u64) ^ ((mixed >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_of(lines: &[(&str, u64)]) -> (StackTree, FrameTable) {
        let (mut tree, mut frames) = (StackTree::default(), FrameTable::default());
        for (stack, weight) in lines {
            tree.add_stack(&mut frames, stack.as_bytes(), *weight).expect("small weights");
        }
        (tree, frames)
    }

    fn sorted(lines: &[(&str, u64)]) -> Vec<String> {
        let (tree, frames) = tree_of(lines);
        let mut out = Vec::new();
        tree.for_each_sorted(StackTree::ROOT, &frames, |stack, weight| {
            out.push(format!("{} {weight}", String::from_utf8_lossy(stack)));
            Ok(())
        })
        .expect("nothing fails here");
        out
    }

    #[test]
    fn equal_stacks_are_summed() {
        assert_eq!(sorted(&[("a;b", 1), ("a", 2), ("a;b", 3)]), ["a 2", "a;b 4"]);
    }

    #[test]
    fn the_order_is_that_of_the_text() {
        let lines =
            [("a;c", 1), ("a b;c", 1), ("a", 1), ("a!", 1), ("a b", 1), (";x", 1), ("ab", 1)];
        let mut texts: Vec<_> = lines.iter().map(|(stack, _)| (*stack).to_owned()).collect();
        texts.sort();
        let ours = sorted(&lines);
        assert_eq!(ours, texts.iter().map(|text| format!("{text} 1")).collect::<Vec<_>>());
    }

    #[test]
    fn totals_hold_what_lies_below() {
        let (tree, _) = tree_of(&[("a;b;c", 5), ("a;b", 1), ("d", 7)]);
        assert_eq!(tree.total_weights().expect("small"), [13, 6, 6, 5, 7]);
    }

    #[test]
    fn a_sum_that_does_not_fit_is_an_error() {
        let (mut tree, mut frames) = tree_of(&[("a", u64::MAX)]);
        assert!(matches!(tree.add_stack(&mut frames, b"a", 1), Err(Error::Overflow)));
        tree.add_stack(&mut frames, b"b", 1).expect("another stack");
        assert!(matches!(tree.total_weights(), Err(Error::Overflow)));
    }

    #[test]
    fn trees_add_up_and_scale() {
        let mut frames = FrameTable::default();
        let (mut one, mut two) = (StackTree::default(), StackTree::default());
        one.add_stack(&mut frames, b"a;b", 1).expect("small");
        two.add_stack(&mut frames, b"a;b", 2).expect("small");
        two.add_stack(&mut frames, b"c", 3).expect("small");
        one.add_tree(&two, |frame| frame).expect("small");
        one.scale_below(StackTree::ROOT, 10).expect("small");
        assert_eq!(one.total_weights().expect("small"), [60, 30, 30, 30]);
        assert!(matches!(one.scale_below(StackTree::ROOT, u64::MAX), Err(Error::Overflow)));
    }

    #[test]
    fn ten_thousand_frames_deep_is_no_trouble() {
        let deep = ["f"; 10_000].join(";");
        assert_eq!(sorted(&[(&deep, 1), (&deep, 2)]), [format!("{deep} 3")]);
    }
}
