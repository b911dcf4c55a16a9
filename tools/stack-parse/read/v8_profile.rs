//! V8's call trees, as JSON: nodes that name their function, the function's
//! place, and their children or parent.
//!
//! ```text
//! {"id":2,"callFrame":{"functionName":"main","url":"a.js","lineNumber":6,
//!   "columnNumber":13},"hitCount":1,"children":[3],"positionTicks":[{"line":9,"ticks":1}]}
//! {"id":2,"functionName":"main","url":"a.js","lineNumber":7,"hitCount":1,
//!   "children":[{"id":3, ...}]}
//! ```

mod ticks;

use std::io::Read;

use common::Result;
use hashbrown::HashMap;

use super::bad_weights::note_bad_weights;
use super::json::{Field, Json, Tree, read_tree};
use super::source::Place;
use super::stacks::{FrameNames, StackId, Stacks};
use crate::frame::{Frame, Kind as Code};
use crate::samples::Samples;

pub(crate) use ticks::Ticks;

/// Which frames do not have the line where their function is defined: V8 counts the lines that ran
/// for each node.
pub(crate) const LINES_OF_LEAVES: &str = ", but those of leaves";

/// A call tree, by nodes.
#[derive(Default)]
pub(crate) struct Nodes {
    list: Vec<Node>,
    /// The index of the node with each id.
    by_id: HashMap<u64, usize>,
    /// How many numbers of samples or bytes are not integers of 64 bits.
    bad_weights: u64,
}

#[derive(Default)]
struct Node {
    parent: Parent,
    children: Vec<u64>,
    function: Vec<u8>,
    place: Place,
    /// Its own samples or bytes.
    own: u64,
    /// Its lines, and how many samples were on each. V8 does not write which sample was on which.
    lines: Vec<(u64, u64)>,
    /// The stack that ends here, once it is known.
    stack: Option<StackId>,
    /// The stacks of its lines, and how many samples of each are still to come.
    leaves: Vec<(StackId, u64)>,
    /// Whether its stack is being made.
    is_open: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Parent {
    #[default]
    None,
    /// The index of the node in the list.
    Place(usize),
    Id(u64),
}

impl Nodes {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Reads a node with all nodes inside of it, however deep. Another value is skipped.
    pub(crate) fn read<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        if json.begin_object()? { read_tree(json, self) } else { Ok(()) }
    }

    /// Adds the nodes of a later part of the same tree.
    pub(crate) fn append(&mut self, later: Nodes) {
        let before = self.list.len();
        self.list.extend(later.list.into_iter().map(|mut node| {
            if let Parent::Place(place) = &mut node.parent {
                *place += before;
            }
            node
        }));
        self.by_id.extend(later.by_id.into_iter().map(|(id, place)| (id, place + before)));
        self.bad_weights += later.bad_weights;
    }

    /// Makes stacks of all nodes, and names their frames. Notes how many have a missing caller, or
    /// are their own caller.
    pub(crate) fn resolve(
        &mut self,
        stacks: &mut Stacks,
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) {
        for place in 0..self.list.len() {
            for id in std::mem::take(&mut self.list[place].children) {
                if let Some(&child) = self.by_id.get(&id) {
                    self.list[child].parent = Parent::Place(place);
                }
            }
        }
        let mut frames = HashMap::new();
        let mut frame = |node: &mut Node| {
            let key = (node.function.clone(), node.place.text().to_vec());
            *frames.entry(key).or_insert_with(|| {
                node.push_name(names, samples);
                (names.len() - 1) as u32
            })
        };
        let mut callerless = 0;
        for place in 0..self.list.len() {
            callerless += self.resolve_one(place, stacks, &mut frame);
        }
        for place in 0..self.list.len() {
            self.resolve_lines(place, stacks, &mut frame);
        }
        let what = "nodes have a caller that is missing or is below them: their stacks begin there";
        samples.note_count(callerless, what);
    }

    /// Makes the stack of a node, after those of its callers. Returns how many of these have a
    /// missing caller, or are their own caller.
    fn resolve_one(
        &mut self,
        place: usize,
        stacks: &mut Stacks,
        mut frame: impl FnMut(&mut Node) -> u32,
    ) -> u64 {
        let mut callerless = 0;
        let mut path = Vec::new();
        let mut next = Some(place);
        while let Some(place) = next.filter(|&place| self.list[place].stack.is_none()) {
            // In a damaged tree a node may be below itself.
            if std::mem::replace(&mut self.list[place].is_open, true) {
                callerless += 1;
                break;
            }
            path.push(place);
            next = self.parent(place);
            callerless += u64::from(next.is_none() && self.list[place].parent != Parent::None);
        }
        for place in path.into_iter().rev() {
            let parent = self.parent(place);
            let callers = parent.and_then(|parent| self.list[parent].stack);
            let node = &mut self.list[place];
            node.stack = Some(match callers {
                None if node.function == b"(root)" => Stacks::EMPTY,
                _ => stacks.call(callers.unwrap_or(Stacks::EMPTY), frame(node)),
            });
        }
        callerless
    }

    /// Makes the stacks of the samples whose line is known, after all others.
    fn resolve_lines(
        &mut self,
        place: usize,
        stacks: &mut Stacks,
        mut frame: impl FnMut(&mut Node) -> u32,
    ) {
        let callers = self.parent(place).and_then(|parent| self.list[parent].stack);
        let callers = callers.unwrap_or(Stacks::EMPTY);
        let node = &mut self.list[place];
        let definition = node.place.clone();
        node.place.column = None;
        for (line, samples) in std::mem::take(&mut node.lines) {
            node.place.line = Some(line);
            let frame = frame(node);
            node.leaves.push((stacks.call(callers, frame), samples));
        }
        node.place = definition;
    }

    fn parent(&self, place: usize) -> Option<usize> {
        match self.list[place].parent {
            Parent::None => None,
            Parent::Place(parent) => Some(parent),
            Parent::Id(id) => self.by_id.get(&id).copied(),
        }
    }

    /// The stack of the next sample of the node with this id, once they are made.
    pub(crate) fn stack_of_next(&mut self, id: u64) -> Option<StackId> {
        let node = self.list.get_mut(*self.by_id.get(&id)?)?;
        match node.leaves.iter_mut().find(|(_, samples)| *samples > 0) {
            Some((stack, samples)) => {
                *samples -= 1;
                Some(*stack)
            }
            None => node.stack,
        }
    }

    /// The stack of each node, and its own weight. Notes how many weights are not numbers.
    pub(crate) fn own(&self, samples: &mut Samples<'_>) -> impl Iterator<Item = (StackId, u64)> {
        note_bad_weights(self.bad_weights, samples);
        self.list.iter().flat_map(Node::own)
    }
}

impl<R: Read> Tree<R> for Nodes {
    fn begin(&mut self, parent: Option<usize>) -> usize {
        let parent = parent.map_or(Parent::None, Parent::Place);
        self.list.push(Node { parent, ..Node::default() });
        self.list.len() - 1
    }

    fn read_field(&mut self, json: &mut Json<R>, place: usize) -> Result<Field> {
        let node = &mut self.list[place];
        let Some(key) = json.next_key()? else { return Ok(Field::End) };
        match key {
            b"children" => return Ok(Field::Children),
            b"id" => {
                if let Some(id) = json.integer()? {
                    self.by_id.insert(id, place);
                }
            }
            b"parent" => {
                if let Some(id) = json.integer()? {
                    node.parent = Parent::Id(id);
                }
            }
            b"hitCount" | b"selfSize" => match json.integer()? {
                Some(own) => node.own = own,
                None => self.bad_weights += 1,
            },
            b"callFrame" => node.read_call_frame(json)?,
            b"positionTicks" => node.read_lines(json)?,
            // The first generation has no call frame, and counts lines from 1.
            b"functionName" => node.function = json.text()?.unwrap_or_default().to_vec(),
            b"url" => node.place.set_file(json.text()?.unwrap_or_default()),
            b"lineNumber" => node.place.line = json.integer()?.filter(|line| *line > 0),
            _ => {}
        }
        Ok(Field::Other)
    }

    /// Children are nodes in the first generation of the format, and ids in the second.
    fn read_reference(&mut self, json: &mut Json<R>, place: usize) -> Result<()> {
        if let Some(id) = json.integer()? {
            self.list[place].children.push(id);
        }
        Ok(())
    }
}

/// A line or column that is counted from 0, counted from 1.
fn plus_one(number: Option<u64>) -> Option<u64> {
    number?.checked_add(1)
}

impl Node {
    /// `{"functionName":"main","url":"a.js","lineNumber":6,"columnNumber":13}`,
    /// where lines and columns are counted from 0, and -1 is none.
    fn read_call_frame<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"functionName" => self.function = json.text()?.unwrap_or_default().to_vec(),
                b"url" => self.place.set_file(json.text()?.unwrap_or_default()),
                b"lineNumber" => self.place.line = plus_one(json.integer()?),
                b"columnNumber" => self.place.column = plus_one(json.integer()?),
                _ => {}
            }
        }
        Ok(())
    }

    /// Its own weight on each known line, and the rest.
    fn own(&self) -> impl Iterator<Item = (StackId, u64)> {
        let mut rest = self.own;
        let lines = self.leaves.iter().map(move |&(stack, samples)| {
            let samples = samples.min(rest);
            rest -= samples;
            (stack, samples)
        });
        let known: u64 =
            self.leaves.iter().fold(0, |sum, (_, samples)| sum.saturating_add(*samples));
        let stack = self.stack.unwrap_or(Stacks::EMPTY);
        lines.chain([(stack, self.own.saturating_sub(known))])
    }

    /// `[{"line":59,"ticks":1}]`
    fn read_lines<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        self.lines.clear();
        json.for_each(|json| {
            let (mut line, mut samples) = (None, None);
            json.enter_object()?;
            while let Some(key) = json.next_key()? {
                match key {
                    b"line" => line = json.integer()?.filter(|line| *line > 0),
                    b"ticks" => samples = json.integer()?,
                    _ => {}
                }
            }
            self.lines.extend(line.zip(samples));
            Ok(())
        })
    }

    fn push_name(&mut self, names: &mut FrameNames, samples: &mut Samples<'_>) {
        let source = self.place.text();
        let (name, kind) = match &self.function[..] {
            b"" => (&b"(anonymous)"[..], Code::Jit),
            // `(program)`, `(idle)`, `(garbage collector)`
            name @ [b'(', ..] => (name, Code::User),
            name => (name, Code::Jit),
        };
        names.push(&Frame { name, source, kind, ..Frame::default() }, samples);
    }
}
