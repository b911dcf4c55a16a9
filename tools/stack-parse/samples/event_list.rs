//! What the inputs hold, in place of stacks: `--list-events`.

use common::Result;
use common::io::{Total, append_row};
use common::names::printable;
use common::pipe::Pipe;

use super::Samples;
use super::report::text;

impl Samples<'_> {
    /// Writes what the inputs hold, an event a line: name, unit, samples, total, and the peak of
    /// memory where it is known.
    pub(super) fn write_list(&self, pipe: &mut Pipe) -> Result<()> {
        if self.args.tsv {
            return self.write_list_for_programs(pipe);
        }
        for event in self.events.iter() {
            let all = event.all();
            let fields = [&text(&event.name), "\t", &printable(&event.unit), "\t"].concat();
            let peak = event.peak.as_ref().map_or_else(String::new, |peak| {
                format!("\tpeak {} at {}", peak.most, printable(&peak.when))
            });
            let line = format!("{fields}{}\t{}{peak}\n", all.samples, all.total);
            pipe.write_lines(line.as_bytes(), Total { lines: 1, weight: all.total })?;
        }
        Ok(())
    }

    /// The same as a table, whose rows all have all columns.
    fn write_list_for_programs(&self, pipe: &mut Pipe) -> Result<()> {
        pipe.out().line(b"event\tunit\tsamples\ttotal\tpeak\tpeak_time")?;
        for event in self.events.iter() {
            let all = event.all();
            let [samples, total] = [all.samples, all.total].map(|number| number.to_string());
            let peak = event.peak.as_ref();
            let most = peak.map_or_else(String::new, |peak| peak.most.to_string());
            let when = peak.map_or_else(String::new, |peak| printable(&peak.when));
            let mut row = Vec::new();
            let [name, unit] = [text(&event.name), printable(&event.unit)];
            append_row(&[&name, &unit, &samples, &total, &most, &when], &mut row);
            pipe.write_lines(&row, Total { lines: 1, weight: all.total })?;
        }
        Ok(())
    }
}
