//! Records that perf itself makes: the ends of rounds, and in streams everything that a file has
//! outside of its records.

use crate::bytes::Bytes;
use crate::error::{CallerStopped, Error, Stop};
use crate::recording::features::{self, numbers};
use crate::recording::header::MOST_OF_A_SECTION;
use crate::recording::ordered_reader::OrderedReader;
use crate::recording::simpleperf;
use crate::records::{self, Each, Record, kinds};
use crate::stream::chunks::RecordAt;

impl OrderedReader<'_> {
    /// Takes a record that perf made, which takes effect at once.
    ///
    /// # Errors
    ///
    /// What `each` returns, or why the data after the record cannot be read.
    pub(crate) fn record_of_perf(&mut self, at: RecordAt, each: Each<'_>) -> Result<(), Stop> {
        let record = self.chunks.record(at);
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
            kinds::HEADER_FEATURE => self.feature(at, each)?,
            kinds::BUILD_ID => {
                if let Some(record) = records::build_id(record) {
                    each(record)?;
                }
            }
            kinds::FINISHED_ROUND => {
                self.end_round(each)?;
                each(Record::RoundEnd)?;
            }
            // simpleperf's contains the data, perf's has only padding there.
            kinds::TRACING_DATA if body.len() >= simpleperf::SHORTEST_TRACING_DATA => {
                events.set_tracing_data(simpleperf::tracing_data(body));
            }
            // These say how many bytes follow them, padded to a multiple of 8.
            kinds::TRACING_DATA => {
                let size = u64::from(bytes.u32().unwrap_or(0)).next_multiple_of(8);
                self.tracing_data(size)?;
            }
            kinds::AUXTRACE => {
                let size = bytes.u64().unwrap_or(0);
                let aux_bytes = &mut self.delivery.summary.aux_bytes;
                *aux_bytes = aux_bytes.saturating_add(size);
                self.stream.skip(size, &mut self.chunks)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the `size` bytes of descriptions of tracepoints.
    fn tracing_data(&mut self, size: u64) -> Result<(), Error> {
        if size > MOST_OF_A_SECTION {
            return self.stream.skip(size, &mut self.chunks);
        }
        let mut data = Vec::new();
        self.stream.read(size, &mut data, &mut self.chunks)?;
        self.delivery.events.set_tracing_data(&data);
        Ok(())
    }

    /// Takes a feature: its number, then what a file has in its section.
    fn feature(&mut self, at: RecordAt, each: Each<'_>) -> Result<(), CallerStopped> {
        let (_, _, body) = records::split(self.chunks.record(at));
        let mut bytes = Bytes(body);
        match bytes.u64().map(|number| number as usize) {
            Some(numbers::EVENT_DESC) => {
                features::event_names(bytes.0, &mut self.delivery.events);
            }
            Some(number) => {
                if number == numbers::NRCPUS {
                    let processors = features::processors(bytes.0);
                    processors.into_iter().for_each(|it| self.delivery.running.set_processors(it));
                }
                features::hand_out(number, bytes.0, each)?;
            }
            None => {}
        }
        Ok(())
    }
}
