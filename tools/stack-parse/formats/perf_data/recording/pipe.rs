//! Recordings in streams, which `perf record -o -` writes: all that a file has
//! around the records comes as records.

use std::io::Read;

use common::{Input, Result};

use super::super::bytes::Bytes;
use super::super::chunks::{Chunks, Place};
use super::super::delivery::{Delivery, Each};
use super::super::features::{self, numbers};
use super::super::header::PIPE_HEADER_SIZE;
use super::super::records::{self, Record, kinds};
use super::super::stream::{Extent, Stop, Stream};
use super::super::tracing;
use super::{First, MOST_OF_A_SECTION, Recording};

/// Gets ready for the records behind the header.
pub(super) fn open(input: &mut Input) -> Result<(Stream<'_>, Chunks, Delivery, First), Stop> {
    let mut header = [0; PIPE_HEADER_SIZE as usize];
    input.read_exact(&mut header).map_err(Stop::Failed)?;
    let mut chunks = Chunks::default();
    let stream = Stream::new(Box::new(input), PIPE_HEADER_SIZE, Extent::Open, &mut chunks);
    Ok((stream, chunks, Delivery::default(), First::default()))
}

impl Recording<'_> {
    /// A record that perf made takes effect at once.
    pub(super) fn record_of_perf(&mut self, place: Place, each: Each<'_>) -> Result<(), Stop> {
        let record = self.chunks.record(place);
        let (kind, _, body) = records::split(record);
        let mut bytes = Bytes(body);
        let events = &mut self.delivery.events;
        match kind {
            kinds::HEADER_ATTR => {
                if let Some((attr, ids)) = features::attr_and_ids(body) {
                    events.add(attr, ids.iter());
                }
            }
            kinds::EVENT_UPDATE => {
                if let Some((id, name)) = features::updated_name(body) {
                    events.set_name_by_id(id, name);
                }
            }
            kinds::HEADER_FEATURE => self.feature(place, each)?,
            kinds::BUILD_ID => {
                if let Some(record) = records::build_id(record) {
                    each(record)?;
                }
            }
            kinds::FINISHED_ROUND => {
                self.order.end_round();
                self.hand_out(each)?;
                each(Record::RoundEnd)?;
            }
            // These say how much follows them, and that is padded to whole numbers.
            kinds::TRACING_DATA => {
                let size = u64::from(bytes.u32().unwrap_or(0)).next_multiple_of(8);
                self.tracing_data(size)?;
            }
            kinds::AUXTRACE => {
                let size = bytes.u64().unwrap_or(0);
                let aux = &mut self.delivery.troubles.aux;
                *aux = aux.saturating_add(size);
                self.stream.skip(size, &mut self.chunks)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Descriptions of tracepoints, of so many bytes.
    fn tracing_data(&mut self, size: u64) -> Result<(), Stop> {
        if size > MOST_OF_A_SECTION {
            return self.stream.skip(size, &mut self.chunks);
        }
        let mut data = Vec::new();
        self.stream.read(size, &mut data, &mut self.chunks)?;
        self.delivery.events.set_tracepoints(tracing::tracepoints(&data));
        Ok(())
    }

    /// A feature: its number, then what its section in a file holds.
    fn feature(&mut self, place: Place, each: Each<'_>) -> Result<()> {
        let (_, _, body) = records::split(self.chunks.record(place));
        let mut bytes = Bytes(body);
        match bytes.u64().map(|number| number as usize) {
            Some(numbers::ARCH) => {
                if let Some(machine) = features::text(bytes.0) {
                    each(Record::Machine(&machine))?;
                }
            }
            Some(numbers::OSRELEASE) => {
                if let Some(release) = features::text(bytes.0) {
                    each(Record::Release(&release))?;
                }
            }
            Some(numbers::EVENT_DESC) => {
                features::event_names(bytes.0, &mut self.delivery.events);
            }
            _ => {}
        }
        Ok(())
    }
}
