//! What a recording lacks: what perf could not record, and what cannot be read.

use common::Result;

use super::stream::Stop;
use crate::samples::Samples;

/// What is wrong with a recording, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Troubles {
    /// Records that the kernel had no room for.
    pub(super) lost: u64,
    /// Samples that the processor or the kernel had no room for.
    pub(super) lost_samples: u64,
    /// Whether the counters told at the end how much they lost.
    pub(super) counters_tell_lost: bool,
    /// Samples of counters that no attribute names.
    pub(super) unknown_events: u64,
    /// Records that are too short for what should be in them, and where the first is.
    pub(super) damaged: u64,
    pub(super) first_damaged: u64,
    /// Records that came later than they could be put in order.
    pub(super) late: u64,
    /// Samples whose call chain in the program was to come later, and did not.
    pub(super) without_user_chain: u64,
    /// Bytes of traces by the processor itself.
    pub(super) aux: u64,
    /// Samples that were there.
    pub(super) samples: u64,
}

impl Troubles {
    pub(super) fn add_lost_records(&mut self, count: u64) {
        self.lost = self.lost.saturating_add(count);
    }

    pub(super) fn add_lost_samples(&mut self, count: u64) {
        self.lost_samples = self.lost_samples.saturating_add(count);
    }

    pub(super) fn add_damaged(&mut self, offset: u64) {
        if self.damaged == 0 {
            self.first_damaged = offset;
        }
        self.damaged += 1;
    }

    /// Says what could not be read; `stop` is why nothing more was.
    pub(super) fn error(&self, stop: Option<Stop>, name: &str) -> Result<()> {
        let damage = (self.damaged > 0).then(|| {
            let (damaged, first) = (self.damaged, self.first_damaged);
            format!("{damaged} damaged records were left out, the first at byte {first}")
        });
        let aux_only = (self.samples == 0 && self.aux > 0).then(|| {
            "it holds a trace by the processor (AUX) and no samples: \
             run 'perf script' on it"
                .to_owned()
        });
        match (stop, damage.or(aux_only)) {
            (Some(Stop::Malformed(why)), Some(what)) => {
                Err(Stop::Malformed(format!("{what}; {why}")).into_error(name))
            }
            (Some(stop), _) => Err(stop.into_error(name)),
            (None, Some(what)) => Err(Stop::Refused(what).into_error(name)),
            (None, None) => Ok(()),
        }
    }

    /// Says what was lost and is no fault of the file.
    pub(crate) fn report(&self, samples: &mut Samples<'_>) {
        let lost = self.lost();
        if lost > 0 {
            let share = 100.0 * lost as f64 / (lost.saturating_add(self.samples)) as f64;
            samples.note(format_args!(
                "{lost} samples or other records, {share:.1} % of all, were lost while recording: \
                 use a lower 'perf record -F' or a larger -m"
            ));
        }
        for (count, what) in [
            (self.unknown_events, "samples of events that the recording does not name left out"),
            (self.late, "records came too late to be put in the order of time"),
            (
                self.without_user_chain,
                "samples lack the frames of the program, which were to follow",
            ),
        ] {
            if count > 0 {
                samples.note(format_args!("{count} {what}"));
            }
        }
        if self.aux > 0 && self.samples > 0 {
            let aux = self.aux;
            samples.note(format_args!("{aux} bytes of a trace by the processor (AUX) left out"));
        }
    }

    /// How much was lost. The kernel tells it in the buffer that was full; counters
    /// that count what they lost tell the same again.
    pub(super) fn lost(&self) -> u64 {
        if self.counters_tell_lost {
            self.lost.max(self.lost_samples)
        } else {
            self.lost.saturating_add(self.lost_samples)
        }
    }
}
