//! Records of text that end in a NUL, as names may hold line ends, or in a line end.

use std::io::{BufRead, BufReader};

use common::{Error, Result, io::Input};

use super::lines::for_each_line;

/// The number of bytes that are searched for a NUL: more than a record has.
const START: usize = 64 * 1024;

/// The size of one read, in bytes.
const BLOCK: usize = 256 * 1024;

/// Hands every record to `each`, with its number, counted from 1, and without its end.
///
/// # Errors
///
/// [`Error::Input`], or what `each` returns.
pub(crate) fn for_each_record(
    input: &mut Input,
    mut each: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let name = input.name().to_owned();
    let unread = |source| Error::Input { name: name.clone(), source };
    let has_nul = loop {
        let (start, is_all) = input.peek_more(START).map_err(unread)?;
        if start.contains(&0) || is_all {
            break start.contains(&0);
        }
    };
    if !has_nul {
        return for_each_line(input, each);
    }
    let mut input = BufReader::with_capacity(BLOCK, input);
    let mut record = Vec::new();
    for number in 1.. {
        record.clear();
        if input.read_until(0, &mut record).map_err(unread)? == 0 {
            break;
        }
        each(number, record.strip_suffix(b"\0").unwrap_or(&record))?;
    }
    Ok(())
}
