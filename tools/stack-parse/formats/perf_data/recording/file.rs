//! Recordings in files, which `perf record -o FILE` writes: the attributes stand
//! before the records, the features behind them.

use std::io::{Read, Seek, SeekFrom};

use common::{Input, Seekable};

use super::super::attr::Attr;
use super::super::bytes::{Bytes, U64s};
use super::super::chunks::Chunks;
use super::super::delivery::Delivery;
use super::super::events::Events;
use super::super::features::{self, numbers};
use super::super::header::{FILE_HEADER_SIZE, FileHeader, Section};
use super::super::stream::{Extent, Stop, Stream};
use super::super::tracing;
use super::{First, MOST_OF_A_SECTION};

/// Reads what stands around the records, and gets ready for them.
pub(super) fn open(input: &mut Input) -> Result<(Stream<'_>, Chunks, Delivery, First), Stop> {
    let mut file = input.take_seekable().map_err(Stop::Failed)?;
    let mut header = Vec::new();
    let read = file.by_ref().take(FILE_HEADER_SIZE as u64).read_to_end(&mut header);
    read.map_err(Stop::Failed)?;
    let malformed = |what: &str| Stop::Malformed(what.to_owned());
    let header = FileHeader::parse(&header).ok_or_else(|| malformed("the header is cut short"))?;
    let mut delivery = Delivery::default();
    delivery.events = read_attrs(&mut file, &header);
    if delivery.events.len() == 0 {
        return Err(malformed("there is no event in the header"));
    }
    // Without the size of the data nobody knows where the features are.
    let is_finished = header.data.size > 0;
    let mut first = First::default();
    if is_finished {
        read_features(&mut file, &header, &mut delivery, &mut first)?;
    }
    let extent = if is_finished { Extent::Until(header.data.end()) } else { Extent::Unfinished };
    let start = header.data.offset;
    file.seek(SeekFrom::Start(start))
        .map_err(|_| malformed(&format!("the records should begin at byte {start}")))?;
    let mut chunks = Chunks::default();
    let stream = Stream::new(Box::new(file), start, extent, &mut chunks);
    Ok((stream, chunks, delivery, first))
}

/// The events, as far as they can be read.
fn read_attrs(file: &mut Seekable, header: &FileHeader) -> Events {
    let mut events = Events::default();
    let attrs = read(file, header.attrs).unwrap_or_default();
    // A damaged header may name the same bytes again and again.
    let mut left = MOST_OF_A_SECTION;
    for bytes in attrs.chunks_exact(header.attr_size) {
        let (attr, mut ids) = bytes.split_at(bytes.len() - Section::SIZE);
        let ids = Section::parse(&mut Bytes(std::mem::take(&mut ids))).unwrap_or_default();
        left = left.saturating_sub(ids.size);
        let ids = if left > 0 { read(file, ids).unwrap_or_default() } else { Vec::new() };
        if let Some(attr) = Attr::parse(attr) {
            events.add(attr, U64s::new(&ids).iter());
        }
    }
    events
}

/// What is wanted of the features; what cannot be read is missing.
fn read_features(
    file: &mut Seekable,
    header: &FileHeader,
    delivery: &mut Delivery,
    first: &mut First,
) -> Result<(), Stop> {
    let count = header.features().count();
    let table = Section { offset: header.data.end(), size: (count * Section::SIZE) as u64 };
    let table = read(file, table).unwrap_or_default();
    for (number, section) in header.features().zip(table.chunks_exact(Section::SIZE)) {
        let section = Section::parse(&mut Bytes(section)).unwrap_or_default();
        match number {
            numbers::DIR_FORMAT if is_one_of_many(file, section) => {
                let what = "a recording in a folder, with its samples in the files beside \
                            this one: run 'perf script' on the folder";
                return Err(Stop::Refused(what.to_owned()));
            }
            numbers::ARCH => {
                first.machine = read(file, section).as_deref().and_then(features::text);
            }
            numbers::OSRELEASE => {
                first.release = read(file, section).as_deref().and_then(features::text);
            }
            numbers::BUILD_ID => first.build_ids = read(file, section).unwrap_or_default(),
            numbers::TRACING_DATA => {
                let data = read(file, section).unwrap_or_default();
                delivery.events.set_tracepoints(tracing::tracepoints(&data));
            }
            numbers::EVENT_DESC => {
                let feature = read(file, section).unwrap_or_default();
                features::event_names(&feature, &mut delivery.events);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the samples are in other files of the same folder, as `perf record --threads`
/// writes them. A folder may also have this one and a copy of the kernel's memory.
fn is_one_of_many(file: &mut Seekable, section: Section) -> bool {
    let version = read(file, section).and_then(|bytes| Bytes(&bytes).u64());
    version.is_some_and(|version| version > 0)
}

/// A part of the file, or as much of it as there is.
fn read(file: &mut Seekable, section: Section) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(section.offset)).ok()?;
    // The end of a packed input may be broken; what comes before is read.
    let _ = file.take(section.size.min(MOST_OF_A_SECTION)).read_to_end(&mut bytes);
    Some(bytes)
}
