//! `--folded`: both profiles as one, two counts a line.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::PathBuf;

use common::compare::{FunctionNames, RunNames, dominant_root, read_profile, read_profiles};
use common::folded::{Frames, Headers, StackBuf};
use common::stacks::{FrameId, SortedStack, SortedStacks, StackCounts};
use common::{Result, Status, io::Total, pipe::Pipe};
use hashbrown::HashMap;

use crate::joined;

/// Writes each stack with its weight before and after, summed over the runs.
pub(crate) fn write(
    sides: &[Vec<PathBuf>; 2],
    names: FunctionNames,
    pipe: &mut Pipe,
) -> Result<Status> {
    let sums = [Side::read(&sides[0], names, pipe)?, Side::read(&sides[1], names, pipe)?];
    let [Some(mut before), Some(mut after)] = sums else { return Ok(Status::Nothing) };
    if names == FunctionNames::Normalized
        && let Some(names) = run_names(&before, &after)
    {
        pipe.note(joined(&names));
        before.join(&names);
        after.join(&names);
    }
    pipe.write_header_of_some()?;
    if let (Some(before), Some(after)) = (before.samples, after.samples) {
        pipe.write_samples_of_two([before, after])?;
    }
    write_pairs(&before.stacks, &after.stacks, pipe)
}

fn write_pairs(before: &SortedStacks, after: &SortedStacks, pipe: &mut Pipe) -> Result<Status> {
    let (mut ones, mut others) = (before.iter().peekable(), after.iter().peekable());
    let mut stack = StackBuf::default();
    loop {
        let order = match (ones.peek(), others.peek()) {
            (None, None) => return Ok(pipe.status()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => frames(before, one).cmp(frames(after, other)),
        };
        let other = others.next_if(|_| order.is_ge());
        let one = ones.next_if(|_| order.is_le());
        match (&one, &other) {
            (Some(one), _) => stack.set(frames(before, one)),
            (None, Some(other)) => stack.set(frames(after, other)),
            (None, None) => {}
        }
        let [one, other] = [one, other].map(|stack| stack.map_or(0, |stack| stack.weight));
        let line = [stack.as_bytes(), format!(" {one} {other}\n").as_bytes()].concat();
        let weight = u128::from(one) + u128::from(other);
        pipe.write_lines(&line, Total { lines: 1, weight })?;
    }
}

/// The stacks of all files of a side, as the names of their functions.
struct Side {
    stacks: SortedStacks,
    /// For each file, the root that holds at least half of its weight.
    roots: Vec<Option<Vec<u8>>>,
    /// How many samples all files have together, if they say so.
    samples: Option<u64>,
}

impl Side {
    /// `None` if one of the files cannot be read.
    fn read(paths: &[PathBuf], names: FunctionNames, pipe: &mut Pipe) -> Result<Option<Side>> {
        let mut counts = StackCounts::default();
        let mut headers = Headers::default();
        let roots = read_profiles(paths, pipe, |path, pipe| {
            // Names are made for each distinct frame, not for each line.
            let mut lines = StackCounts::default();
            let profile = read_profile(path, pipe, |line| lines.add(line.stack, line.count))?;
            pipe.leave_out(lines.overflows());
            headers.add_samples(profile.samples, profile.total.weight);
            Ok(add_functions(&lines.into_sorted(), names, &mut counts))
        })?;
        let samples = headers.samples();
        pipe.leave_out(counts.overflows());
        Ok(roots.map(|roots| Side { stacks: counts.into_sorted(), roots, samples }))
    }

    /// Whether a function is in any stack.
    fn has(&self, function: &[u8]) -> bool {
        self.stacks.frames().find(function).is_some()
    }

    /// Makes one root of those that name runs.
    fn join(&mut self, names: &RunNames) {
        let mut counts = StackCounts::default();
        let mut stack = StackBuf::default();
        for line in self.stacks.iter() {
            stack.set(frames(&self.stacks, &line).enumerate().map(|(depth, frame)| {
                let is_name = depth == 0 && names.has(frame);
                if is_name { names.shown() } else { frame }
            }));
            counts.add(stack.as_bytes(), line.weight);
        }
        self.stacks = counts.into_sorted();
    }
}

/// Adds stacks as the names of their functions; returns the root that holds at least half of their
/// weight.
fn add_functions(
    stacks: &SortedStacks,
    names: FunctionNames,
    counts: &mut StackCounts,
) -> Option<Vec<u8>> {
    let table = stacks.frames();
    let functions: Vec<Cow<'_, [u8]>> =
        (0..table.len()).map(|id| names.of(table.name(id as FrameId))).collect();
    let (mut roots, mut whole) = (HashMap::new(), 0.0);
    let mut stack = StackBuf::default();
    for line in stacks.iter() {
        stack.set(line.frames.iter().map(|&frame| &*functions[frame as usize]));
        // A line whose frames are only marks has no names left: it stays as it is.
        if stack.as_bytes().is_empty() {
            stack.set(frames(stacks, &line));
        }
        let mut frames = Frames::new(stack.as_bytes());
        if let (Some(root), Some(_)) = (frames.next(), frames.next()) {
            *roots.entry_ref(root).or_insert(0.0) += line.weight as f64;
        }
        whole += line.weight as f64;
        counts.add(stack.as_bytes(), line.weight);
    }
    dominant_root(&roots, whole)
}

fn run_names(before: &Side, after: &Side) -> Option<RunNames> {
    let is_in =
        |side: usize, name: &[u8]| if side == 0 { before.has(name) } else { after.has(name) };
    RunNames::of([&before.roots, &after.roots], is_in)
}

fn frames<'a>(
    stacks: &'a SortedStacks,
    stack: &SortedStack<'a>,
) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    stack.frames.iter().map(|&frame| stacks.frames().name(frame))
}
