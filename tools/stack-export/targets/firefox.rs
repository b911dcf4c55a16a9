//! The Firefox Profiler's processed format, written by the crate of samply's author.

use std::io::{self, Write};
use std::time::SystemTime;

use common::{Output, Unit};
use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameHandle, FrameInfo, Profile as Firefox,
    SamplingInterval, StackHandle, ThreadHandle, Timestamp, WeightType,
};
use serde_json::Value;

use crate::event::ExportedEvent;
use crate::profile::Profile;

pub(super) fn write(profile: &Profile, event: &ExportedEvent, out: &mut Output) -> io::Result<()> {
    // A profile has no date, so that equal stacks give equal files.
    let start = SystemTime::UNIX_EPOCH.into();
    let mut firefox = Firefox::new(event.label(), start, SamplingInterval::from_millis(1));
    firefox.set_symbolicated(true);
    let begin = Timestamp::from_nanos_since_reference(0);
    let process = firefox.add_process(event.label(), 1, begin);
    let thread = firefox.add_thread(process, 1, begin, true);
    let (weight_type, scale) = weight_type(&event.unit());
    firefox.set_thread_samples_weight_type(thread, weight_type);
    add_samples(profile, event, &mut firefox, thread);

    let mut document = serde_json::to_value(&firefox)?;
    // The crate takes weights up to 2^31 only, and no fractions.
    let weights = profile.stacks_of(event).map(|stack| scale.of(stack.weight));
    document["threads"][0]["samples"]["weight"] = weights.collect();
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// How a weight is written.
#[derive(Clone, Copy)]
enum Scale {
    Whole,
    /// In milliseconds; so many nanoseconds are a weight of one.
    Milliseconds(u64),
}

impl Scale {
    fn of(self, weight: u64) -> Value {
        match self {
            Scale::Whole => weight.into(),
            Scale::Milliseconds(nanoseconds) => {
                (weight as f64 * nanoseconds as f64 / 1_000_000.0).into()
            }
        }
    }
}

fn weight_type(unit: &Unit) -> (WeightType, Scale) {
    match unit {
        Unit::Time(nanoseconds) => (WeightType::TracingMs, Scale::Milliseconds(*nanoseconds)),
        Unit::Bytes => (WeightType::Bytes, Scale::Whole),
        Unit::Things(_) | Unit::Unknown => (WeightType::Samples, Scale::Whole),
    }
}

/// Adds a sample for each stack, a millisecond apart: stacks have no time.
fn add_samples(
    profile: &Profile,
    event: &ExportedEvent,
    firefox: &mut Firefox,
    thread: ThreadHandle,
) {
    let mut frames: Vec<Option<FrameHandle>> = vec![None; profile.frames().len()];
    let mut open: Vec<StackHandle> = Vec::new();
    for (stack, number) in profile.stacks_of(event).zip(0u64..) {
        open.truncate(stack.shared);
        for &frame in &stack.frames[stack.shared..] {
            let handle = frames[profile.place(frame) as usize].get_or_insert_with(|| {
                let label = Frame::Label(firefox.intern_string(&profile.text(frame)));
                let category_pair = CategoryHandle::OTHER.into();
                let info = FrameInfo { frame: label, category_pair, flags: FrameFlags::empty() };
                firefox.intern_frame(thread, info)
            });
            open.push(firefox.intern_stack(thread, open.last().copied(), *handle));
        }
        let time = Timestamp::from_nanos_since_reference(number * 1_000_000);
        firefox.add_sample(thread, time, open.last().copied(), CpuDelta::ZERO, 1);
    }
}
