//! How many lines are in a span.

use common::Error;
use common::io::Total;
use common::numbers::{counted, share};
use common::pipe::Pipe;

/// What prints lines that have what is needed.
const PRINT: &str = "stack-parse --header --per-sample --labels time,tid";

/// Lines by whether they are in a span.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) inside: Total,
    outside: Total,
    /// Lines without a time.
    pub(crate) timeless: Total,
}

impl Tally {
    pub(crate) fn add(&mut self, is_inside: bool, weight: u64) {
        let total = if is_inside { &mut self.inside } else { &mut self.outside };
        *total += weight;
    }

    pub(crate) fn say_timeless(&self, pipe: &mut Pipe) {
        if self.timeless.lines > 0 {
            let lines = counted(self.timeless.lines, "lines");
            pipe.error(&Error::Usage(format!(
                "{lines} without a label time stay as they are: print lines with '{PRINT}'"
            )));
        }
    }

    pub(crate) fn say_outside(&self, pipe: &Pipe) {
        if self.outside.lines > 0 {
            let all = self.inside.weight + self.outside.weight;
            let lines = counted(self.outside.lines, "lines");
            let share = share(self.outside.weight, all);
            pipe.note(format_args!("{lines} ({share} of the weight) are in no span"));
        }
    }
}
