//! What perf adds to a recording about the recording itself: tools/perf/util/header.c. In a file
//! these are sections after the data, in a stream they are records.

use crate::bytes::{Bytes, U64s};
use crate::error::CallerStopped;
use crate::events::Events;
use crate::events::attr::Attr;
use crate::recording::simpleperf;
use crate::records::{Each, FileSymbols, Record};

/// The numbers of the features that are read.
pub(crate) mod numbers {
    pub(crate) const TRACING_DATA: usize = 1;
    pub(crate) const BUILD_ID: usize = 2;
    pub(crate) const HOSTNAME: usize = 3;
    pub(crate) const OSRELEASE: usize = 4;
    pub(crate) const ARCH: usize = 6;
    pub(crate) const NRCPUS: usize = 7;
    pub(crate) const CMDLINE: usize = 11;
    pub(crate) const EVENT_DESC: usize = 12;
    pub(crate) const DIR_FORMAT: usize = 24;
}

/// Sets the names of events from `EVENT_DESC`, as far as it can be read. It holds the number of
/// events, the size of an attribute, and for each event its attribute, its number of ids, its name
/// and its ids.
pub(crate) fn event_names(feature: &[u8], events: &mut Events) -> Option<()> {
    let mut feature = Bytes(feature);
    let (count, attr_size) = (feature.u32()?, feature.u32()?);
    for index in 0..count as usize {
        feature.take(attr_size.into())?;
        let ids = feature.u32()?;
        events.set_name(index, feature.sized_string()?);
        feature.u64s(ids.into())?;
    }
    Some(())
}

/// Passes a feature on as a record, if callers may need it.
pub(crate) fn hand_out(number: usize, feature: &[u8], each: Each<'_>) -> Result<(), CallerStopped> {
    let text = || Bytes(feature).sized_string();
    match number {
        numbers::ARCH => text().map_or(Ok(()), |machine| each(Record::Machine(machine))),
        numbers::HOSTNAME => text().map_or(Ok(()), |host| each(Record::HostName(host))),
        numbers::OSRELEASE => text().map_or(Ok(()), |release| each(Record::Release(release))),
        numbers::NRCPUS => online(feature).map_or(Ok(()), |it| each(Record::Processors(it))),
        simpleperf::numbers::FILE => simpleperf::hand_out_files(feature, FileSymbols::Struct, each),
        simpleperf::numbers::FILE2 => {
            simpleperf::hand_out_files(feature, FileSymbols::Message, each)
        }
        numbers::CMDLINE => each(Record::CommandLine(&command_line(feature))),
        _ => Ok(()),
    }
}

/// The words of `CMDLINE`, as far as they can be read.
fn command_line(feature: &[u8]) -> Vec<&[u8]> {
    let mut feature = Bytes(feature);
    let count = feature.u32().unwrap_or(0);
    (0..count).map_while(|_| feature.sized_string()).collect()
}

/// How many processors were online, from `NRCPUS`, see [`processors`].
fn online(feature: &[u8]) -> Option<u32> {
    let mut feature = Bytes(feature);
    let _available = feature.u32()?;
    feature.u32()
}

/// How many processors the machine has, from `NRCPUS`, which holds two numbers: first the available
/// ones, then those online.
pub(crate) fn processors(feature: &[u8]) -> Option<u32> {
    Bytes(feature).u32()
}

/// The attribute of an event and the ids of its counters, from a record of a stream.
/// The attribute holds its own size.
pub(crate) fn attr_and_ids(body: &[u8]) -> Option<(Attr, U64s<'_>)> {
    let size = match Bytes(body.get(4..)?).u32()? {
        // The first version did not say it.
        0 => Attr::FEWEST_BYTES,
        size => size as usize,
    };
    let (attr, ids) = body.split_at_checked(size)?;
    Some((Attr::parse(attr)?, U64s::new(ids)))
}

/// The id of a counter and the name of its event, if this `EVENT_UPDATE` is about a name.
pub(crate) fn updated_name(body: &[u8]) -> Option<(u64, &[u8])> {
    const NAME: u64 = 2;
    let mut body = Bytes(body);
    let (what, id) = (body.u64()?, body.u64()?);
    (what == NAME).then(|| (id, body.string()))
}
