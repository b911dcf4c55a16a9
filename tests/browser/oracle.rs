//! Computes the numbers of a picture from folded lines in the simplest way: each stack by itself,
//! as a list of names. The viewer works on a tree instead.

use std::collections::{BTreeMap, BTreeSet};

/// A stack, and its weight in one profile, or in the first and the second of two.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub(super) frames: Vec<String>,
    pub(super) weights: [u64; 2],
}

/// Folded stacks, in the order of their lines.
#[derive(Clone, Debug)]
pub(super) struct Stacks(pub(super) Vec<Stack>);

/// The weights of each path of a tree, with `;` between the names. The root has an empty path.
pub(super) type Weights = BTreeMap<String, [u64; 2]>;

/// The weights of a function: self and total.
pub(super) type Sums = BTreeMap<String, [[u64; 2]; 2]>;

fn add(to: &mut [u64; 2], weights: [u64; 2]) {
    to[0] += weights[0];
    to[1] += weights[1];
}

impl Stacks {
    /// Reads lines with one count, or with two.
    pub(super) fn of(folded: &[u8], counts: usize) -> Stacks {
        let text = String::from_utf8_lossy(folded);
        let stack = |line: &str| {
            let mut parts: Vec<&str> = line.rsplitn(counts + 1, ' ').collect();
            let stack = parts.pop().expect("a stack");
            let mut weights = parts.into_iter().rev().map(|count| count.parse().expect("a count"));
            Stack {
                frames: stack.split(';').map(str::to_owned).collect(),
                weights: [weights.next().expect("a count"), weights.next().unwrap_or(0)],
            }
        };
        Stacks(text.lines().map(stack).collect())
    }

    pub(super) fn total(&self) -> [u64; 2] {
        self.0.iter().fold([0, 0], |mut sum, stack| {
            add(&mut sum, stack.weights);
            sum
        })
    }

    /// The stacks through a frame, from that frame on.
    pub(super) fn from(&self, path: &[&str]) -> Stacks {
        let above = path.len().saturating_sub(1);
        let through = self.0.iter().filter(|stack| {
            let mut frames = stack.frames.iter();
            path.iter().all(|name| frames.next().is_some_and(|frame| frame == name))
        });
        let cut = through.map(|Stack { frames, weights }| Stack {
            frames: frames[above..].to_vec(),
            weights: *weights,
        });
        Stacks(cut.collect())
    }

    /// The stacks with more callers, the outermost first.
    pub(super) fn under(&self, callers: &[&str]) -> Stacks {
        self.changed(|frames| {
            let callers = callers.iter().map(ToString::to_string);
            Some(callers.chain(frames.iter().cloned()).collect())
        })
    }

    /// The tree of callees on their callers.
    pub(super) fn top_down(&self) -> Weights {
        let mut tree = Weights::from([(String::new(), self.total())]);
        for Stack { frames, weights } in &self.0 {
            for depth in 1..=frames.len() {
                add(tree.entry(frames[..depth].join(";")).or_default(), *weights);
            }
        }
        tree
    }

    /// The tree of callers on their callees.
    pub(super) fn bottom_up(&self) -> Weights {
        self.changed(|frames| Some(frames.iter().rev().cloned().collect())).top_down()
    }

    /// The stacks that `change` returns for these; those without a result are left out.
    fn changed(&self, change: impl Fn(&[String]) -> Option<Vec<String>>) -> Stacks {
        let stacks = self.0.iter().filter_map(|stack| {
            Some(Stack { frames: change(&stack.frames)?, weights: stack.weights })
        });
        Stacks(stacks.collect())
    }

    /// The callers of a function's outermost calls, beginning with the function: first those in
    /// these stacks, then those `outside`, which call the stacks.
    pub(super) fn callers(&self, name: &str, outside: &[&str]) -> Weights {
        let callers = self.changed(|frames| {
            let at = frames.iter().position(|frame| frame == name)?;
            let inside = frames[..at].iter().rev().cloned();
            Some(inside.chain(outside.iter().rev().map(ToString::to_string)).collect())
        });
        callers.top_down()
    }

    /// The callees of a function's outermost calls.
    pub(super) fn callees(&self, name: &str) -> Weights {
        let callees = self.changed(|frames| {
            let at = frames.iter().position(|frame| frame == name)?;
            Some(frames[at + 1..].to_vec())
        });
        callees.top_down()
    }

    /// The rows of the table: a stack counts once for a function, even if it has it several times.
    pub(super) fn table(&self) -> Sums {
        let mut table = Sums::new();
        for Stack { frames, weights } in &self.0 {
            for name in frames.iter().collect::<BTreeSet<_>>() {
                add(&mut table.entry(name.clone()).or_default()[1], *weights);
            }
            let leaf = frames.last().expect("a frame");
            add(&mut table.entry(leaf.clone()).or_default()[0], *weights);
        }
        table
    }

    /// The stacks with a frame that contains the text.
    pub(super) fn found(&self, text: &str) -> Stacks {
        self.changed(|frames| {
            frames.iter().any(|name| name.contains(text)).then(|| frames.to_vec())
        })
    }

    /// `stack-grep '^name$'`, and with `-v`.
    pub(super) fn with(&self, name: &str, is_wanted: bool) -> Stacks {
        let has = |frames: &[String]| frames.iter().any(|frame| frame == name) == is_wanted;
        self.changed(|frames| has(frames).then(|| frames.to_vec()))
    }

    /// `stack-collapse-frames --drop` of the frames that `is_hidden` accepts.
    pub(super) fn without(&self, is_hidden: impl Fn(&str) -> bool) -> Stacks {
        self.changed(|frames| {
            let mut left = frames.to_vec();
            left.retain(|name| !is_hidden(name));
            let is_empty = left.is_empty() || left == [""];
            Some(if is_empty { vec!["[hidden]".to_owned()] } else { left })
        })
    }

    /// `stack-fold-towers --max-period 1`.
    pub(super) fn folded(&self) -> Stacks {
        self.changed(|frames| {
            let mut left = frames.to_vec();
            left.dedup();
            // A folded line must not be empty.
            Some(if left == [""] { frames.to_vec() } else { left })
        })
    }
}

/// A share as the page writes it.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole as f64;
    match part {
        0 => "0%".to_owned(),
        _ if share < 0.05 => "<0.1%".to_owned(),
        _ if share >= 99.95 && part < whole => ">99.9%".to_owned(),
        _ => format!("{share:.1}%"),
    }
}
