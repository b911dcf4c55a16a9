//! Reads the lines of an input, for all answers.

use std::ops::ControlFlow;

use common::Result;
use common::folded::FoldedLine;
use common::io::Input;
use common::pipe::{Comments, HeldLines, Pipe, SeenFrames};

use crate::of_kind::{Kinds, OfKind};
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
    let Some(OfKind { kinds: Kinds::OfInput(_), .. }) = selection.kind else {
        let finder = selection.finder.clone();
        return lines.each_found(finder.as_ref(), |line, pipe| each(selection, &line, pipe));
    };
    let (mut held, mut frames) = (HeldLines::default(), SeenFrames::default());
    let read = lines.each(|line, _| {
        frames.add(&line);
        held.push(&line);
        Ok(())
    });
    if let Some(of_kind) = &mut selection.kind {
        of_kind.kinds = Kinds::OfInput(frames.into_kinds());
    }
    for line in held.iter() {
        if each(selection, &line, pipe)?.is_break() {
            break;
        }
    }
    // What was readable before an error is not lost.
    read
}
