//! Whether an input is the text of `perf script`.

use super::{EventLine, FrameLine};
use crate::format::Head;

/// Whether the lines seen so far are those of `perf script`.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let first = head.lines().find(|line| !line.trim_ascii().is_empty());
    // The header of a machine with many processors is longer than what is seen.
    first.is_some_and(|line| line.starts_with(b"# ========")) || is_perf_script(head.lines())
}

/// True if an event line has a time and a thread, if a line is a whole sample,
/// or if frames follow a line that is none, or a blank one.
fn is_perf_script<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut may_precede_frames = true;
    for line in lines {
        let frame = FrameLine::parse(line);
        let is_frame = line.starts_with(b"\t") && frame.is_some();
        // ` ffffffff817554ea elf_load`, from `-F ip,sym` without call chains.
        let is_lone_frame = || {
            line.starts_with(b" ")
                && line.get(17) == Some(&b' ')
                && frame.is_some_and(|frame| frame.ip.len() >= 8)
        };
        let is_sample = || {
            EventLine::parse(line).is_some_and(|event| {
                event.tid.is_some() && (event.time.is_some() || event.only_frame().is_some())
            })
        };
        if is_frame && may_precede_frames || !is_frame && (is_sample() || is_lone_frame()) {
            return true;
        }
        // bpftrace opens a stack with `@[`, and with `-f perf` has frames like perf's.
        if line.starts_with(b"@") {
            return false;
        }
        may_precede_frames = !line.starts_with(b"\t");
    }
    false
}
