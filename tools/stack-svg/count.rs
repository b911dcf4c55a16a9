//! From folded lines to a profile: merged as a tree, or in the order they
//! come; one count a line, or two.

use common::{Error, Files, FoldedLine, FrameId, FrameTable, NodeId, Pipe, Result, StackTree};

use crate::profile::{LeftOut, Node, Profile};

/// The stacks of one profile or of two, merged.
#[derive(Default)]
pub(crate) struct Counted {
    pub(crate) tree: StackTree,
    pub(crate) frames: FrameTable,
    /// For each node, what the first of two profiles has of its self weight;
    /// empty for one profile.
    pub(crate) before: Vec<u64>,
}

/// Counts lines with one count.
pub(crate) fn one_count(files: &Files, pipe: &mut Pipe) -> Result<Counted> {
    let mut counted = Counted::default();
    pipe.for_each_folded(files, |line| {
        counted.tree.add_stack(&mut counted.frames, line.stack, line.count)
    })?;
    Ok(counted)
}

/// Counts lines with two counts: `stack before after`. Both are weight of the
/// stack, so that a frame that is gone is as well seen as one that is new.
pub(crate) fn two_counts(files: &Files, pipe: &mut Pipe) -> Result<Counted> {
    let Counted { mut tree, mut frames, mut before } = Counted::default();
    pipe.for_each_input(files, |input, pipe| {
        let mut strangers = Strangers { input: input.name().to_owned(), seen: 0 };
        pipe.read_folded(input, |line, pipe| {
            let Ok(first) = FoldedLine::parse(line.stack) else {
                strangers.complain(&line, pipe);
                return Ok(());
            };
            pipe.accounts.read.weight += u128::from(first.count);
            let mut node = StackTree::ROOT;
            for frame in first.frames() {
                node = tree.child(node, frames.intern(frame));
            }
            before.resize(tree.len(), 0);
            tree.add(node, first.count.checked_add(line.count).ok_or(Error::Overflow)?)?;
            before[node as usize] += first.count;
            Ok(())
        })
    })?;
    before.resize(tree.len(), 0);
    Ok(Counted { tree, frames, before })
}

/// Lines of one input with one count, where two were asked for.
struct Strangers {
    input: String,
    seen: u64,
}

impl Strangers {
    /// Names the first three and counts the others.
    fn complain(&mut self, line: &FoldedLine<'_>, pipe: &mut Pipe) {
        self.seen += 1;
        pipe.accounts.read.lines -= 1;
        pipe.accounts.read.weight -= u128::from(line.count);
        if self.seen > 3 {
            return pipe.complaints.skipped_unnamed(1);
        }
        let stack = String::from_utf8_lossy(line.stack);
        let what = format!("expected 'stack before after', found '{stack} {}'", line.count);
        pipe.complaints.error(&Error::Unknown { name: self.input.clone(), what });
    }
}

/// The same stacks, leaf first.
pub(crate) fn reversed(counted: &Counted) -> Result<(StackTree, Vec<u64>)> {
    let (tree, mut reversed) = (&counted.tree, StackTree::default());
    let mut before = Vec::new();
    for leaf in 1..tree.len() as NodeId {
        let weight = tree.self_weight(leaf);
        if weight == 0 {
            continue;
        }
        let (mut node, mut from) = (StackTree::ROOT, leaf);
        while from != StackTree::ROOT {
            node = reversed.child(node, tree.frame(from));
            from = tree.parent(from);
        }
        reversed.add(node, weight)?;
        if let Some(&own) = counted.before.get(leaf as usize) {
            before.resize(reversed.len(), 0);
            before[node as usize] += own;
        }
    }
    Ok((reversed, before))
}

/// A flame chart: what comes later stands further to the right, and only what
/// comes one after the other is merged.
pub(crate) fn in_order(files: &Files, pipe: &mut Pipe) -> Result<(Option<Profile>, FrameTable)> {
    let mut chart = Chart::default();
    pipe.for_each_folded(files, |line| chart.add(&line))?;
    Ok((chart.profile(), chart.frames))
}

struct Chart {
    frames: FrameTable,
    nodes: Vec<Node>,
    /// The nodes of the last stack, the whole first.
    open: Vec<usize>,
}

impl Default for Chart {
    fn default() -> Chart {
        Chart { frames: FrameTable::default(), nodes: vec![node(None, 0, 0)], open: vec![0] }
    }
}

impl Chart {
    fn add(&mut self, line: &FoldedLine<'_>) -> Result<()> {
        if line.count == 0 {
            return Ok(());
        }
        let now = self.nodes[0].weight;
        self.nodes[0].weight = now.checked_add(line.count).ok_or(Error::Overflow)?;
        let mut depth = 0;
        for name in line.frames() {
            let frame = self.frames.intern(name);
            depth += 1;
            let stays = self.open.get(depth).is_some_and(|&id| self.nodes[id].frame == Some(frame));
            if !stays {
                self.open.truncate(depth);
                self.open.push(self.nodes.len());
                self.nodes.push(node(Some(frame), depth, now));
            }
        }
        self.open.truncate(depth + 1);
        for &id in &self.open[1..] {
            self.nodes[id].weight += line.count;
        }
        self.nodes[self.open[depth]].self_weight += line.count;
        Ok(())
    }

    fn profile(&mut self) -> Option<Profile> {
        let nodes = std::mem::take(&mut self.nodes);
        (nodes[0].weight > 0).then_some(Profile { nodes, left_out: LeftOut::default() })
    }
}

fn node(frame: Option<FrameId>, depth: usize, start: u64) -> Node {
    Node { frame, depth, start, weight: 0, self_weight: 0, before: 0, self_before: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_merges_what_comes_one_after_the_other() {
        let mut chart = Chart::default();
        for (stack, count) in [("b;x", 1), ("b", 2), ("b;x", 4), ("a", 8), ("b;x;y", 16)] {
            chart.add(&FoldedLine { stack: stack.as_bytes(), count }).expect("small weights");
        }
        let profile = chart.profile().expect("some weight");
        let name =
            |node: &Node| node.frame.map_or(&b"all"[..], |id| chart.frames.name(id)).to_owned();
        let nodes: Vec<_> = profile
            .nodes
            .iter()
            .map(|node| (name(node), node.depth, node.start, node.weight, node.self_weight))
            .collect();
        let named = |name: &str, depth, start, weight, own| {
            (name.as_bytes().to_owned(), depth, start, weight, own)
        };
        let expected = [
            named("all", 0, 0, 31, 0),
            named("b", 1, 0, 7, 2),
            named("x", 2, 0, 1, 1),
            named("x", 2, 3, 4, 4),
            named("a", 1, 7, 8, 8),
            named("b", 1, 15, 16, 0),
            named("x", 2, 15, 16, 0),
            named("y", 3, 15, 16, 16),
        ];
        assert_eq!(nodes, expected);
    }

    #[test]
    fn reversed_stacks_weigh_the_same() {
        let mut counted = Counted::default();
        for (stack, weight) in [("main;f;malloc", 3), ("main;g;malloc", 4), ("main", 1)] {
            let Counted { tree, frames, .. } = &mut counted;
            tree.add_stack(frames, stack.as_bytes(), weight).expect("small weights");
        }
        let (tree, _) = reversed(&counted).expect("small weights");
        let mut stacks = Vec::new();
        tree.for_each_sorted(&counted.frames, |stack, weight| {
            stacks.push((String::from_utf8_lossy(stack).into_owned(), weight));
            Ok(())
        })
        .expect("nothing fails here");
        let expected = [("main", 1), ("malloc;f;main", 3), ("malloc;g;main", 4)];
        assert_eq!(stacks, expected.map(|(stack, weight)| (stack.to_owned(), weight)));
    }
}
