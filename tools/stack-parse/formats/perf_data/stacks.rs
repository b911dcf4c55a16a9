//! The stacks of samples, as locations in object files.

use stack_perf_data::{Processes, RawSample, StackEnd, StackFrame, Unwinder};
use symbolize::{ObjectId, Objects};

use super::locations::{LocationId, Locations};
use super::sections::ElfSections;
use crate::samples::Samples;

/// Finds the stacks of samples.
pub(super) struct Stacks {
    unwinder: Unwinder<'static, ObjectId>,
    /// The stack of one sample.
    frames: Vec<StackFrame<ObjectId>>,
    counts: Counts,
}

/// How many samples have only a part of their stack.
#[derive(Default)]
struct Counts {
    unwound: u64,
    truncated: u64,
    other_registers: u64,
    lacking: u64,
}

impl Stacks {
    pub(super) fn new(unwinder: Unwinder<'static, ObjectId>) -> Stacks {
        Stacks { unwinder, frames: Vec::new(), counts: Counts::default() }
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
        let Stacks { unwinder, frames, counts } = self;
        let end = unwinder.unwind(sample, processes, &mut ElfSections(objects), frames);
        out.extend(frames.iter().map(|frame| match frame.mapped {
            Some((object, offset)) => {
                locations.intern(objects.locate(object, frame.address, offset, sample.time))
            }
            None => Locations::UNKNOWN,
        }));
        counts.lacking += u64::from(sample.lacks_user_chain);
        match end {
            StackEnd::OtherRegisters => counts.other_registers += 1,
            StackEnd::Root | StackEnd::Lost => counts.unwound += 1,
            StackEnd::Truncated => {
                counts.unwound += 1;
                counts.truncated += 1;
                out.push(Locations::TRUNCATED);
            }
            _ => {}
        }
    }

    /// Says which stacks are not whole.
    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        let Counts { unwound, truncated, other_registers, lacking } = self.counts;
        if truncated > 0 {
            samples.note(format_args!(
                "{:.1} % of the stacks are longer than what was recorded of them and end in \
                 [truncated]: record with --call-graph dwarf,65528",
                100.0 * truncated as f64 / unwound as f64
            ));
        }
        if other_registers > 0 {
            samples.note(format_args!(
                "{other_registers} stacks of programs of 32 bits or for another machine are not \
                 unwound: record with frame pointers"
            ));
        }
        if lacking > 0 {
            samples.note(format_args!(
                "{lacking} samples lack the program's part of their call chain, which was to be \
                 recorded later"
            ));
        }
    }
}
