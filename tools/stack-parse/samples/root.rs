//! The frame above a thread's stacks: `--root`.

use std::ffi::OsStr;

use clap::ValueEnum;
use common::folded::{append_label_frame, clean_frame};

use super::sample::Sample;

/// The frame above a thread's stacks.
#[derive(Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Root {
    /// The thread's name
    Comm,
    /// The name and the process: comm-PID
    Pid,
    /// The name, the process and the thread: comm-PID/TID
    Tid,
    /// No such frame
    None,
    /// What the sample's label of this name says
    #[value(skip)]
    Label(Vec<u8>),
}

impl Root {
    /// Parses `label:KEY`.
    pub(super) fn parse_label(value: &OsStr) -> Option<clap::error::Result<Root>> {
        let key = value.as_encoded_bytes().strip_prefix(b"label:").filter(|key| !key.is_empty());
        key.map(|key| Ok(Root::Label(key.to_vec())))
    }

    /// Whether it may differ between samples of one thread and event.
    pub(crate) fn is_of_each_sample(&self) -> bool {
        let of_thread: [&[u8]; 5] = [b"comm", b"pid", b"tid", b"cpu", b"event"];
        matches!(self, Root::Label(key) if !of_thread.contains(&&key[..]))
    }

    /// Appends the name of the frame; nothing if there is no such frame. `label` is the value of
    /// the label that the frame shows.
    pub(crate) fn push_name(&self, origin: &Sample<'_>, label: Option<&[u8]>, name: &mut Vec<u8>) {
        let ids: [&[u8]; 4] = match self {
            Root::None => return,
            Root::Label(key) => return append_label_frame(key, label, name),
            // Nothing is known of the thread, as in folded stacks.
            _ if origin.comm.is_empty() && origin.pid.is_none() && origin.tid.is_none() => return,
            Root::Comm => [b"", b"", b"", b""],
            Root::Pid => [b"-", origin.pid.unwrap_or(b"?"), b"", b""],
            Root::Tid => [b"-", origin.pid.unwrap_or(b"?"), b"/", origin.tid.unwrap_or(b"?")],
        };
        // In some formats an id is any text.
        for part in [origin.comm].iter().chain(&ids) {
            clean_frame(part, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_name_breaks_a_line() {
        let (pid, tid) = (Some(&b"1"[..]), Some(&b"0:a\x01\x1b[b;c"[..]));
        let origin = Sample { comm: b"my;app", pid, tid, ..Sample::default() };
        let mut name = Vec::new();
        Root::Tid.push_name(&origin, None, &mut name);
        assert_eq!(name, b"my:app-1/0:a  [b:c");
        assert!(!name.iter().any(u8::is_ascii_control));
    }
}
