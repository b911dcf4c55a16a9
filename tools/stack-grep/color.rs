//! Matches in colour: `--color`.

use std::ops::Range;

/// What comes before and after a match: bold red, as in GNU grep.
const START: &[u8] = b"\x1b[01;31m\x1b[K";
const END: &[u8] = b"\x1b[m\x1b[K";

/// Writes `stack` to `out`, the matches in colour.
pub(crate) fn paint(stack: &[u8], matches: &[Range<usize>], out: &mut Vec<u8>) {
    out.clear();
    let mut written = 0;
    for found in matches {
        // A match of a name with its marks goes over the place between them, and may hold other
        // matches.
        let (start, end) = (found.start.max(written), found.end);
        if start >= end {
            continue;
        }
        out.extend_from_slice(&stack[written..start]);
        for part in [START, &stack[start..end], END] {
            out.extend_from_slice(part);
        }
        written = end;
    }
    out.extend_from_slice(&stack[written..]);
}
