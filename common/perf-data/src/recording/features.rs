//! What perf adds to a recording about the recording itself: tools/perf/util/header.c. In a file
//! these are sections after the data, in a stream they are records.

use crate::bytes::{Bytes, U64s};
use crate::events::Events;
use crate::events::attr::Attr;

/// The most that is read of a part that must be in memory as a whole, in bytes: the ids of events,
/// the descriptions of tracepoints.
pub(crate) const MOST_OF_A_SECTION: u64 = 64 << 20;

/// The numbers of the features that are read.
pub(crate) mod numbers {
    pub(crate) const TRACING_DATA: usize = 1;
    pub(crate) const BUILD_ID: usize = 2;
    pub(crate) const OSRELEASE: usize = 4;
    pub(crate) const ARCH: usize = 6;
    pub(crate) const NRCPUS: usize = 7;
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

/// The text of `ARCH`: `x86_64`, `aarch64`; or of `OSRELEASE`: `6.1.0-13-amd64`.
pub(crate) fn text(feature: &[u8]) -> Option<Vec<u8>> {
    Bytes(feature).sized_string().map(<[u8]>::to_vec)
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
