//! What simpleperf, the perf of Android, writes that perf does not: record.h, record_file_format.h
//! and record_file.proto in system/extras/simpleperf of AOSP.
//!
//! A recording is one of simpleperf if it has any of simpleperf's features. Its records have kinds
//! that perf does not use, so they need no such decision.

use bstr::ByteSlice;

use crate::bytes::{Bytes, U64s};
use crate::delivery::Delivery;
use crate::error::CallerStopped;
use crate::events::Events;
use crate::recording::header::MOST_OF_A_SECTION;
use crate::recording::ordered_reader::OrderedReader;
use crate::records::{self, Each, FileSymbols, Record, kinds};
use crate::stream::chunks::RecordAt;
use crate::summary::Summary;

/// The numbers of the features that are read.
pub(crate) mod numbers {
    /// From here on they are simpleperf's.
    pub(crate) const FIRST: usize = 128;
    pub(crate) const FILE: usize = 128;
    pub(crate) const META_INFO: usize = 129;
    pub(crate) const FILE2: usize = 132;
}

/// The size of the shortest body of a record that contains descriptions of tracepoints: their size,
/// and what simpleperf pads to a multiple of 64 bytes.
pub(crate) const SHORTEST_TRACING_DATA: usize = 4 + 64;

/// Takes the names of events and what was lost from `META_INFO`, which consists of keys and values,
/// each before a zero byte.
pub(crate) fn meta_info(meta_info: &[u8], Delivery { events, summary, .. }: &mut Delivery) {
    let mut texts = meta_info.split(|byte| *byte == 0);
    while let (Some(key), Some(value)) = (texts.next(), texts.next()) {
        match key {
            b"event_type_info" => value.lines().for_each(|line| _ = event_name(line, events)),
            b"record_stat" => counts(value, summary),
            _ => {}
        }
    }
}

/// `sample_record_count=19,kernelspace_lost_records=0,userspace_lost_samples=9`
fn counts(value: &[u8], summary: &mut Summary) {
    for (name, count) in value.split(|byte| *byte == b',').filter_map(|it| it.split_once_str("=")) {
        if let Some(count) = count.to_str().ok().and_then(|count| count.parse().ok()) {
            summary.set_count_of_simpleperf(name, count);
        }
    }
}

/// A line for each event: `sched:sched_switch,2,91`, its name and the `type` and the `config` of its
/// attribute.
fn event_name(line: &[u8], events: &mut Events) -> Option<()> {
    let mut fields = line.rsplitn(3, |byte| *byte == b',');
    let mut number = || fields.next()?.to_str().ok()?.parse::<u64>().ok();
    let (config, kind) = (number()?, number()?);
    events.set_name_by_type(kind, config, fields.next()?);
    Some(())
}

/// Passes on the files of `FILE` or `FILE2`, each after its size; `form` says in which form they
/// are.
pub(crate) fn hand_out_files<'a>(
    section: &'a [u8],
    form: fn(&'a [u8]) -> FileSymbols<'a>,
    each: Each<'_>,
) -> Result<(), CallerStopped> {
    let mut section = Bytes(section);
    while let Some(file) = section.u32().and_then(|size| section.take(size.into())) {
        each(Record::FileSymbols(form(file)))?;
    }
    Ok(())
}

/// The descriptions of tracepoints in a record that contains them, after their size.
pub(crate) fn tracing_data(body: &[u8]) -> &[u8] {
    let mut bytes = Bytes(body);
    let size = bytes.u32().unwrap_or(0);
    // What follows is padding.
    bytes.take(size.into()).unwrap_or(bytes.0)
}

impl OrderedReader<'_> {
    /// Takes a record of simpleperf's own.
    pub(crate) fn record_of_simpleperf(&mut self, at: RecordAt) {
        let (kind, _, body) = records::split(self.chunks.record(at));
        match kind {
            kinds::SIMPLEPERF_SPLIT if self.split.len() < MOST_OF_A_SECTION as usize => {
                self.split.extend_from_slice(body);
            }
            kinds::SIMPLEPERF_SPLIT_END => {
                let (kind, _, body) = records::split(&self.split);
                self.delivery.events.take(kind, body);
                self.split.clear();
            }
            _ => self.delivery.events.take(kind, body),
        }
    }
}

impl Events {
    /// Takes what a record of simpleperf's own says of events.
    fn take(&mut self, kind: u32, body: &[u8]) {
        match kind {
            kinds::SIMPLEPERF_TRACING_DATA => self.set_tracing_data(tracing_data(body)),
            // A counter that was opened while it recorded, as for a processor that was switched on.
            kinds::SIMPLEPERF_EVENT_ID => {
                let pairs = body.get(8..).unwrap_or_default();
                for pair in pairs.chunks_exact(16).map(U64s::new) {
                    if let (Some(event), Some(id)) = (pair.get(0), pair.get(1)) {
                        self.add_id(event, id);
                    }
                }
            }
            _ => {}
        }
    }
}
