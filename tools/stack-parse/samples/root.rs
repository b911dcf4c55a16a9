//! The frame above a thread's stacks: `--root`.

use clap::ValueEnum;
use common::{FrameId, NodeId, clean_frame};

use super::sample::Sample;

/// Which frame stands above a thread's stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Root {
    /// The thread's name
    Comm,
    /// The name and the process: comm-PID
    Pid,
    /// The name, the process and the thread: comm-PID/TID
    Tid,
    /// No such frame
    None,
}

impl Root {
    /// Appends the name of the frame; nothing if there is none.
    pub(crate) fn push_name(self, origin: &Sample<'_>, name: &mut Vec<u8>) {
        let ids: [&[u8]; 4] = match self {
            Root::None => return,
            // Nothing is known of the thread: folded stacks have no such thing.
            _ if origin.comm.is_empty() && origin.pid.is_none() && origin.tid.is_none() => return,
            Root::Comm => [b"", b"", b"", b""],
            Root::Pid => [b"-", origin.pid.unwrap_or(b"?"), b"", b""],
            Root::Tid => [b"-", origin.pid.unwrap_or(b"?"), b"/", origin.tid.unwrap_or(b"?")],
        };
        clean_frame(origin.comm, name);
        ids.iter().for_each(|id| name.extend_from_slice(id));
    }
}

/// The root frames of the sample at hand, and what they were made from.
#[derive(Debug, Default)]
pub(crate) struct Base {
    event: Option<usize>,
    comm: Vec<u8>,
    pid: Vec<u8>,
    tid: Vec<u8>,
    pub(crate) frames: Vec<FrameId>,
    pub(crate) node: NodeId,
}

impl Base {
    /// True if and only if a sample of this origin has these root frames.
    pub(crate) fn is(&self, event: usize, origin: &Sample<'_>, root: Root) -> bool {
        self.event == Some(event)
            && self.comm == origin.comm
            && (matches!(root, Root::Comm | Root::None)
                || self.pid == origin.pid.unwrap_or_default()
                    && self.tid == origin.tid.unwrap_or_default())
    }

    /// Notes what the root frames to come are made from.
    pub(crate) fn note(&mut self, event: usize, origin: &Sample<'_>) {
        self.event = Some(event);
        for (kept, part) in [
            (&mut self.comm, origin.comm),
            (&mut self.pid, origin.pid.unwrap_or_default()),
            (&mut self.tid, origin.tid.unwrap_or_default()),
        ] {
            kept.clear();
            kept.extend_from_slice(part);
        }
    }
}
