//! The maps of a process: which part of which object is at which addresses.
//!
//! A process that forks hands all its maps to its child, and each of the two then changes a few. So
//! maps are in a balanced tree with nodes that never change: a copy of the tree is one pointer, and
//! a change makes new nodes only on the path to the changed map. However many processes have a
//! copy, memory grows only with the changes.

use std::cell::Cell;
use std::rc::Rc;

/// A part of an object in the memory of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Map<O> {
    pub(crate) start: u64,
    /// The first address after it.
    pub(crate) end: u64,
    /// Where in the object `start` is.
    pub(crate) offset: u64,
    pub(crate) object: O,
}

impl<O> Map<O> {
    /// Where in the object `address` is.
    #[inline]
    pub(crate) fn offset_of(&self, address: u64) -> u64 {
        address.wrapping_sub(self.start).wrapping_add(self.offset)
    }
}

/// Maps that do not overlap, sorted by address.
#[derive(Clone, Debug)]
pub(crate) struct Maps<O: Copy> {
    tree: Tree<O>,
    /// The map that was found last.
    last: Cell<Option<Map<O>>>,
}

type Tree<O> = Option<Rc<Node<O>>>;

/// The heights of `left` and `right` differ by at most 1.
#[derive(Debug)]
struct Node<O> {
    left: Tree<O>,
    map: Map<O>,
    right: Tree<O>,
    height: u8,
}

impl<O: Copy> Default for Maps<O> {
    fn default() -> Maps<O> {
        Maps { tree: None, last: Cell::new(None) }
    }
}

impl<O: Copy> Maps<O> {
    /// The map that holds `address`.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<Map<O>> {
        // The frames of a stack are mostly in one file.
        match self.last.get() {
            Some(map) if map.start <= address && address < map.end => Some(map),
            _ => self.search(address),
        }
    }

    fn search(&self, address: u64) -> Option<Map<O>> {
        let found = self.first_after(address).filter(|map| map.start <= address);
        if found.is_some() {
            self.last.set(found);
        }
        found
    }

    /// Whether any map has some of these addresses.
    pub(crate) fn overlap(&self, start: u64, end: u64) -> bool {
        self.first_after(start).is_some_and(|old| old.start < end)
    }

    /// The first map that ends after `address`.
    fn first_after(&self, address: u64) -> Option<Map<O>> {
        let (mut tree, mut first) = (&self.tree, None);
        while let Some(node) = tree {
            let is_after = node.map.end > address;
            if is_after {
                first = Some(node.map);
            }
            tree = if is_after { &node.left } else { &node.right };
        }
        first
    }

    /// Adds a map. Other maps lose the addresses that they share with it.
    pub(crate) fn insert(&mut self, map: Map<O>) {
        self.replace(map.start, map.end, Some(map));
    }

    /// Removes the maps of these addresses.
    pub(crate) fn remove(&mut self, start: u64, end: u64) {
        self.replace(start, end, None);
    }

    fn replace(&mut self, start: u64, end: u64, map: Option<Map<O>>) {
        if start >= end {
            return;
        }
        self.last.set(None);
        let (before, rest) = split(&self.tree, &|old| old.end <= start);
        let (covered, after) = split(&rest, &|old| old.start < end);
        let left = leftmost(&covered).filter(|old| old.start < start);
        let left = left.map(|old| Map { end: start, ..old });
        let right = rightmost(&covered).filter(|old| old.end > end);
        let right = right.map(|old| Map { start: end, offset: old.offset_of(end), ..old });
        let added = left.into_iter().chain(map).chain(right);
        let before = added.fold(before, |before, map| join(before, map, None));
        self.tree = concatenate(before, after);
    }
}

fn height<O>(tree: &Tree<O>) -> u8 {
    tree.as_ref().map_or(0, |node| node.height)
}

fn leftmost<O: Copy>(tree: &Tree<O>) -> Option<Map<O>> {
    let mut node = tree.as_ref()?;
    while let Some(left) = &node.left {
        node = left;
    }
    Some(node.map)
}

fn rightmost<O: Copy>(tree: &Tree<O>) -> Option<Map<O>> {
    let mut node = tree.as_ref()?;
    while let Some(right) = &node.right {
        node = right;
    }
    Some(node.map)
}

/// A node above two trees whose heights differ by at most 1.
fn node<O>(left: Tree<O>, map: Map<O>, right: Tree<O>) -> Tree<O> {
    let height = 1 + height(&left).max(height(&right));
    Some(Rc::new(Node { left, map, right, height }))
}

/// A node above two trees whose heights differ by at most 2; rotates them where it is 2.
fn balanced<O: Copy>(left: Tree<O>, map: Map<O>, right: Tree<O>) -> Tree<O> {
    match (&left, &right) {
        (Some(high), _) if high.height > height(&right) + 1 => match &high.right {
            Some(middle) if middle.height > height(&high.left) => node(
                node(high.left.clone(), high.map, middle.left.clone()),
                middle.map,
                node(middle.right.clone(), map, right),
            ),
            middle => node(high.left.clone(), high.map, node(middle.clone(), map, right)),
        },
        (_, Some(high)) if high.height > height(&left) + 1 => match &high.left {
            Some(middle) if middle.height > height(&high.right) => node(
                node(left, map, middle.left.clone()),
                middle.map,
                node(middle.right.clone(), high.map, high.right.clone()),
            ),
            middle => node(node(left, map, middle.clone()), high.map, high.right.clone()),
        },
        _ => node(left, map, right),
    }
}

/// All maps of `left`, then `map`, then all of `right`.
fn join<O: Copy>(left: Tree<O>, map: Map<O>, right: Tree<O>) -> Tree<O> {
    match (&left, &right) {
        (Some(high), _) if high.height > height(&right) + 1 => {
            balanced(high.left.clone(), high.map, join(high.right.clone(), map, right))
        }
        (_, Some(high)) if high.height > height(&left) + 1 => {
            balanced(join(left, map, high.left.clone()), high.map, high.right.clone())
        }
        _ => node(left, map, right),
    }
}

/// All maps of `left`, then all of `right`.
fn concatenate<O: Copy>(left: Tree<O>, right: Tree<O>) -> Tree<O> {
    let Some(first) = leftmost(&right) else { return left };
    let (_, rest) = split(&right, &|map| map.start <= first.start);
    join(left, first, rest)
}

/// The first maps, for which `is_before` holds, and the others.
fn split<O: Copy>(tree: &Tree<O>, is_before: &impl Fn(&Map<O>) -> bool) -> (Tree<O>, Tree<O>) {
    let Some(Node { left, map, right, .. }) = tree.as_deref() else { return (None, None) };
    if is_before(map) {
        let (before, after) = split(right, is_before);
        (join(left.clone(), *map, before), after)
    } else {
        let (before, after) = split(left, is_before);
        (before, join(after, *map, right.clone()))
    }
}

#[cfg(test)]
impl<O: Copy> Maps<O> {
    /// Whether the maps are in order, and each node is as high as it says.
    pub(crate) fn are_in_order(&self) -> bool {
        fn check<O: Copy>(tree: &Tree<O>, maps: &mut Vec<Map<O>>) -> Option<u8> {
            let Some(node) = tree else { return Some(0) };
            let left = check(&node.left, maps)?;
            maps.push(node.map);
            let right = check(&node.right, maps)?;
            let is_right = left.abs_diff(right) <= 1 && node.height == 1 + left.max(right);
            is_right.then_some(node.height)
        }
        let mut maps = Vec::new();
        check(&self.tree, &mut maps).is_some()
            && maps.windows(2).all(|pair| pair[0].end <= pair[1].start)
    }

    /// Adds the addresses of all nodes, which copies share, to a set.
    pub(crate) fn add_nodes(&self, nodes: &mut std::collections::HashSet<usize>) {
        let mut pending: Vec<&Rc<Node<O>>> = self.tree.iter().collect();
        while let Some(node) = pending.pop() {
            if nodes.insert(Rc::as_ptr(node) as usize) {
                pending.extend(node.left.iter().chain(&node.right));
            }
        }
    }
}
