//! Lines after a frame with its source line: `perf script -F +srcline`.

use common::numbers::is_digits;
use memchr::memrchr;

/// Whether perf knew the source line: `demo.cpp:14`, but not `??:0`, `:0` or
/// `[kernel.kallsyms][ffffffff8136ffd0]`.
pub(super) fn is_known_place(place: &[u8]) -> bool {
    let Some(colon) = memrchr(b':', place) else { return false };
    let (file, line) = (&place[..colon], &place[colon + 1..]);
    !matches!(file, b"" | b"??") && is_digits(line) && line.iter().any(|&digit| digit != b'0')
}

/// Whether this is the source line of the frame above: `  demo.cpp:14`. A line with only a number
/// is a sample, `  123 ` from `-F tid,ip,sym`.
pub(super) fn is_source_line(line: &[u8]) -> bool {
    let place = line.strip_prefix(b"  ").unwrap_or_default().trim_ascii_end();
    !place.starts_with(b" ") && !place.is_empty() && !is_digits(place)
}
