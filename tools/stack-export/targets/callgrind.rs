//! Callgrind's format: <https://valgrind.org/docs/manual/cl-format.html>.
//!
//! A call graph: which function calls which, without the rest of the stack.

use std::io::{self, Write};

use common::{FrameId, Output};

use crate::calls::Calls;
use crate::event::ExportedEvent;
use crate::profile::Profile;

/// Who calls the functions with which stacks begin. callgrind_annotate takes for the total of
/// a function what its callers spend on it, so it needs one for these, too.
const TOP: &str = "[all]";

/// What callgrind writes in place of a name that it does not know.
const UNKNOWN: &[u8] = b"???";

pub(super) fn write(profile: &Profile, event: &ExportedEvent, out: &mut Output) -> io::Result<()> {
    let graph = Calls::of(profile, event);
    writeln!(out, "# callgrind format\nversion: 1")?;
    writeln!(out, "creator: stack-export {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "positions: line\nevents: {}", word(event.label()))?;
    writeln!(out, "summary: {}\n", event.total)?;
    let mut names = Names { profile, is_said: vec![false; profile.frames().len()] };
    writeln!(out, "fl=(1) ???\nfn=(1) {TOP}")?;
    graph.roots.iter().try_for_each(|(&root, &weight)| names.call(root, weight, out))?;
    for (&function, weights) in &graph.functions {
        write!(out, "\nfn=")?;
        names.write(function, out)?;
        writeln!(out, "0 {}", weights.self_weight)?;
        let mut calls = graph.of_caller(function);
        calls.try_for_each(|(callee, weight)| names.call(callee, weight, out))?;
    }
    Ok(())
}

/// The name of an event: spaces separate events.
fn word(label: &str) -> String {
    label.replace(char::is_whitespace, "_")
}

/// Names of functions, which are written out only once.
struct Names<'a> {
    profile: &'a Profile,
    is_said: Vec<bool>,
}

impl Names<'_> {
    /// `(7) main` the first time, then `(7)`. The number 1 is taken.
    fn write(&mut self, frame: FrameId, out: &mut Output) -> io::Result<()> {
        let place = self.profile.place(frame);
        write!(out, "({})", place + 2)?;
        if !std::mem::replace(&mut self.is_said[place as usize], true) {
            let name = self.profile.name(frame);
            out.write_all(b" ")?;
            // Whoever reads it skips spaces.
            out.write_all(if name.trim_ascii().is_empty() { UNKNOWN } else { name })?;
        }
        out.write_all(b"\n")
    }

    /// How often a function was called is not known: once at least.
    fn call(&mut self, callee: FrameId, weight: u64, out: &mut Output) -> io::Result<()> {
        write!(out, "cfn=")?;
        self.write(callee, out)?;
        writeln!(out, "calls=1 0\n0 {weight}")
    }
}
