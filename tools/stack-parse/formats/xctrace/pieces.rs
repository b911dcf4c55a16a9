//! XML in pieces, each of which ends behind a row.

use std::io::{ErrorKind, Read};

use common::{Error, Input, Result};
use memchr::memmem::Finder;
use memchr::memrchr;

/// Where a piece ends.
const END: &[u8] = b"</row>";

/// How much is read at a time, in bytes.
const BLOCK: usize = 256 * 1024;

/// From this on a piece without a row ends behind any tag.
const LONG: usize = 4 * BLOCK;

/// Calls `each` with all pieces, and with where in the input each begins.
///
/// # Errors
///
/// [`Error::Input`], or what `each` returns.
pub(super) fn for_each_piece(
    input: &mut Input,
    mut each: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let row_end = Finder::new(END);
    let name = input.name().to_owned();
    let (mut buffer, mut place, mut searched) = (Vec::new(), 0u64, 0);
    loop {
        let start = buffer.len();
        buffer.resize(start + BLOCK, 0);
        let read = match input.read(&mut buffer[start..]) {
            // A signal came; there may be more to read.
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                buffer.truncate(start);
                continue;
            }
            read => read.map_err(|source| Error::Input { name: name.clone(), source })?,
        };
        buffer.truncate(start + read);
        let mut done = 0;
        while let Some(at) = row_end.find(&buffer[searched..]) {
            let end = searched + at + END.len();
            each(place + done as u64, &buffer[done..end])?;
            (done, searched) = (end, end);
        }
        if read == 0 {
            return each(place + done as u64, &buffer[done..]);
        }
        if buffer.len() - done > LONG
            && let Some(tag_end) = memrchr(b'>', &buffer[done..])
        {
            each(place + done as u64, &buffer[done..=done + tag_end])?;
            done += tag_end + 1;
        }
        buffer.drain(..done);
        place += done as u64;
        // An end may begin in one block and go on in the next.
        searched = buffer.len().saturating_sub(END.len() - 1);
    }
}
