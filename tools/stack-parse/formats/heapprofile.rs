//! V8's `.heapprofile`, as `node --heap-prof` and Chrome write it: a call tree of
//! allocations, whose nodes have the bytes that they allocated themselves and
//! that were still in use.
//!
//! ```text
//! {"head":{"callFrame":{..},"selfSize":0,"id":1,"children":[{..}]},"samples":[..]}
//! ```

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::read::documents::{self, Document};
use crate::read::held::{Held, Thread};
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
}

impl Document for Profile {
    const WHAT: &'static str = "the JSON of a .heapprofile";

    fn read(&mut self, json: &mut Json<&mut Input>, _: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            if key == b"head" {
                self.nodes.read(json)?;
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        let (mut stacks, mut names) = (Stacks::default(), FrameNames::default());
        self.nodes.resolve(&mut stacks, &mut names, samples);
        samples.note_lines_of_definitions("");
        let mut held = Held::default();
        let thread = held.thread(Thread { event: b"bytes".to_vec(), ..Thread::default() });
        for (stack, bytes) in self.nodes.own(samples).filter(|(_, bytes)| *bytes > 0) {
            held.add(thread, stack, bytes, None);
        }
        held.finish(&mut stacks, &names, samples)
    }
}
