//! Records in their order, made into what is handed out.

use common::Result;

use super::bytes::Bytes;
use super::events::Events;
use super::groups::Groups;
use super::order::Entry;
use super::records::{self, Record, kinds};
use super::sample::RawSample;
use super::troubles::Troubles;

/// Who takes the records.
pub(crate) type Each<'a> = &'a mut dyn FnMut(Record<'_>) -> Result<()>;

/// What must be remembered from one record to the next.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) events: Events,
    pub(super) troubles: Troubles,
    groups: Groups,
}

impl Delivery {
    pub(super) fn new(events: Events) -> Delivery {
        Delivery { events, troubles: Troubles::default(), groups: Groups::default() }
    }

    /// Hands out what a record holds.
    #[inline]
    pub(super) fn record(&mut self, entry: &Entry, record: &[u8], each: Each<'_>) -> Result<()> {
        let (kind, _, body) = records::split(record);
        match kind {
            kinds::SAMPLE => self.sample(entry, record, each),
            kinds::LOST => {
                let mut body = Bytes(body);
                let lost = body.u64().and(body.u64());
                self.troubles.lost = self.troubles.lost.saturating_add(lost.unwrap_or(0));
                Ok(())
            }
            kinds::LOST_SAMPLES => {
                let lost = Bytes(body).u64().unwrap_or(0);
                self.troubles.lost_samples = self.troubles.lost_samples.saturating_add(lost);
                Ok(())
            }
            _ => match records::parse(record) {
                Ok(Some(record)) => each(record),
                Ok(None) => Ok(()),
                Err(records::TooShort) => {
                    self.troubles.add_damaged(entry.offset);
                    Ok(())
                }
            },
        }
    }

    /// Hands out what was held back.
    pub(super) fn finish(&mut self, _each: Each<'_>) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, entry: &Entry, record: &[u8], each: Each<'_>) -> Result<()> {
        let Delivery { events, troubles, groups } = self;
        troubles.samples += 1;
        let (_, flags, body) = records::split(record);
        let event = events.get(entry.event as usize);
        let Some(sample) = event.and_then(|event| RawSample::parse(event, flags, body)) else {
            troubles.add_damaged(entry.offset);
            return Ok(());
        };
        match sample.counters {
            None => each(Record::Sample(sample)),
            Some(counters) => groups.members(&sample, &counters, events, troubles, each),
        }
    }
}
