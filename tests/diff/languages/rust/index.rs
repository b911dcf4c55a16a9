//! A tree of words, and searches in it.

use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use crate::Random;

#[derive(Default)]
struct Node {
    children: Vec<(u8, Box<Node>)>,
    pages: BTreeSet<usize>,
}

impl Node {
    fn child(&mut self, letter: u8) -> &mut Node {
        let place = match self.children.binary_search_by_key(&letter, |it| it.0) {
            Ok(place) => place,
            Err(place) => {
                self.children.insert(place, (letter, Box::default()));
                place
            }
        };
        &mut self.children[place].1
    }

    #[inline(never)]
    fn insert(&mut self, word: &str, page: usize) {
        let mut node = self;
        for letter in word.bytes() {
            node = node.child(letter);
        }
        node.pages.insert(page);
    }

    #[inline(never)]
    fn find(&self, word: &str) -> Option<&BTreeSet<usize>> {
        let mut node = self;
        for letter in word.bytes() {
            let place = node.children.binary_search_by_key(&letter, |it| it.0).ok()?;
            node = &node.children[place].1;
        }
        Some(&node.pages)
    }

    fn size(&self) -> usize {
        1 + self.children.iter().map(|(_, child)| child.size()).sum::<usize>()
    }
}

#[inline(never)]
fn build(pages: &[String]) -> Node {
    let mut root = Node::default();
    for (number, page) in pages.iter().enumerate() {
        for word in page.split([' ', '\n']) {
            root.insert(word, number);
        }
    }
    root
}

#[inline(never)]
fn neighbours(count: usize, random: &mut Random) -> Vec<Vec<(usize, u64)>> {
    let ways = |random: &mut Random| (random.below(count), 1 + random.next() % 50);
    (0..count).map(|_| (0..6).map(|_| ways(random)).collect()).collect()
}

#[inline(never)]
fn shortest(graph: &[Vec<(usize, u64)>]) -> u64 {
    let mut away = vec![u64::MAX; graph.len()];
    let mut waiting = BinaryHeap::from([(std::cmp::Reverse(0), 0)]);
    while let Some((std::cmp::Reverse(so_far), place)) = waiting.pop() {
        if so_far >= away[place] {
            continue;
        }
        away[place] = so_far;
        waiting.extend(graph[place].iter().map(|&(to, way)| (std::cmp::Reverse(so_far + way), to)));
    }
    away.iter().filter(|&&it| it < u64::MAX).sum()
}

#[inline(never)]
fn reachable(graph: &[Vec<(usize, u64)>]) -> usize {
    let mut seen = vec![false; graph.len()];
    let mut waiting = VecDeque::from([0]);
    while let Some(place) = waiting.pop_front() {
        if !std::mem::replace(&mut seen[place], true) {
            waiting.extend(graph[place].iter().map(|it| it.0));
        }
    }
    seen.iter().filter(|&&it| it).count()
}

pub fn search(pages: &[String], random: &mut Random) -> u64 {
    let root = build(pages);
    let words = pages[0].split(' ');
    let found: usize = words.filter_map(|word| root.find(word)).map(BTreeSet::len).sum();
    let graph = neighbours(1200, random);
    (found + root.size() + reachable(&graph)) as u64 + shortest(&graph)
}
