//! Recordings in files, which `perf record -o FILE` writes: the attributes are before the
//! records, the features after them.

use std::io::{Read, Seek, SeekFrom};

use crate::bytes::{Bytes, U64s};
use crate::delivery::Delivery;
use crate::error::{CallerStopped, Error};
use crate::events::Events;
use crate::events::attr::Attr;
use crate::recording::features::{self, numbers};
use crate::recording::header::{FILE_HEADER_SIZE, FileHeader, FileSection, MOST_OF_A_SECTION};
use crate::recording::ordered_reader::OrderedReader;
use crate::recording::simpleperf;
use crate::records::{self, Each};
use crate::stream::chunks::Chunks;
use crate::stream::{Extent, Source, Stream};

/// What is known before the first record, and passed on before it.
#[derive(Debug, Default)]
pub(crate) struct BeforeRecords {
    /// Features by their numbers.
    features: Vec<(usize, Vec<u8>)>,
    /// Records, one after the other.
    build_ids: Vec<u8>,
}

impl BeforeRecords {
    /// Passes it on in the form that it has in a stream: as records.
    pub(crate) fn hand_out(&self, each: Each<'_>) -> Result<(), CallerStopped> {
        for (number, feature) in &self.features {
            features::hand_out(*number, feature, each)?;
        }
        let mut rest = &self.build_ids[..];
        while let Some((record, after)) = records::split_off(rest) {
            if let Some(record) = records::build_id(record) {
                each(record)?;
            }
            rest = after;
        }
        Ok(())
    }
}

/// Reads the parts of `file` that are not records, and goes to the first record. `head` are its
/// first bytes, which were read already.
pub(crate) fn open<'i>(
    mut file: impl Read + Seek + 'i,
    head: Vec<u8>,
) -> Result<(OrderedReader<'i>, BeforeRecords), Error> {
    let mut header = head;
    let left = FILE_HEADER_SIZE - header.len();
    file.by_ref().take(left as u64).read_to_end(&mut header)?;
    let malformed = |what: &str| Error::Malformed(what.to_owned());
    let header = FileHeader::parse(&header).ok_or_else(|| malformed("the header is cut short"))?;
    let mut delivery = Delivery::default();
    delivery.events = read_attrs(&mut file, &header);
    if delivery.events.len() == 0 {
        return Err(malformed("there is no event in the header"));
    }
    // If the size of the data is not known, it is not known where the features are.
    let is_finished = header.data.size > 0;
    let mut before = BeforeRecords::default();
    if is_finished {
        before = read_features(&mut file, &header, &mut delivery)?;
    }
    let extent = if is_finished { Extent::Until(header.data.end()) } else { Extent::Unfinished };
    let start = header.data.offset;
    file.seek(SeekFrom::Start(start))
        .map_err(|_| malformed(&format!("the records should begin at byte {start}")))?;
    let mut chunks = Chunks::default();
    let stream = Stream::new(Source::File(Box::new(file)), start, extent, &mut chunks);
    Ok((OrderedReader::new(stream, chunks, delivery), before))
}

/// The events, as far as they can be read.
fn read_attrs(file: &mut (impl Read + Seek), header: &FileHeader) -> Events {
    let mut events = Events::default();
    let attrs = read(file, header.attrs).unwrap_or_default();
    // A damaged header may refer to the same bytes again and again.
    let mut left = MOST_OF_A_SECTION;
    for bytes in attrs.chunks_exact(header.attr_size) {
        let (attr, mut ids) = bytes.split_at(bytes.len() - FileSection::SIZE);
        let ids = FileSection::parse(&mut Bytes(std::mem::take(&mut ids))).unwrap_or_default();
        left = left.saturating_sub(ids.size);
        let ids = if left > 0 { read(file, ids).unwrap_or_default() } else { Vec::new() };
        if let Some(attr) = Attr::parse(attr) {
            events.add(attr, U64s::new(&ids).iter());
        }
    }
    events
}

/// Reads the features that are needed; those that cannot be read are left out.
fn read_features(
    file: &mut (impl Read + Seek),
    header: &FileHeader,
    delivery: &mut Delivery,
) -> Result<BeforeRecords, Error> {
    let mut before = BeforeRecords::default();
    let count = header.features().count();
    let table = FileSection { offset: header.data.end(), size: (count * FileSection::SIZE) as u64 };
    let table = read(file, table).unwrap_or_default();
    if header.features().any(|number| number >= simpleperf::numbers::FIRST) {
        delivery.events.set_chains_of_calls();
        delivery.summary.is_of_simpleperf = true;
    }
    for (number, section) in header.features().zip(table.chunks_exact(FileSection::SIZE)) {
        let section = FileSection::parse(&mut Bytes(section)).unwrap_or_default();
        match number {
            numbers::DIR_FORMAT if is_one_of_many(file, section) => {
                return Err(Error::Folder);
            }
            numbers::ARCH
            | numbers::HOSTNAME
            | numbers::OSRELEASE
            | numbers::NRCPUS
            | numbers::CMDLINE
            | simpleperf::numbers::FILE
            | simpleperf::numbers::FILE2 => {
                let feature = read(file, section).unwrap_or_default();
                if number == numbers::NRCPUS {
                    let processors = features::processors(&feature);
                    processors.into_iter().for_each(|count| delivery.running.set_processors(count));
                }
                before.features.push((number, feature));
            }
            numbers::BUILD_ID => before.build_ids = read(file, section).unwrap_or_default(),
            numbers::TRACING_DATA => {
                delivery.events.set_tracing_data(&read(file, section).unwrap_or_default());
            }
            numbers::EVENT_DESC => {
                let feature = read(file, section).unwrap_or_default();
                features::event_names(&feature, &mut delivery.events);
            }
            simpleperf::numbers::META_INFO => {
                simpleperf::meta_info(&read(file, section).unwrap_or_default(), delivery);
            }
            _ => {}
        }
    }
    Ok(before)
}

/// Whether the samples are in other files of the same folder, as `perf record --threads` writes
/// them. A folder may also hold only this file and a copy of the kernel's memory.
fn is_one_of_many(file: &mut (impl Read + Seek), section: FileSection) -> bool {
    let version = read(file, section).and_then(|bytes| Bytes(&bytes).u64());
    version.is_some_and(|version| version > 0)
}

/// A section of the file, or as much of it as there is.
fn read(file: &mut (impl Read + Seek), section: FileSection) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(section.offset)).ok()?;
    // The end of a compressed input may be broken; what comes before is read.
    let _ = file.take(section.size.min(MOST_OF_A_SECTION)).read_to_end(&mut bytes);
    Some(bytes)
}
