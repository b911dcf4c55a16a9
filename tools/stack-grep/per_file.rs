//! Answers about whole files: whether any stack is kept, and how much.

use std::ops::ControlFlow;

use common::io::{Files, Input, STDIN, Total, append_row};
use common::numbers::{share, share_number};
use common::pipe::{Comments, Pipe};
use common::{Result, Status, names::utf8};

use crate::reading::each_line;
use crate::selection::Selection;

/// Looks for a stack that is kept, and for no more than one: `-q`.
pub(crate) fn quiet(files: &Files, selection: &mut Selection, pipe: &mut Pipe) -> Result<Status> {
    let mut is_found = false;
    pipe.for_each_input_until(files, |input, pipe| {
        is_found = keeps_any(input, selection, pipe)?;
        Ok(if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(if is_found { Status::Found } else { Status::Nothing })
}

/// Prints the names of the files with a stack that is kept, or of those without
/// one: `-l` and `-L`. As with grep, the status says whether there is such a
/// stack, not whether a name was printed.
pub(crate) fn list(
    files: &Files,
    selection: &mut Selection,
    with_match: bool,
    pipe: &mut Pipe,
) -> Result<Status> {
    pipe.for_each_input(files, |input, pipe| {
        if keeps_any(input, selection, pipe)? == with_match {
            pipe.out().line(name(input))?;
        }
        Ok(())
    })?;
    Ok(pipe.status())
}

/// How `-c` prints a number for a file.
#[derive(Clone, Copy)]
pub(crate) enum CountStyle {
    Line,
    LineWithName,
    Tsv,
}

/// Prints for each file the weight of the stacks that are kept, and its share of
/// the weight read: `-c`.
pub(crate) fn count(
    files: &Files,
    selection: &mut Selection,
    style: CountStyle,
    pipe: &mut Pipe,
) -> Result<Status> {
    if matches!(style, CountStyle::Tsv) {
        pipe.out().line(b"file\tweight\tshare")?;
    }
    pipe.for_each_input(files, |input, pipe| {
        let (mut kept, mut dropped) = (Total::default(), Total::default());
        let before = pipe.stats().read.weight;
        let read = each_line(selection, pipe, input, Comments::Keep, |selection, line, _| {
            let total = if selection.keeps(line) { &mut kept } else { &mut dropped };
            *total += line.count;
            Ok(ControlFlow::Continue(()))
        });
        pipe.count_written(kept);
        pipe.count_dropped(dropped);
        let all = pipe.stats().read.weight - before;
        pipe.out().lines(&count_line(name(input), kept.weight, all, style))?;
        read
    })?;
    Ok(pipe.status())
}

fn count_line(name: &[u8], kept: u128, all: u128, style: CountStyle) -> Vec<u8> {
    let count = format!("{kept} {}\n", share(kept, all)).into_bytes();
    match style {
        CountStyle::Line => count,
        CountStyle::LineWithName => [name, b":", &count].concat(),
        CountStyle::Tsv => {
            let mut row = Vec::new();
            let fields = [utf8(name).into_owned(), kept.to_string(), share_number(kept, all)];
            append_row(&fields.each_ref().map(String::as_str), &mut row);
            row
        }
    }
}

/// Whether a stack of an input is kept. Nothing is read after the first one.
fn keeps_any(input: &mut Input, selection: &mut Selection, pipe: &mut Pipe) -> Result<bool> {
    let mut is_found = false;
    if selection.max_count == Some(0) {
        return Ok(false);
    }
    each_line(selection, pipe, input, Comments::Keep, |selection, line, pipe| {
        is_found = selection.keeps(line);
        if is_found {
            pipe.count_written(line.count);
            return Ok(ControlFlow::Break(()));
        }
        pipe.drop_line(line);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(is_found)
}

/// The name of a file as it was given, which may not be UTF-8.
fn name(input: &Input) -> &[u8] {
    input.path().map_or(STDIN.as_bytes(), |path| path.as_os_str().as_encoded_bytes())
}
