//! V8's `.heapprofile`, as `node --heap-prof` and Chrome write it: a call tree of
//! allocations, whose nodes have the bytes that they allocated themselves and
//! that were still in use. `samples` has an entry for each allocation that was sampled.
//!
//! ```text
//! {"head":{"callFrame":{..},"selfSize":0,"id":1,"children":[{..}]},
//!  "samples":[{"size":524304,"nodeId":18,"ordinal":2}]}
//! ```

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::read::documents::{self, Document};
use crate::read::held::{Drawn, Held, Thread};
use crate::read::json::Json;
use crate::read::stacks::{FrameNames, Stacks};
use crate::read::v8_profile::Nodes;
use crate::samples::Samples;

pub(super) const FORMAT: Format = Format::new(
    "heapprofile",
    "V8's .heapprofile: node --heap-prof, Chrome",
    detect,
    documents::parse::<Profile>,
);

fn detect(head: &Head<'_>) -> bool {
    head.outline().is_some_and(|keys| keys.has("head") && keys.has_inside("selfSize"))
}

#[derive(Default)]
struct Profile {
    nodes: Nodes,
    /// How many allocations were sampled; old versions do not say it.
    drawn: Option<u64>,
}

impl Document for Profile {
    const WHAT: &'static str = "the JSON of a .heapprofile";

    fn read(&mut self, json: &mut Json<&mut Input>, _: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            match key {
                b"head" => self.nodes.read(json)?,
                b"samples" => self.drawn = Some(count(json)?),
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        let (mut stacks, mut names) = (Stacks::default(), FrameNames::default());
        self.nodes.resolve(&mut stacks, &mut names, samples);
        samples.note_lines_of_definitions("");
        let mut held = Held::default();
        let drawn = if self.drawn.is_some() { Drawn::Together } else { Drawn::Unknown };
        let event = b"bytes";
        let thread = held.thread(Thread { event: event.to_vec(), drawn, ..Thread::default() });
        let mut total = 0.0;
        for (stack, bytes) in self.nodes.own(samples).filter(|(_, bytes)| *bytes > 0) {
            held.add(thread, stack, bytes, None);
            total += bytes as f64;
        }
        held.finish(&mut stacks, &names, samples)?;
        if self.drawn.is_some() {
            samples.draw(event, total, self.drawn);
        }
        Ok(())
    }
}

/// The length of the list that comes next.
fn count(json: &mut Json<&mut Input>) -> Result<u64> {
    let mut count = 0;
    json.for_each(|_| {
        count += 1;
        Ok(())
    })?;
    Ok(count)
}
