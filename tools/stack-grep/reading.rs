//! Reads the lines of an input, for all answers.

use std::ops::ControlFlow;

use common::Result;
use common::folded::FoldedLine;
use common::io::Input;
use common::pipe::{Comments, HeldLines, Pipe};

use crate::selection::Selection;

/// Calls `each` with the lines of an input that may be kept, until it has enough. If they show
/// what is of the kind that is asked for, all of them are read first.
pub(crate) fn each_line(
    selection: &mut Selection,
    pipe: &mut Pipe,
    input: &mut Input,
    comments: Comments,
    mut each: impl FnMut(&mut Selection, &FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>> + Send,
) -> Result<()> {
    let lines = pipe.lines_of(input).comments(comments);
    if !selection.kind.as_ref().is_some_and(|of_kind| of_kind.learns) {
        let finder = selection.finder.clone();
        return lines.each_found(finder.as_ref(), |line, pipe| each(selection, &line, pipe));
    }
    let mut held = HeldLines::default();
    let read = lines.each(|line, _| {
        held.push(&line);
        Ok(())
    });
    if let Some(of_kind) = &mut selection.kind {
        of_kind.kinds = held.kinds();
    }
    for line in held.iter() {
        if each(selection, &line, pipe)?.is_break() {
            break;
        }
    }
    // What was readable before an error is not lost.
    read
}
