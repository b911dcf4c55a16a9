//! Lines of an input with their numbers.

use common::io::{Blocks, Input, lines};
use common::{Error, Result};

/// Hands every line to `each`, with its number, counted from 1, and without LF
/// and CR; the last line may lack its LF.
///
/// # Errors
///
/// [`Error::Input`], or what `each` returns.
pub(crate) fn for_each_line(
    input: &mut Input,
    mut each: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let name = input.name().to_owned();
    let mut number = 0;
    let mut blocks = Blocks::of_lines(input);
    loop {
        let block =
            blocks.next_block().map_err(|source| Error::Input { name: name.clone(), source })?;
        let Some(block) = block else { return Ok(()) };
        for line in lines(block.strip_suffix(b"\n").unwrap_or(block)) {
            number += 1;
            each(number, line)?;
        }
    }
}
