//! Splits XML into pieces that end after a row.

use std::io::{ErrorKind, Read};

use common::{Error, Result, io::Input};
use memchr::memmem::Finder;
use memchr::memrchr;

/// Where a piece ends.
const END: &[u8] = b"</row>";

/// How much is read at once, in bytes.
const BLOCK: usize = 256 * 1024;

/// A piece of this length without a row may end after any tag.
const LONG: usize = 4 * BLOCK;

/// Calls `each` with every piece and its offset in the input.
///
/// # Errors
///
/// [`Error::Input`], or an error of `each`.
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
            // A signal interrupted the read; there may be more data.
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
        // The end of a row may be split between two blocks.
        searched = buffer.len().saturating_sub(END.len() - 1);
    }
}
