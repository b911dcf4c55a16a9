//! What d3-flame-graph draws: `{"name":"main","children":[…],"value":14}`. Values are inclusive. It
//! colours functions by `libtype`, of which it knows `kernel`, `jit` and `inlined`.
//! The value of the whole comes first, so that programs that look only at the first bytes, such as
//! stack-parse, know the format.

use std::io::{self, Write};

use common::{io::Output, stacks::FrameId};

use crate::profile::Profile;
use crate::target::{Target, Writer};
use crate::walk::{Walker, walk};

pub(super) const TARGET: Target =
    Target::plain("d3", "JSON for d3-flame-graph", Writer::OneEvent(write));

struct Tree<'a> {
    profile: &'a Profile,
    out: &'a mut Output,
    /// The weight so far of the functions from the root to where the walk is.
    values: Vec<u64>,
    /// Whether the last function that was entered has no children yet.
    is_first: bool,
}

fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let event = profile.only_event();
    out.write_all(br#"{"name":"#)?;
    serde_json::to_writer(&mut *out, &event.label_with_unit())?;
    write!(out, r#","value":{},"children":["#, event.total)?;
    let mut tree = Tree { profile, out, values: Vec::new(), is_first: true };
    walk(profile.stacks_of(event), &mut tree)?;
    out.write_all(b"]}\n")
}

impl Walker for Tree<'_> {
    fn enter(&mut self, frame: FrameId) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_first, true) {
            self.out.write_all(b",")?;
        }
        self.out.write_all(br#"{"name":"#)?;
        serde_json::to_writer(&mut *self.out, &self.profile.text(frame))?;
        // Of several words it holds one: the last says how the code came here.
        if let Some(kind) = self.profile.marks(frame).last() {
            write!(self.out, r#","libtype":"{kind}""#)?;
        }
        self.values.push(0);
        self.out.write_all(br#","children":["#)
    }

    fn spend(&mut self, weight: u64) -> io::Result<()> {
        self.values.last_mut().into_iter().for_each(|value| *value += weight);
        Ok(())
    }

    /// The value comes last, when it is known.
    fn leave(&mut self, _: FrameId) -> io::Result<()> {
        let value = self.values.pop().unwrap_or_default();
        self.values.last_mut().into_iter().for_each(|caller| *caller += value);
        self.is_first = false;
        write!(self.out, r#"],"value":{value}}}"#)
    }
}
