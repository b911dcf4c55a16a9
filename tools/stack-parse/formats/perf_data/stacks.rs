//! The stacks of samples, as locations in object files.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use stack_perf_data::{CallGraph, Processes, RawSample, StackEnd, StackFrame, Unwinder};
use symbolize::{CodeOrigin, ObjectId, Objects};

use super::listed_files::listed;
use super::locations::{LocationId, Locations};
use super::sections::ElfSections;
use crate::samples::{CallChains, Samples};

/// The size that perf uses for the longest copies of stacks that can be asked for, in bytes.
const LONGEST_COPY: u32 = 65528;

/// Finds the stacks of samples.
pub(super) struct Stacks {
    unwinder: Unwinder<'static, ObjectId>,
    /// The stack of one sample.
    frames: Vec<StackFrame<ObjectId>>,
    /// Files with code on a stack that were not found.
    not_here: Vec<ObjectId>,
    counts: Counts,
}

/// How many samples have only a part of their stack, and how stacks were recorded.
#[derive(Default)]
struct Counts {
    unwound: u64,
    /// Those that end where the copy ended.
    cut: u64,
    /// Those of them for which no missing file is the reason.
    truncated: u64,
    other_registers: u64,
    /// How many stacks end in a file that was not found, by file.
    ends: BTreeMap<ObjectId, u64>,
    /// The longest copy of a stack that was asked for, in bytes.
    longest_copy: u32,
    chains: CallChains,
}

impl Stacks {
    pub(super) fn new(unwinder: Unwinder<'static, ObjectId>) -> Stacks {
        let (frames, not_here, counts) = Default::default();
        Stacks { unwinder, frames, not_here, counts }
    }

    /// Appends the locations of a sample's stack to `out`, leaf first.
    pub(super) fn locate(
        &mut self,
        sample: &RawSample<'_>,
        processes: &Processes<ObjectId>,
        objects: &mut Objects,
        locations: &mut Locations,
        out: &mut Vec<LocationId>,
    ) {
        let Stacks { unwinder, frames, not_here, counts } = self;
        let mut files = ElfSections { objects, not_here };
        let end = unwinder.unwind(sample, processes, &mut files, frames);
        out.extend(frames.iter().map(|frame| match frame.mapped {
            Some((object, offset)) => {
                locations.intern(objects.locate(object, frame.address, offset, sample.time))
            }
            None => Locations::UNKNOWN,
        }));
        counts.note_call_graph(sample.event.call_graph());
        match end {
            StackEnd::OtherRegisters => counts.other_registers += 1,
            StackEnd::Root | StackEnd::Lost | StackEnd::Truncated => {
                counts.unwound += 1;
                let is_truncated = end == StackEnd::Truncated;
                counts.cut += u64::from(is_truncated);
                match end_without_file(frames, end, objects, not_here) {
                    Some(file) => *counts.ends.entry(file).or_default() += 1,
                    None => counts.truncated += u64::from(is_truncated),
                }
                out.extend(is_truncated.then_some(Locations::TRUNCATED));
            }
            _ => {}
        }
    }

    /// Reports which stacks are incomplete. `has_symfs`: the files were looked for in the folder of
    /// `--symfs`.
    pub(super) fn report(&self, objects: &Objects, has_symfs: bool, samples: &mut Samples<'_>) {
        let counts = &self.counts;
        samples.set_chains(counts.chains);
        let are_copied = counts.unwound > 0;
        samples.facts.truncated = are_copied.then_some([counts.cut, counts.unwound]);
        let share = |part: u64| 100.0 * part as f64 / counts.unwound.max(1) as f64;
        if counts.truncated > 0 {
            samples.note(format_args!(
                "{:.1} % of the stacks are longer than what was recorded of them and end in \
                 [truncated]: {}",
                share(counts.truncated),
                truncated_remedy(counts.longest_copy)
            ));
        }
        if !counts.ends.is_empty() {
            samples.note(format_args!(
                "{:.1} % of the stacks could not be unwound through files that are not here: {}: {}",
                share(counts.ends.values().sum()),
                counts.files_not_here(objects),
                not_here_remedy(has_symfs)
            ));
        }
        if counts.other_registers > 0 {
            samples.note(format_args!(
                "{} stacks of programs of 32 bits or for another machine are not unwound: \
                 record with frame pointers",
                counts.other_registers
            ));
        }
    }
}

/// The file of the last frame, if its caller was not found because that file is missing. Frame
/// pointers may still have led to the root, but not from the first function.
fn end_without_file(
    frames: &[StackFrame<ObjectId>],
    end: StackEnd,
    objects: &Objects,
    not_here: &[ObjectId],
) -> Option<ObjectId> {
    let object = |frame: &StackFrame<ObjectId>| frame.mapped.map(|(object, _)| object);
    let file = object(frames.last()?).filter(|file| not_here.contains(file))?;
    let is_kernel = |frame: &StackFrame<ObjectId>| {
        object(frame).is_some_and(|object| objects.origin(object) == CodeOrigin::Kernel)
    };
    let is_first = || frames.iter().rev().nth(1).is_none_or(is_kernel);
    (end != StackEnd::Root || is_first()).then_some(file)
}

/// What the user can do where files are missing.
fn not_here_remedy(has_symfs: bool) -> &'static str {
    if has_symfs {
        "copy them into the folder of --symfs, below it by their whole paths"
    } else {
        "use --symfs DIR, with a copy of the files of the recorded machine"
    }
}

/// What the user can do where copies of stacks are too short.
fn truncated_remedy(longest_copy: u32) -> &'static str {
    if longest_copy < LONGEST_COPY {
        "record with --call-graph dwarf,65528"
    } else {
        "longer copies cannot be recorded; where it is recursion, 'stack-fold-towers --reattach' \
         finds the callers"
    }
}

impl Counts {
    fn note_call_graph(&mut self, graph: CallGraph) {
        match graph {
            CallGraph::FramePointers if self.chains == CallChains::None => {
                self.chains = CallChains::FramePointers;
            }
            CallGraph::FramePointers | CallGraph::None => {}
            CallGraph::Copies { bytes } => {
                self.longest_copy = self.longest_copy.max(bytes);
                self.chains = CallChains::Others;
            }
            _ => self.chains = CallChains::Others,
        }
    }

    /// `/app (not found), /lib/b.so (its build-id differs from the recorded one), 2 more`
    fn files_not_here(&self, objects: &Objects) -> String {
        let mut files: Vec<_> = self.ends.iter().collect();
        files.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        listed(files.iter().map(|&(&file, _)| {
            let path = objects.path(file).as_bstr();
            match objects.why_nameless(file) {
                Some(why) => format!("{path} ({why})"),
                None => path.to_string(),
            }
        }))
    }
}
