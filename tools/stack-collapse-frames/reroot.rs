//! Cuts off the frames above a frame: the function that resumed a fibre says
//! nothing about the fibre.

use std::collections::HashSet;

use common::Result;
use common::stacks::{FrameId, FrameTable};

use crate::frame_set::{FrameSet, parse_listed};

/// The functions that start a process or a thread; the frames above them name it.
const STARTS: &str = r"_start|_dl_start(?:_user)?|_?_?clone3?|__GI___clone3?|start_thread|thread_start|_pthread_start|ret_from_fork\w*";

/// Frames that are code. If a stack has no start, its first frame is the name of
/// the process unless it matches this.
const CODE: &str = r"(?-u)^\[unknown\]$|::|^_?caml|^[A-Z][\w']*(\.|__|\$)";

/// Cuts off all frames above one.
#[derive(Debug)]
pub(crate) struct Reroot {
    /// A frame that replaces those that were cut off.
    pub(crate) root: Option<Root>,
    /// Further frames above which stacks are cut.
    pub(crate) entries: Option<Entries>,
}

impl Reroot {
    /// Fills `built` with the frames after the one at `last`, or from the last entry point after it
    /// on.
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

    /// Whether the frame is an entry point that was learnt.
    pub(crate) fn enters(&self, frame: FrameId) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.learnt.contains(&frame))
    }
}

/// The frame that replaces those that were cut off.
#[derive(Debug)]
pub(crate) struct Root {
    name: FrameId,
    starts: FrameSet,
    code: FrameSet,
}

impl Root {
    pub(crate) fn new(name: FrameId) -> Result<Root> {
        let starts = FrameSet::listed(&[parse_listed(STARTS.as_bytes())?])?;
        Ok(Root { name, starts, code: FrameSet::searched(CODE.as_bytes())? })
    }

    /// The frames that name the process, as `stack-parse --root` makes them.
    ///
    /// Those above the start, as in `cycles;Server.exe;_start;...`. A stack that
    /// was cut short has no start: then it is the first frame, as in
    /// `Server;Stdlib.List.map;...`.
    fn process<'a>(&mut self, above: &'a [FrameId], table: &FrameTable) -> &'a [FrameId] {
        let start = above.iter().position(|&frame| self.starts.holds(frame, table));
        let named = start.unwrap_or_else(|| {
            let first = above.first().filter(|&&frame| !self.code.holds(frame, table));
            usize::from(first.is_some())
        });
        &above[..named]
    }
}

/// Entry points of fibres: functions that are called right below a cut somewhere
/// in the profile. A fibre that did not have to wait calls the same function
/// without a cut above it.
#[derive(Debug)]
pub(crate) struct Entries {
    /// Functions that can be entry points ...
    pub(crate) candidates: FrameSet,
    /// ... but for these.
    pub(crate) keep: Vec<FrameSet>,
    pub(crate) learnt: HashSet<FrameId>,
}

impl Entries {
    /// Learns from a stack, whose last frame to cut at is at `last`.
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
