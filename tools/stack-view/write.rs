//! Writes the stacks that are shown.

use std::fs::File;
use std::io::{BufWriter, Write};

use common::folded::{FoldedLine, StackBuf, append_folded};
use common::{Error, Result, io::Output, pipe::Pipe};

use crate::view::View;

/// Writes them to standard output.
///
/// # Errors
///
/// [`Error::Output`] with the error of the system.
pub(crate) fn to_pipe(view: &View, pipe: &mut Pipe) -> Result<()> {
    // What the header says about all stacks is unknown for some of them.
    if view.command().is_empty() {
        pipe.write_header()?;
    } else {
        pipe.write_header_of_some()?;
    }
    for_each(view, |line| pipe.pass(line))
}

/// Writes them to standard output while it is still read.
///
/// # Errors
///
/// [`Error::Output`] with the error of the system.
pub(crate) fn to_output(view: &View, out: &mut Output) -> Result<()> {
    for_each(view, |line| out.folded(line))?;
    out.flush()
}

/// Writes them to a file that is not there yet.
///
/// # Errors
///
/// [`Error::Output`] with the error of the system.
pub(crate) fn to_new_file(view: &View, name: &str) -> Result<()> {
    let failed = |source| Error::Output { name: name.to_owned(), source };
    let mut out = BufWriter::new(File::create_new(name).map_err(failed)?);
    let mut text = Vec::new();
    for_each(view, |line| {
        text.clear();
        append_folded(line, &mut text);
        out.write_all(&text).map_err(failed)
    })?;
    out.flush().map_err(failed)
}

/// Calls `each` with the stacks that are shown.
fn for_each(view: &View, mut each: impl FnMut(&FoldedLine<'_>) -> Result<()>) -> Result<()> {
    let mut stack = StackBuf::default();
    view.stacks().into_iter().try_for_each(|(frames, weight)| {
        stack.set(frames.iter().map(|&frame| view.profile.name(frame)));
        each(&FoldedLine::new(stack.as_bytes(), weight))
    })
}
