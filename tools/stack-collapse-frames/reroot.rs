//! Cutting off what stands above a frame: who resumed a fibre says nothing
//! about it.

use std::collections::HashSet;

use common::{FrameId, FrameTable, Result};

use crate::frame_set::FrameSet;

/// Where a process or a thread starts; what stands above names it.
const STARTS: &str = r"_start|_dl_start(?:_user)?|_?_?clone3?|__GI___clone3?|start_thread|thread_start|_pthread_start|ret_from_fork\w*";

/// What is code and no name of a process, where a stack lacks its start.
const CODE: &str = r"(?-u)^\[unknown\]$|::|^_?caml|^[A-Z][\w']*(\.|__|\$)";

/// Cuts off all above a frame.
#[derive(Debug)]
pub(crate) struct Reroot {
    /// What stands in place of what was cut off; nothing if there is none.
    pub(crate) root: Option<Root>,
    /// Where a stack is cut besides.
    pub(crate) entries: Option<Entries>,
}

impl Reroot {
    /// Fills `built` with the stack from behind the frame at `last`, or from
    /// the last entry point behind it.
    pub(crate) fn rebuild(
        &mut self,
        stack: &[FrameId],
        last: Option<usize>,
        table: &FrameTable,
        built: &mut Vec<FrameId>,
    ) {
        let behind = last.map_or(0, |last| last + 1);
        let entry = self.entries.as_ref().and_then(|entries| entries.last_in(&stack[behind..]));
        let cut = behind + entry.unwrap_or(0);
        if let Some(root) = &mut self.root {
            built.extend(root.process(&stack[..cut], table));
            built.push(root.name);
        }
        built.extend(&stack[cut..]);
    }

    /// True if and only if the frame is a learnt entry point.
    pub(crate) fn enters(&self, frame: FrameId) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.learnt.contains(&frame))
    }
}

/// A frame for what was cut off.
#[derive(Debug)]
pub(crate) struct Root {
    name: FrameId,
    starts: FrameSet,
    code: FrameSet,
}

impl Root {
    pub(crate) fn new(name: FrameId) -> Result<Root> {
        let starts = FrameSet::listed(&[STARTS.into()])?;
        Ok(Root { name, starts, code: FrameSet::searched(CODE.as_bytes())? })
    }

    /// The frames that name the process, as `stack-parse --root` makes them.
    ///
    /// All above the start, `cycles;Server.exe;_start;...`. A stack that was
    /// cut short has no start: its first frame, `Server;Stdlib.List.map;...`.
    fn process<'a>(&mut self, above: &'a [FrameId], table: &FrameTable) -> &'a [FrameId] {
        let start = above.iter().position(|&frame| self.starts.holds(frame, table));
        let named = start.unwrap_or_else(|| {
            let first = above.first().filter(|&&frame| !self.code.holds(frame, table));
            usize::from(first.is_some())
        });
        &above[..named]
    }
}

/// The functions that are called behind a cut somewhere in the profile. Where
/// one is called without a cut, by a fibre that had not to wait, it is the
/// same fibre all the same.
#[derive(Debug)]
pub(crate) struct Entries {
    /// What can be an entry point ...
    pub(crate) candidates: FrameSet,
    /// ... and what of it is none.
    pub(crate) keep: Vec<FrameSet>,
    pub(crate) learnt: HashSet<FrameId>,
}

impl Entries {
    /// Learns from a stack, of which the last frame to cut at is known.
    pub(crate) fn learn(&mut self, stack: &[FrameId], last: usize, table: &FrameTable) {
        let Some(&entry) = stack.get(last + 1) else { return };
        let Entries { candidates, keep, learnt } = self;
        if candidates.holds(entry, table) && !keep.iter_mut().any(|keep| keep.holds(entry, table)) {
            learnt.insert(entry);
        }
    }

    fn last_in(&self, stack: &[FrameId]) -> Option<usize> {
        stack.iter().rposition(|frame| self.learnt.contains(frame))
    }
}
