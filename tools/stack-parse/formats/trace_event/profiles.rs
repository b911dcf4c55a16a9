//! Samples from V8 that Chrome writes into a trace, in parts every few milliseconds:
//!
//! ```text
//! {"ph":"P","name":"Profile","id":"0x1","args":{"data":{"startTime":9}},..}
//! {"ph":"P","name":"ProfileChunk","id":"0x1","args":{"data":{"cpuProfile":
//!  {"nodes":[{"id":1,"parent":7,"callFrame":{..}}],"samples":[1]},"timeDeltas":[5]}}}
//! ```

use common::Result;
use hashbrown::HashMap;

use super::Output;
use super::event::TraceEvent;
use super::threads::Threads;
use crate::read::held::{Drawn, Thread};
use crate::read::v8_profile::{LINES_OF_LEAVES, Nodes, Ticks};

/// Profiles by process and id.
#[derive(Default)]
pub(super) struct Profiles {
    places: HashMap<(Vec<u8>, Vec<u8>), usize>,
    list: Vec<Profile>,
}

struct Profile {
    /// The thread that was sampled; the later parts are written by another one.
    thread: u32,
    nodes: Nodes,
    ticks: Ticks,
}

impl Profiles {
    /// Adds the part of a profile in an event, if it has one.
    pub(super) fn add(&mut self, event: &mut TraceEvent, threads: &mut Threads) {
        if !matches!(&event.name[..], b"Profile" | b"ProfileChunk" | b"CpuProfile") {
            return;
        }
        let Profiles { places, list } = self;
        let key = (event.pid.clone(), event.id.clone());
        let place = *places.entry(key).or_insert_with(|| {
            let thread = threads.of_event(event);
            list.push(Profile { thread, nodes: Nodes::default(), ticks: Ticks::default() });
            list.len() - 1
        });
        list[place].nodes.append(std::mem::take(&mut event.nodes));
        list[place].ticks.append(std::mem::take(&mut event.ticks));
    }

    /// Adds the samples.
    pub(super) fn add_to(self, threads: &Threads, output: &mut Output<'_, '_>) -> Result<()> {
        if !self.list.is_empty() {
            output.samples.note_lines_of_definitions(LINES_OF_LEAVES);
        }
        for mut profile in self.list {
            let Output { names, stacks, held, samples } = output;
            profile.nodes.resolve(stacks, names, samples);
            let thread = held
                .thread(Thread { drawn: Drawn::One, ..threads.get(profile.thread, b"cpu-time") });
            profile.ticks.hold(thread, &mut profile.nodes, held, samples);
            held.relieve(stacks, names, samples)?;
        }
        Ok(())
    }
}
