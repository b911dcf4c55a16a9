//! What a recording lacks: what perf could not record, and what cannot be read.

use common::Result;

use super::stream::Stop;
use crate::samples::Samples;

/// What is wrong with a recording, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Troubles {
    /// Records that the kernel had no room for.
    pub(super) lost: u64,
    /// Samples that the processor or the kernel had no room for, as counted by each
    /// counter.
    pub(super) lost_samples: u64,
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
        let say = |count: u64, what: &str| {
            if count > 0 {
                samples.note(format_args!("{count} {what}"));
            }
        };
        let mut say = say;
        say(
            self.lost.max(self.lost_samples),
            "records were lost while recording: lower the frequency with 'perf record -F', \
             or enlarge its buffers with -m",
        );
        say(self.unknown_events, "samples of events that the recording does not describe left out");
        say(self.late, "records came too late to be put in order of time");
        say(
            self.without_user_chain,
            "samples lack the program's part of their call chain, which the kernel did not write",
        );
        if self.samples > 0 {
            say(self.aux, "bytes of traces by the processor (AUX) passed over");
        }
    }
}
