//! The stacks of samples, as locations in object files.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bstr::ByteSlice;
use common::numbers::grouped;
use stack_perf_data::{
    CallGraph, LONGEST_COPY, Processes, RawSample, StackEnd, StackFrame, Unwinder,
};
use symbolize::{CodeOrigin, ObjectId, Objects};

use super::listed_files::listed;
use super::locations::{LocationId, Locations};
use super::process_runtimes::ProcessRuntimes;
use super::sections::ElfSections;
use crate::read::runtimes::Runtime;
use crate::samples::{CallChains, Samples};

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
    /// Those of them for which no missing file is the reason, nor a huge frame.
    truncated: u64,
    /// The size of the huge frame of a function, and how many stacks end there.
    huge: BTreeMap<LocationId, (u64, u64)>,
    /// Those that end where a caller is not known.
    lost: u64,
    /// How many of them end in which code, where no missing file is the reason, and whether they go
    /// on in another stack.
    broken: BTreeMap<(LocationId, bool), u64>,
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
        let mut files = ElfSections { objects, not_here, time: sample.time };
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
            StackEnd::Recorded => {}
            _ => {
                counts.unwound += 1;
                let last = out.last().copied().unwrap_or(Locations::UNKNOWN);
                let file = end_without_file(frames, end, objects, not_here);
                out.extend(counts.note_end(end, last, file));
            }
        }
    }

    /// Passes on what is known of all stacks.
    pub(super) fn set_facts(&self, samples: &mut Samples<'_>) {
        let counts = &self.counts;
        samples.set_chains(counts.chains);
        let are_copied = counts.unwound > 0;
        samples.facts.truncated = are_copied.then_some([counts.cut, counts.unwound]);
        samples.facts.broken = are_copied.then_some([counts.lost, counts.unwound]);
    }

    /// Whether so few stacks are incomplete that other messages are more urgent.
    pub(super) fn few_are_incomplete(&self) -> bool {
        let Counts { unwound, cut, lost, other_registers, .. } = self.counts;
        (cut + lost + other_registers).saturating_mul(100) < unwound
    }

    /// Messages that say which stacks are incomplete. `has_symfs`: the files were looked for in the
    /// folder of `--symfs`; `is_sampled`: some events were sampled, and not recorded each time.
    pub(super) fn messages(
        &self,
        objects: &Objects,
        locations: &Locations,
        runtimes: &ProcessRuntimes,
        has_symfs: bool,
        is_sampled: bool,
        samples: &Samples<'_>,
    ) -> Vec<String> {
        let counts = &self.counts;
        let share = |part: u64| 100.0 * part as f64 / counts.unwound.max(1) as f64;
        let mut messages = Vec::new();
        if counts.truncated > 0 {
            messages.push(format!(
                "{:.1} % of the stacks are longer than what was recorded of them and end in \
                 [truncated]: {}",
                share(counts.truncated),
                truncated_remedy(counts.longest_copy, is_sampled)
            ));
        }
        messages.extend(counts.huge_frames(locations, samples));
        if !counts.broken.is_empty() {
            messages.push(counts.broken_message(objects, locations, runtimes, samples));
        }
        if !counts.ends.is_empty() {
            messages.push(format!(
                "{:.1} % of the stacks could not be unwound through files that are not here: {}: {}",
                share(counts.ends.values().sum()),
                counts.files_not_here(objects),
                not_here_remedy(has_symfs)
            ));
        }
        if counts.other_registers > 0 {
            messages.push(format!(
                "{} stacks of programs of 32 bits or for another machine are not unwound: \
                 record with frame pointers",
                counts.other_registers
            ));
        }
        messages
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

/// What the user can do where copies of stacks are too short. Longer ones fill the buffers of perf
/// sooner.
fn truncated_remedy(longest_copy: u32, is_sampled: bool) -> &'static str {
    match (longest_copy < LONGEST_COPY, is_sampled) {
        (true, true) => {
            "record with --call-graph dwarf,65528, and with a lower -F if samples are then lost"
        }
        (true, false) => {
            "record with --call-graph dwarf,65528, and with a larger -m if events are then lost"
        }
        (false, _) => {
            "longer copies cannot be recorded; 'stack-fold-towers --reattach' finds the callers of \
             recursion, as in stack-flame"
        }
    }
}

/// What the user can do where the caller of code of this origin is not known, in a process with this
/// runtime.
fn broken_remedy(
    origin: Option<CodeOrigin>,
    runtime: Option<&'static Runtime>,
) -> Cow<'static, str> {
    match (origin, runtime.and_then(|runtime| runtime.with_callers)) {
        (Some(CodeOrigin::File), _) => Cow::Borrowed(
            "its file does not say where its caller is: install its debug symbols, or compile it \
             with -fasynchronous-unwind-tables (assembly: with .cfi directives)",
        ),
        (Some(CodeOrigin::Memory), Some(command)) => {
            format!("it was made at run time: use '{command}'").into()
        }
        (Some(CodeOrigin::Memory), None) => Cow::Borrowed(
            "it was made at run time: let its compiler keep frame pointers or write a jitdump",
        ),
        _ => Cow::Borrowed("it is in no file"),
    }
}

impl Counts {
    /// Notes how an unwound stack ends in the code at `last`, which is in a file that was not found
    /// if there is a `file`. Returns what is placed before it.
    fn note_end(
        &mut self,
        end: StackEnd,
        last: LocationId,
        file: Option<ObjectId>,
    ) -> Option<LocationId> {
        if let Some(file) = file {
            *self.ends.entry(file).or_default() += 1;
        }
        match end {
            StackEnd::Lost | StackEnd::OtherStack => {
                self.lost += 1;
                if file.is_none() {
                    let is_elsewhere = end == StackEnd::OtherStack;
                    *self.broken.entry((last, is_elsewhere)).or_default() += 1;
                }
                Some(Locations::BROKEN)
            }
            StackEnd::Truncated | StackEnd::HugeFrame { .. } => {
                self.cut += 1;
                match end {
                    _ if file.is_some() => {}
                    StackEnd::HugeFrame { bytes } => {
                        self.huge.entry(last).or_insert((bytes, 0)).1 += 1;
                    }
                    _ => self.truncated += 1,
                }
                Some(Locations::TRUNCATED)
            }
            _ => None,
        }
    }

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

    /// Names the functions whose frames are larger than any copy of a stack.
    fn huge_frames(&self, locations: &Locations, samples: &Samples<'_>) -> Vec<String> {
        let mut functions: BTreeMap<Vec<u8>, (u64, u64)> = BTreeMap::new();
        for (&location, &(bytes, count)) in &self.huge {
            functions.entry(locations.name(location, samples)).or_insert((bytes, 0)).1 += count;
        }
        let message = |(function, (bytes, count)): (Vec<u8>, (u64, u64))| {
            format!(
                "{:.1} % of the stacks end in [truncated] before {}, whose frame has {} bytes: no \
                 copy of a stack is that long, so none has its callers",
                100.0 * count as f64 / self.unwound.max(1) as f64,
                function.as_bstr(),
                grouped(bytes),
            )
        };
        functions.into_iter().map(message).collect()
    }

    /// Says how many stacks end before a root, in which code most of them do, and what helps there.
    fn broken_message(
        &self,
        objects: &Objects,
        locations: &Locations,
        runtimes: &ProcessRuntimes,
        samples: &Samples<'_>,
    ) -> String {
        let mut functions: BTreeMap<(Vec<u8>, Option<ObjectId>, bool), u64> = BTreeMap::new();
        for (&(location, is_elsewhere), count) in &self.broken {
            let object = locations.get(location).map(|location| location.object);
            let key = (locations.name(location, samples), object, is_elsewhere);
            *functions.entry(key).or_default() += count;
        }
        let most = functions.iter().max_by_key(|(_, count)| **count);
        let ((function, object, is_elsewhere), count) = most.expect("a stack that ends somewhere");
        let all: u64 = self.broken.values().sum();
        let share = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
        let path = object.map(|object| objects.path(object)).unwrap_or_default();
        let origin = object.map(|object| objects.origin(object));
        let remedy = match origin {
            _ if *is_elsewhere => Cow::Borrowed(
                "it goes on in a stack that was not copied, as where a signal has its own: record \
                 with --call-graph fp",
            ),
            _ => broken_remedy(origin, object.and_then(|object| runtimes.of(object))),
        };
        format!(
            "{:.1} % of the stacks end before their root, in [broken]; {:.0} % of these in {} ({}): \
             {remedy}",
            share(all, self.unwound),
            share(*count, all),
            function.as_bstr(),
            path.as_bstr(),
        )
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
