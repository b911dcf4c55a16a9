//! Events that are counted in groups: `perf record -e '{a,b}:S'`. Only the first is
//! sampled, and each sample holds the counts of all.

use common::Result;
use hashbrown::HashMap;

use super::delivery::Each;
use super::events::Events;
use super::records::Record;
use super::sample::RawSample;
use super::troubles::Troubles;

/// What the counters had when they were last seen.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// By their ids and, where each thread counts for itself, the thread.
    values: HashMap<(u64, u32), u64>,
}

impl Groups {
    /// Hands out a sample. One of a group is handed out once for each event of the group
    /// that went on since its last sample, as perf does: how much it went on is the
    /// period.
    pub(super) fn hand_out(
        &mut self,
        sample: &RawSample<'_>,
        events: &Events,
        troubles: &mut Troubles,
        each: Each<'_>,
    ) -> Result<()> {
        let Some(counters) = sample.counters else { return each(Record::Sample(*sample)) };
        let counts_threads = sample.event.attr.counts_threads();
        let thread = sample.tid.filter(|_| counts_threads).unwrap_or(0);
        for (id, value) in counters.iter() {
            // Without an id the only counter is the sample's own.
            let Some(id) = id else { return each(Record::Sample(*sample)) };
            let Some(event) = events.of_counter(id) else {
                troubles.unknown_events += 1;
                continue;
            };
            let before = self.values.insert((id, thread), value).unwrap_or(0);
            let period = value.wrapping_sub(before);
            if period > 0 {
                each(Record::Sample(RawSample { event, period: Some(period), ..*sample }))?;
            }
        }
        Ok(())
    }
}
