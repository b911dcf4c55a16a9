//! V8's `.heapprofile`, as `node --heap-prof` and Chrome write it: a call tree of
//! allocations, whose nodes have the bytes that they allocated themselves and
//! that were still in use.
//!
//! ```text
//! {"head":{"callFrame":{..},"selfSize":0,"id":1,"children":[{..}]},"samples":[..]}
//! ```

use common::{Input, Result};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::held::{Held, Thread};
use crate::read::json::{Json, Outline};
use crate::read::stacks::{FrameNames, Stacks};
use crate::read::v8_profile::Nodes;
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format = Format {
    name: "heapprofile",
    about: "V8's .heapprofile: node --heap-prof, Chrome",
    detect,
    parse,
    root: Root::None,
    weighs: Weighs::Sum,
};

fn detect(head: &Head<'_>) -> bool {
    Outline::of(head).is_some_and(|keys| keys.has("head") && keys.has_inside("selfSize"))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], [`common::Error::Unknown`] where the JSON is damaged,
/// after all that came before; or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut json = Json::new(input);
    loop {
        let mut nodes = Nodes::default();
        let read = read(&mut json, &mut nodes);
        add(nodes, samples)?;
        if !read? {
            return Ok(());
        }
    }
}

/// Reads a profile; false if there is none.
fn read(json: &mut Json<&mut Input>, nodes: &mut Nodes) -> Result<bool> {
    if !json.next_document()? {
        return Ok(false);
    }
    if !json.begin_object()? {
        return Err(json.unexpected("the JSON of a .heapprofile"));
    }
    while let Some(key) = json.next_key()? {
        if key == b"head" {
            nodes.read(json)?;
        }
    }
    Ok(true)
}

fn add(mut nodes: Nodes, samples: &mut Samples<'_>) -> Result<()> {
    let (mut stacks, mut names) = (Stacks::new(), FrameNames::default());
    nodes.resolve(&mut stacks, &mut names, samples);
    let mut held = Held::default();
    let thread = held.thread(Thread { event: b"bytes".to_vec(), ..Thread::default() });
    for (stack, bytes) in nodes.own().filter(|(_, bytes)| *bytes > 0) {
        held.add(thread, stack, bytes, None);
    }
    held.finish(&mut stacks, &names, samples)
}
