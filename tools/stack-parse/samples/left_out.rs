//! Samples that were read and left out, as the user asked.

use common::{Pipe, Total};

use crate::samples::sample::Sample;

/// Why a sample was left out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Why {
    /// It is outside `--from` and `--to`.
    Time,
    /// There is no telling whether it is.
    NoTime,
    /// Its object was not chosen by `--live`, `--major` or `--promoted`.
    Object,
}

/// What was left out: how many samples, and the sums of their periods.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut {
    by_time: Total,
    without_time: Total,
    by_object: Total,
}

impl LeftOut {
    pub(crate) fn add(&mut self, sample: &Sample, why: Why) {
        let weight = u128::from(sample.samples) * u128::from(sample.period);
        let flow = match why {
            Why::Time => &mut self.by_time,
            Why::NoTime => &mut self.without_time,
            Why::Object => &mut self.by_object,
        };
        *flow += Total { lines: sample.samples, weight };
    }

    /// Adds what another reader left out.
    pub(crate) fn absorb(&mut self, other: LeftOut) {
        self.by_time += other.by_time;
        self.without_time += other.without_time;
        self.by_object += other.by_object;
    }

    /// Says it, weighed by period or by samples.
    pub(crate) fn report(&self, by_period: bool, pipe: &mut Pipe) {
        for (mut flow, what) in [
            (self.by_time, "are outside --from and --to"),
            (
                self.without_time,
                "have no time for --from and --to: print it with 'perf script -F +time'",
            ),
            (self.by_object, "are of objects that --live, --major or --promoted leaves out"),
        ] {
            if !by_period {
                flow.weight = u128::from(flow.lines);
            }
            if flow.lines > 0 {
                pipe.count_dropped(flow);
                pipe.note(format_args!("{} samples (weight {}) {what}", flow.lines, flow.weight,));
            }
        }
    }
}
