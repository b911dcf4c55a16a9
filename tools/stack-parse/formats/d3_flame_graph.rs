//! The tree that d3-flame-graph draws, as burn, flamescope, `perf script report flamegraph`
//! and stack-export write it:
//!
//! ```text
//! {"name":"root","value":57412,"children":[{"name":"main","value":51908,"children":[..]}]}
//! {"c":[{"n":"main","v":51908}],"n":"root","v":57412}
//! ```
//!
//! The value of a frame includes its callees. Some programs write the frame's own value instead,
//! for which d3-flame-graph has an option.

use std::slice::from_ref;

use bstr::ByteSlice;
use common::{Result, io::Input, stacks::FrameId};

use crate::format::{Format, Head};
use crate::read::documents::{self, Document};
use crate::read::json::{self, Field, Json, read_tree};
use crate::read::nodes::{self, Node, Totals, note_excess};
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

pub(super) const FORMAT: Format = Format::new(
    "d3-flame-graph",
    "The JSON that d3-flame-graph draws",
    detect,
    documents::parse::<Tree>,
);

fn detect(head: &Head<'_>) -> bool {
    let Some(keys) = head.outline() else { return false };
    let has = |long: &str, short: &str| {
        [long, short].iter().any(|key| keys.has(key) || keys.has_inside(key))
    };
    let is_node = has("name", "n") && has("value", "v");
    is_node && (keys.has("children") || keys.has("c") || keys.has("name") && keys.has("value"))
}

/// The number of digits after the point that are counted where values have fractions.
const FRACTION: i32 = 6;

#[derive(Default)]
struct Tree {
    /// All nodes, a parent before its children; the first is the root.
    nodes: Vec<Read>,
    /// The name of the root.
    name: Vec<u8>,
    /// Whether values are counted in millionths.
    has_fractions: bool,
    /// Values that are no numbers, below zero or too large.
    bad_values: u64,
}

/// A node that was read.
#[derive(Clone, Copy)]
struct Read {
    name: FrameId,
    value: Option<u64>,
    parent: Option<u32>,
}

impl Document for Tree {
    const WHAT: &'static str = "the JSON of d3-flame-graph";

    /// Reads the whole tree, however deep.
    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        let nameless = samples.frame(b"[no name]");
        read_tree(json, &mut Reading { tree: self, nameless, samples })
    }

    fn finish(self, samples: &mut Samples<'_>) -> Result<()> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        let (event, unit) = self.event();
        samples.events.set_measures(&[Measure { name: event, unit }]);
        let own = self.own_weights(samples);
        let node = |number: usize| {
            let Read { name, parent, .. } = &self.nodes[number];
            Node { frames: from_ref(name), own: from_ref(&own[number]), parent: *parent }
        };
        nodes::add(self.nodes.len(), 1, node, &Sample::default(), samples)?;
        if self.has_fractions {
            samples.note("values have fractions, they are counted in millionths");
        }
        samples.note_count(self.bad_values, "values are not numbers that can be counted");
        Ok(())
    }
}

/// A tree that is being read, with the samples, which number its names.
struct Reading<'a, 's> {
    tree: &'a mut Tree,
    /// The name of nodes without one.
    nameless: FrameId,
    samples: &'a mut Samples<'s>,
}

impl json::Tree<&mut Input> for Reading<'_, '_> {
    fn begin(&mut self, parent: Option<usize>) -> usize {
        let parent = parent.and_then(|parent| u32::try_from(parent).ok());
        self.tree.nodes.push(Read { name: self.nameless, value: None, parent });
        self.tree.nodes.len() - 1
    }

    fn read_field(&mut self, json: &mut Json<&mut Input>, number: usize) -> Result<Field> {
        let Reading { tree, samples, .. } = self;
        match json.next_key()? {
            Some(b"name" | b"n") => {
                let name = json.text()?.unwrap_or_default();
                tree.nodes[number].name = samples.frame(name);
                if number == 0 {
                    tree.name = name.to_vec();
                }
            }
            Some(b"value" | b"v") => tree.set_value(number, json.scaled(FRACTION)?),
            Some(b"children" | b"c") => return Ok(Field::Children),
            Some(_) => {}
            None => return Ok(Field::End),
        }
        Ok(Field::Other)
    }
}

impl Tree {
    /// Sets the value of a node, in millionths.
    fn set_value(&mut self, number: usize, millionths: Option<i128>) {
        const ONE: u64 = 10u64.pow(FRACTION as u32);
        let whole = millionths.and_then(|value| u128::try_from(value).ok());
        if whole.is_some_and(|value| value % u128::from(ONE) != 0) && !self.has_fractions {
            self.has_fractions = true;
            for node in &mut self.nodes {
                let value = node.value.and_then(|value| value.checked_mul(ONE));
                self.bad_values += u64::from(value.is_none() && node.value.is_some());
                node.value = value;
            }
        }
        let whole =
            whole.map(|value| if self.has_fractions { value } else { value / u128::from(ONE) });
        self.nodes[number].value = whole.and_then(|value| u64::try_from(value).ok());
        self.bad_values += u64::from(self.nodes[number].value.is_none());
    }

    /// The event and the unit in the name of the root: `page-faults (samples)`.
    fn event(&self) -> (&[u8], &[u8]) {
        let name = self.name.as_slice();
        let parts = name.strip_suffix(b")").and_then(|name| name.rsplit_once_str(" ("));
        match (name, parts) {
            (b"root" | b"all", _) => (b"", b""),
            (_, Some(parts)) => parts,
            _ => (name, b""),
        }
    }

    /// The own weight of each node.
    fn own_weights(&self, samples: &mut Samples<'_>) -> Vec<u64> {
        let nodes = || self.nodes.iter().map(|node| (node.value, node.parent));
        if nodes::are_own(nodes()) {
            samples.note(
                "most values are less than those of the children: they are read as own weights",
            );
            return nodes().map(|(value, _)| value.unwrap_or_default()).collect();
        }
        let Totals { own, excess } = nodes::own_weights(nodes());
        note_excess(excess, samples);
        own
    }
}
