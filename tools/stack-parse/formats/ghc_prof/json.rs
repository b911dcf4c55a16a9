//! The JSON of a profile.
//!
//! ```text
//! {"program": "demo", "arguments": ["./demo"], "rts_arguments": ["-pj"], "total_ticks": 224,
//!  "tick_interval": 1000, "total_alloc":86142232,
//!  "cost_centres": [{"id": 134, "label": "IDLE", "module": "IDLE", "src_loc": "<built-in>",
//!                    "is_caf": false},..],
//!  "profile": {"id": 128, "entries": 0, "alloc": 816, "ticks": 0, "children": [..]}}
//! ```

use bstr::ByteSlice;
use common::{Result, io::Input};
use hashbrown::HashMap;

use super::{MEASURES, Own, frame, start_of};
use crate::frame::Frame;
use crate::read::bad_weights::note_bad_weights;
use crate::read::documents::{Document, read_documents};
use crate::read::json::{Field, Json, Tree, read_tree};
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

pub(super) fn parse(input: &mut Input, samples: &mut Samples<'_>) -> Result<()> {
    read_documents(input, Profile::default, samples)
}

/// The cost centre of profiling itself. GHC's text leaves it out; it may have half of all bytes.
const OVERHEAD: [&[u8]; 2] = [b"PROFILING", b"OVERHEAD_of"];

/// What was read of a profile so far.
#[derive(Default)]
struct Profile {
    /// The number of each cost centre's frame, by its id.
    numbers: HashMap<u64, u32>,
    /// The id of [`OVERHEAD`].
    overhead: Option<u64>,
    names: FrameNames,
    nodes: Vec<Node>,
    /// The nanoseconds of a tick; 0 if unknown.
    interval: u64,
    /// Ticks, bytes and entries that are no integers.
    bad_weights: u64,
}

/// A cost centre as called by one chain of callers.
#[derive(Clone, Copy)]
struct Node {
    /// The node of its caller; its own for the root.
    caller: usize,
    id: u64,
    own: Own,
}

impl Document for Profile {
    const WHAT: &'static str = "the JSON of a GHC profile";

    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            if key == b"tick_interval" {
                self.interval = json.integer()?.unwrap_or(0).saturating_mul(1000);
                samples.facts.note_interval(self.interval);
            } else if key == b"cost_centres" {
                json.for_each(|json| self.read_centre(json, samples))?;
            } else if key == b"profile" && json.begin_object()? {
                read_tree(json, self)?;
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        note_bad_weights(self.bad_weights, samples);
        self.names.name_others(&Frame::default(), samples);
        let mut stacks = Stacks::default();
        let mut found: Vec<StackId> = Vec::with_capacity(self.nodes.len());
        let mut overhead = [0u128; 2];
        for node in &self.nodes {
            let callers = found.get(node.caller).copied().unwrap_or(Stacks::EMPTY);
            let frame = self.numbers.get(&node.id).copied().unwrap_or(u32::MAX);
            let stack = stacks.call(callers, frame);
            found.push(stack);
            if self.overhead == Some(node.id) {
                let own = [node.own.ticks, node.own.bytes];
                overhead.iter_mut().zip(own).for_each(|(sum, own)| *sum += u128::from(own));
                continue;
            }
            let weights = &node.own.measures(self.interval);
            if weights.iter().any(|weight| *weight > 0) {
                stacks.add(
                    &Sample { weights, ..Sample::default() },
                    stack,
                    &self.names,
                    samples,
                )?;
            }
        }
        for (sum, Measure { name, .. }) in
            overhead.iter().zip(MEASURES).filter(|(sum, _)| **sum > 0)
        {
            let name = name.as_bstr();
            samples.note(format_args!(
                "the costs of profiling itself are left out: {sum} {name} of PROFILING.OVERHEAD_of"
            ));
        }
        Ok(())
    }
}

impl Profile {
    /// `{"id": 134, "label": "IDLE", "module": "IDLE", "src_loc": "<built-in>"}`
    fn read_centre(
        &mut self,
        json: &mut Json<&mut Input>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let (mut id, mut label, mut module, mut source) =
            (None, Vec::new(), Vec::new(), Vec::new());
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"id" => id = json.integer()?,
                b"label" => label.extend_from_slice(json.text()?.unwrap_or_default()),
                b"module" => module.extend_from_slice(json.text()?.unwrap_or_default()),
                b"src_loc" => source.extend_from_slice(json.text()?.unwrap_or_default()),
                _ => {}
            }
        }
        if let Some(id) = id {
            if [&module[..], &label] == OVERHEAD {
                self.overhead = Some(id);
            }
            self.numbers.insert(id, self.names.len() as u32);
            let place = start_of(&source);
            self.names.push(&frame(&module, &label, &place, &mut Vec::new()), samples);
        }
        Ok(())
    }
}

impl Tree<&mut Input> for Profile {
    fn begin(&mut self, caller: Option<usize>) -> usize {
        let number = self.nodes.len();
        let caller = caller.unwrap_or(number);
        self.nodes.push(Node { caller, id: u64::MAX, own: Own::default() });
        number
    }

    fn read_field(&mut self, json: &mut Json<&mut Input>, number: usize) -> Result<Field> {
        let node = &mut self.nodes[number];
        match json.next_key()? {
            Some(b"id") => node.id = json.integer()?.unwrap_or(u64::MAX),
            Some(key @ (b"ticks" | b"alloc" | b"entries")) => {
                let own = match key {
                    b"ticks" => &mut node.own.ticks,
                    b"alloc" => &mut node.own.bytes,
                    _ => &mut node.own.entries,
                };
                match json.integer()? {
                    Some(number) => *own = number,
                    None => self.bad_weights += 1,
                }
            }
            Some(b"children") => return Ok(Field::Children),
            Some(_) => {}
            None => return Ok(Field::End),
        }
        Ok(Field::Other)
    }
}
