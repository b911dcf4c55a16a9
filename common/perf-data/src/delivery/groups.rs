//! Events that are counted in groups: `perf record -e '{a,b}:S'`. Only the first is
//! sampled, and each sample holds the counts of all.

use hashbrown::HashMap;

use crate::error::CallerStopped;
use crate::events::Events;
use crate::records::{Each, Record};
use crate::sample::RawSample;
use crate::summary::Summary;

/// The values of the counters when they were last seen.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// By the counter's id and, where each thread counts for itself, the thread; 0 elsewhere.
    values: HashMap<(u64, u32), u64>,
}

impl Groups {
    /// Passes on a sample. The sample of a group is passed on once for each event of the group
    /// whose counter has grown since its last sample, as perf does it: the growth is the period.
    pub(crate) fn hand_out(
        &mut self,
        sample: &RawSample<'_>,
        events: &Events,
        summary: &mut Summary,
        each: Each<'_>,
    ) -> Result<(), CallerStopped> {
        let Some(counters) = sample.counters else { return each(Record::Sample(*sample)) };
        let counts_threads = sample.event.attr.counts_threads();
        let thread = sample.tid.filter(|_| counts_threads).unwrap_or(0);
        for (id, value) in counters.iter() {
            // Without an id, the only counter is the sample's own.
            let Some(id) = id else { return each(Record::Sample(*sample)) };
            let Some(event) = events.of_counter(id) else {
                summary.unknown_events += 1;
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
