//! V8's `.cpuprofile`, as `node --cpu-prof`, Chrome, Deno and Bun write it: a call tree, and the
//! node and the time of each sample. In the first generation the nodes of the tree are nested.
//!
//! ```text
//! {"nodes":[{"id":1,"callFrame":{..},"hitCount":0,"children":[2]},{"id":2,..}],
//!  "startTime":163140599286,"endTime":163140647178,
//!  "samples":[1,2],"timeDeltas":[11575,1060]}
//! {"head":{"functionName":"(root)","id":1,"children":[{"id":2,..}]},
//!  "startTime":1163140.5,"endTime":1163141.5,"samples":[1,2],"timestamps":[..]}
//! ```

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::read::documents::{self, Document};
use crate::read::held::{Held, Thread};
use crate::read::json::{Json, Outline};
use crate::read::stacks::{FrameNames, Stacks};
use crate::read::v8_profile::{LINES_OF_LEAVES, Nodes, Ticks};
use crate::samples::{Samples, Weighs};

pub(super) const FORMAT: Format = Format::new(
    "cpuprofile",
    "V8's .cpuprofile: node --cpu-prof, Chrome",
    detect,
    documents::parse::<Profile>,
)
.weighs(Weighs::Value);

fn detect(head: &Head<'_>) -> bool {
    let is_profile = |keys: &Outline| {
        // A .heapprofile has a head with a call frame, too.
        let has_node = ["hitCount", "callUID"].iter().any(|key| keys.has_inside(key));
        (keys.has("nodes") || keys.has("head")) && has_node
            || keys.has("nodes") && keys.has_inside("callFrame")
            || keys.has("samples") && (keys.has("timeDeltas") || keys.has("timestamps"))
    };
    head.outline().is_some_and(is_profile)
}

#[derive(Default)]
struct Profile {
    nodes: Nodes,
    ticks: Ticks,
    /// In billionths of the unit in the file, which is microseconds, or seconds in the first
    /// generation.
    start: Option<i128>,
    end: Option<i128>,
    is_first_generation: bool,
}

impl Document for Profile {
    const WHAT: &'static str = "the JSON of a .cpuprofile";

    fn read(&mut self, json: &mut Json<&mut Input>, _: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            match key {
                b"nodes" => json.for_each(|json| self.nodes.read(json))?,
                b"head" => {
                    self.is_first_generation = true;
                    self.nodes.read(json)?;
                }
                b"samples" => self.ticks.read_samples(json)?,
                b"timeDeltas" => self.ticks.read_deltas(json)?,
                b"timestamps" => self.ticks.read_times(json)?,
                b"startTime" => self.start = json.scaled(9)?,
                b"endTime" => self.end = json.scaled(9)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        let nanoseconds = if self.is_first_generation { 1 } else { 1_000_000 };
        let time = |time: i128| i64::try_from(time / nanoseconds).ok();
        self.ticks.start = self.start.and_then(time);
        self.ticks.end = self.end.and_then(time);
        for time in [self.ticks.start, self.ticks.end] {
            samples.facts.note_time(time.and_then(|time| u64::try_from(time).ok()));
        }
        let (mut stacks, mut names) = (Stacks::default(), FrameNames::default());
        self.nodes.resolve(&mut stacks, &mut names, samples);
        samples.note_lines_of_definitions(LINES_OF_LEAVES);
        let mut held = Held::default();
        if self.ticks.is_empty() {
            let thread = held.thread(Thread { event: b"samples".to_vec(), ..Thread::default() });
            for (stack, hits) in self.nodes.own(samples).filter(|(_, hits)| *hits > 0) {
                held.add(thread, stack, hits, None);
            }
        } else {
            let thread = held.thread(Thread { event: b"time".to_vec(), ..Thread::default() });
            self.ticks.hold(thread, &mut self.nodes, &mut held, samples);
        }
        held.finish(&mut stacks, &names, samples)
    }
}
