//! Writes the stacks that are shown.

use std::fs::File;
use std::io::{BufWriter, Write};

use common::folded::{FoldedLine, StackBuf, append_folded};
use common::{Error, Result, io::Output, pipe::Pipe, stacks::FrameId};

use crate::profile::Profile;
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
    let mut stack = StackBuf::default();
    for (frames, weight) in view.stacks() {
        fill(&mut stack, &frames, &view.profile);
        pipe.write(stack.as_bytes(), weight)?;
    }
    Ok(())
}

/// Writes them to standard output while it is still read.
///
/// # Errors
///
/// [`Error::Output`] with the error of the system.
pub(crate) fn to_output(view: &View, out: &mut Output) -> Result<()> {
    let mut stack = StackBuf::default();
    for (frames, weight) in view.stacks() {
        fill(&mut stack, &frames, &view.profile);
        out.folded(&FoldedLine::new(stack.as_bytes(), weight))?;
    }
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
    let (mut stack, mut line) = (StackBuf::default(), Vec::new());
    for (frames, weight) in view.stacks() {
        fill(&mut stack, &frames, &view.profile);
        line.clear();
        append_folded(&FoldedLine::new(stack.as_bytes(), weight), &mut line);
        out.write_all(&line).map_err(failed)?;
    }
    out.flush().map_err(failed)
}

fn fill(stack: &mut StackBuf, frames: &[FrameId], profile: &Profile) {
    stack.clear();
    frames.iter().for_each(|&frame| stack.push_clean_frame(profile.name(frame)));
}
