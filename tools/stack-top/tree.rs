//! The tree of calls: who called what, from the roots down.

mod branches;
mod json;

use std::cmp::Reverse;
use std::str::FromStr;

use common::io::{Screen, Total};
use common::numbers::{grouped, share};
use common::stacks::{FrameId, shared_prefix};

use crate::Answer;
use crate::profile::Profile;
use crate::run::run;
use crate::table::Columns;
use branches::{ASCII, BOXES, Branches, Indent};

pub(crate) use json::json;

/// The least share of the whole that a branch has, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Least(f64);

impl FromStr for Least {
    type Err = String;

    fn from_str(text: &str) -> Result<Least, String> {
        let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
        let percent = number.filter(|percent| (0.0..=100.0).contains(percent));
        percent.map(Least).ok_or_else(|| "expected a share such as 1% or 0.5%".to_owned())
    }
}

/// A frame in the tree, or the whole.
#[derive(Default)]
struct Node {
    /// `None` for the whole.
    frame: Option<FrameId>,
    self_weight: u64,
    total: u64,
    /// The heaviest first.
    children: Vec<usize>,
    /// How many children are too light to be shown, and what they weigh.
    others: Total,
}

/// The nodes that are heavy enough; the last one is the whole.
struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Memory grows with the nodes that are kept and with the longest stack.
    fn of(profile: &Profile, Least(percent): Least) -> Tree {
        let least = profile.total as f64 * percent / 100.0;
        let mut tree = Tree { nodes: Vec::new() };
        let mut last: &[FrameId] = &[];
        // The whole and the frames of the last stack, which may get more children.
        let mut open = vec![Node::default()];
        for stack in profile.stacks.iter().filter(|stack| stack.weight > 0) {
            let shared = shared_prefix(last, stack.frames);
            tree.close(&mut open, shared, least);
            let new = stack.frames[shared..].iter();
            open.extend(new.map(|&frame| Node { frame: Some(frame), ..Node::default() }));
            if let Some(leaf) = open.last_mut() {
                leaf.self_weight += stack.weight;
                leaf.total += stack.weight;
            }
            last = stack.frames;
        }
        tree.close(&mut open, 0, least);
        tree.nodes.extend(open);
        tree.sort_children();
        tree
    }

    /// Finishes the open nodes below this depth: their totals are known now.
    fn close(&mut self, open: &mut Vec<Node>, depth: usize, least: f64) {
        while open.len() > depth + 1
            && let Some(node) = open.pop()
            && let Some(parent) = open.last_mut()
        {
            parent.total += node.total;
            if node.total as f64 >= least {
                parent.children.push(self.nodes.len());
                self.nodes.push(node);
            } else {
                parent.others += node.total;
            }
        }
    }

    fn sort_children(&mut self) {
        for node in 0..self.nodes.len() {
            let mut children = std::mem::take(&mut self.nodes[node].children);
            // Stable: children of one weight stay in the order of their names.
            children.sort_by_key(|&child| Reverse(self.nodes[child].total));
            self.nodes[node].children = children;
        }
    }

    /// The index of the whole, which has the roots as children.
    fn whole(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The root, if there is no other, not even one that is too light to be shown.
    fn only_root(&self) -> Option<FrameId> {
        let whole = &self.nodes[self.whole()];
        match whole.children[..] {
            [only] if whole.others.lines == 0 => self.nodes[only].frame,
            _ => None,
        }
    }

    /// The frames from `node` on that have no weight but that of one child, and the
    /// node that ends the run.
    fn run(&self, mut node: usize) -> (Vec<FrameId>, usize) {
        let mut frames = Vec::new();
        loop {
            frames.extend(self.nodes[node].frame);
            match self.nodes[node].children[..] {
                [only] if self.nodes[only].total == self.nodes[node].total => node = only,
                _ => return (frames, node),
            }
        }
    }
}

/// A line of the tree.
struct Line {
    cells: Vec<String>,
    /// What comes before the names: the branches.
    branches: String,
    names: Names,
}

enum Names {
    /// Frames that call one another and nothing else.
    Run(Vec<FrameId>),
    Others(u64),
}

/// The tree from the roots down; branches that weigh less than `least` are summed.
pub(crate) fn tree(profile: &Profile, least: Least, screen: &Screen) -> Answer {
    if profile.total == 0 {
        return Answer::new(Vec::new(), Total::default());
    }
    let tree = Tree::of(profile, least);
    let lines = lines(&tree, profile, if screen.columns.is_some() { BOXES } else { ASCII });
    let heads = heads(profile);
    let columns = Columns::of(lines.iter().map(|line| &line.cells).chain([&heads]));
    let mut text = Vec::new();
    if let Some(under) = &profile.under {
        text.extend_from_slice(under.head(profile, tree.only_root(), screen).as_bytes());
    }
    columns.line(&heads, b"FUNCTION", &mut text);
    let indent = Indent::of(lines.iter().map(|line| &*line.branches), screen, columns.width());
    for line in &lines {
        let branches = indent.narrowed(&line.branches);
        let before = columns.width() + branches.chars().count();
        let names = match &line.names {
            Names::Run(frames) => {
                let names: Vec<&[u8]> = frames.iter().map(|&it| profile.name(it)).collect();
                run(screen, &names, before)
            }
            Names::Others(1) => b"1 other".to_vec(),
            Names::Others(number) => format!("{} others", grouped(*number)).into_bytes(),
        };
        columns.line(&line.cells, &[branches.as_bytes(), &names].concat(), &mut text);
    }
    if profile.under.is_none() {
        let foot = format!("{} in all\n", profile.unit.words(profile.total));
        text.extend_from_slice(foot.as_bytes());
    }
    Answer::new(text, Total { lines: lines.len() as u64, weight: profile.total.into() })
}

/// The heads of [`cells`].
fn heads(profile: &Profile) -> Vec<String> {
    let heads: &[&str] = match profile.under {
        Some(_) => &["TOTAL", "OF MATCH", "OF ALL", "SELF"],
        None => &["TOTAL", "TOTAL%", "SELF%"],
    };
    heads.iter().map(|&head| head.to_owned()).collect()
}

/// The numbers of a line. Several branches together have no self weight.
fn cells(profile: &Profile, total: u64, own: Option<u64>) -> Vec<String> {
    let number = |weight| profile.unit.number(weight);
    let of_tree = |weight| share(weight, profile.total);
    let shares = match &profile.under {
        Some(under) => vec![share(total, under.all), own.map(number).unwrap_or_default()],
        None => vec![own.map(of_tree).unwrap_or_default()],
    };
    [vec![number(total), of_tree(total)], shares].concat()
}

/// The lines of the tree, a parent before its children.
fn lines(tree: &Tree, profile: &Profile, draw: Branches) -> Vec<Line> {
    let mut lines = Vec::new();
    // What is left to draw, the next one last: the node or others, with the branches before it and
    // before what is below it.
    let mut pending = Vec::new();
    push_children(tree, tree.whole(), None, &draw, &mut pending);
    while let Some(Pending { what, branches, below }) = pending.pop() {
        match what {
            What::Others(others) => {
                let cells = cells(profile, others.weight as u64, None);
                lines.push(Line { cells, branches, names: Names::Others(others.lines) });
            }
            What::Node(node) => {
                let (run, last) = tree.run(node);
                let own = tree.nodes[last].self_weight;
                let cells = cells(profile, tree.nodes[node].total, Some(own));
                lines.push(Line { cells, branches, names: Names::Run(run) });
                push_children(tree, last, Some(&below), &draw, &mut pending);
            }
        }
    }
    lines
}

struct Pending {
    what: What,
    branches: String,
    /// The branches before its children.
    below: String,
}

enum What {
    Node(usize),
    Others(Total),
}

/// Puts the children of a node on the list, the first one last. The roots have no
/// branch: `before` is `None`.
fn push_children(
    tree: &Tree,
    node: usize,
    before: Option<&str>,
    draw: &Branches,
    pending: &mut Vec<Pending>,
) {
    let node = &tree.nodes[node];
    let others = (node.others.lines > 0).then_some(What::Others(node.others));
    let children = others.into_iter().chain(node.children.iter().rev().map(|&it| What::Node(it)));
    for (what, is_last) in children.zip([true].into_iter().chain(std::iter::repeat(false))) {
        let [own, below] = match before {
            None => [String::new(), String::new()],
            Some(before) => {
                (if is_last { draw.last } else { draw.inner }).map(|it| [before, it].concat())
            }
        };
        pending.push(Pending { what, branches: own, below });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_number_in_percent() {
        for (text, percent) in [("1%", 1.0), ("0.5", 0.5), ("100%", 100.0), ("0", 0.0)] {
            assert_eq!(text.parse(), Ok(Least(percent)), "{text}");
        }
        for text in ["", "%", "-1%", "101%", "nan", "1%%"] {
            assert!(text.parse::<Least>().is_err(), "{text}");
        }
    }
}
