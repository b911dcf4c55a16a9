//! `--folded`: both profiles as one, two counts a line.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::PathBuf;

use common::{
    Pipe, Result, SortedStack, SortedStacks, StackBuf, StackCounts, Status, Total, names_of_stack,
};

use crate::profile;

/// Writes each stack with its weight before and after, summed over the runs.
pub(crate) fn write(sides: &[Vec<PathBuf>; 2], pipe: &mut Pipe) -> Result<Status> {
    let counts = [count(&sides[0], pipe)?, count(&sides[1], pipe)?];
    let [Some(before), Some(after)] = counts else { return Ok(Status::Nothing) };
    pipe.write_header()?;
    let (mut ones, mut others) = (before.iter().peekable(), after.iter().peekable());
    let mut stack = StackBuf::default();
    loop {
        let order = match (ones.peek(), others.peek()) {
            (None, None) => return Ok(pipe.status()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => names(&before, one).cmp(names(&after, other)),
        };
        stack.clear();
        let other = others.next_if(|_| order.is_ge());
        let one = ones.next_if(|_| order.is_le());
        match (&one, &other) {
            (Some(one), _) => names(&before, one).for_each(|name| stack.push_clean_frame(name)),
            (None, Some(other)) => {
                names(&after, other).for_each(|name| stack.push_clean_frame(name));
            }
            (None, None) => {}
        }
        let [one, other] = [one, other].map(|stack| stack.map_or(0, |stack| stack.weight));
        let line = [stack.as_bytes(), format!(" {one} {other}\n").as_bytes()].concat();
        let weight = u128::from(one) + u128::from(other);
        pipe.write_lines(&line, Total { lines: 1, weight })?;
    }
}

/// The stacks of all files of a side. `None` if one of these cannot be read.
fn count(paths: &[PathBuf], pipe: &mut Pipe) -> Result<Option<SortedStacks>> {
    let mut counts = StackCounts::default();
    let read = profile::read_all(paths, pipe, |path, pipe| {
        profile::read(path, pipe, |line| counts.add(&functions_of(line.stack), line.count))
    })?;
    pipe.leave_out(counts.overflows());
    Ok(read.map(|_| counts.into_sorted()))
}

/// The stack as the names of its functions: a function whose line changed is still the same. As it
/// is if its frames are marks alone, since a line needs a stack.
fn functions_of(stack: &[u8]) -> Cow<'_, [u8]> {
    let names = names_of_stack(stack, false);
    if names.is_empty() { stack.into() } else { names }
}

fn names<'a>(
    stacks: &'a SortedStacks,
    stack: &SortedStack<'a>,
) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    stack.frames.iter().map(|&frame| stacks.frames().name(frame))
}
