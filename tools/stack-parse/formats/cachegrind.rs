//! What cachegrind writes: the costs of each line of each function, without calls.
//! Grammar from <https://valgrind.org/docs/manual/cg-manual.html>.
//!
//! ```text
//! desc: I1 cache:         65536 B, 64 B, 16-way associative
//! cmd: ./demo 1
//! events: Ir Dr Dw
//! fl=demo.c
//! fn=main
//! 16 20 3 0
//! summary: 20 3 0
//! ```

use common::{Error, Result, io::Input, numbers::decimal, stacks::FrameId};

use crate::format::{Format, Head};
use crate::frame::{Frame, known_name};
use crate::options::Options;
use crate::read::costs::Costs;
use crate::read::lines::for_each_line;
use crate::read::source::Place;
use crate::samples::Samples;
use crate::samples::sample::Sample;

pub(super) const FORMAT: Format =
    Format::new("cachegrind", "Cachegrind's costs of functions and lines: valgrind", detect, parse);

/// Whether the first lines are the command, the events, and then a file or the summary.
fn detect(head: &Head<'_>) -> bool {
    let is_plain = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"#");
    let mut lines = head.lines().filter(is_plain).skip_while(|line| line.starts_with(b"desc:"));
    lines.next().is_some_and(|line| line.starts_with(b"cmd:"))
        && lines.next().is_some_and(|line| line.starts_with(b"events:"))
        && lines.next().is_some_and(|line| is_file(line) || line.starts_with(b"summary:"))
}

/// Whether a line names a file: `fl=`, or `fi=` and `fe=` for inlined code of another file.
fn is_file(line: &[u8]) -> bool {
    matches!(line, [b'f', b'l' | b'i' | b'e', b'=', ..])
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Unknown`] if the end is missing, after all before it was added; or
/// what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let (mut file, mut last) = (File::default(), 0);
    for_each_line(input, |number, line| {
        last = number;
        if let Some(costs) = file.line(number, line, samples) {
            file.add(number, costs, samples)?;
        }
        Ok(())
    })?;
    file.report(samples);
    if file.has_summary {
        return Ok(());
    }
    let what = format!("line {last}: expected 'summary:' at the end; what came before is kept");
    Err(Error::Unknown { name, what })
}

#[derive(Default)]
struct File {
    costs: Costs,
    function: Vec<u8>,
    place: Place,
    /// The current frame: of the function, or of its line if source lines are wanted. Empty until
    /// it is needed.
    frame: Vec<FrameId>,
    /// The costs of a line, one for each measure.
    weights: Vec<u64>,
    /// The sum of all costs, as the file gives it.
    said: i128,
    has_summary: bool,
    /// The sum of all costs below 0, which the difference of two files may have.
    below_zero: i128,
}

impl File {
    /// Reads a line; returns what follows the number in a line of costs.
    fn line<'l>(
        &mut self,
        number: u64,
        line: &'l [u8],
        samples: &mut Samples<'_>,
    ) -> Option<&'l [u8]> {
        match line {
            [b'0'..=b'9', ..] => return self.position(line, samples),
            _ if is_file(line) => {
                self.place.set_file(known_name(&line[3..]));
                self.frame.clear();
            }
            [b'f', b'n', b'=', name @ ..] => {
                self.function = known_name(name).to_vec();
                self.frame.clear();
            }
            _ if line.starts_with(b"events:") => self.costs.set_events(&line[7..], samples),
            _ if line.starts_with(b"summary:") => {
                self.has_summary = true;
                self.said = self.costs.wanted(&line[8..]).unwrap_or_default();
            }
            _ if line.starts_with(b"desc:") || line.starts_with(b"cmd:") => {}
            _ if line.trim_ascii().is_empty() || line.starts_with(b"#") => {}
            _ => samples.malformed(number, "expected a line of cachegrind"),
        }
        None
    }

    /// Reads the line number of `16 20 3 0`, 0 if it is not known; returns the costs after it.
    fn position<'l>(&mut self, line: &'l [u8], samples: &mut Samples<'_>) -> Option<&'l [u8]> {
        let end = line.iter().position(|&byte| byte == b' ').unwrap_or(line.len());
        if samples.wants.frames.srcline() {
            self.place.line = decimal(&line[..end]).filter(|line| *line > 0);
            self.frame.clear();
        }
        Some(&line[end..])
    }

    fn add(&mut self, number: u64, costs: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let Some(cost) = self.costs.add_row(costs, &mut self.weights) else {
            samples.malformed(number, "expected costs, each a number, after a line 'events:'");
            return Ok(());
        };
        self.below_zero += cost.min(0);
        if self.frame.is_empty() {
            let source = self.place.text();
            let frame = Frame { name: &self.function, source, ..Frame::default() };
            samples.frames(&frame, &mut self.frame);
        }
        samples.add(&Sample { weights: &self.weights, ..Sample::default() }, &self.frame)
    }

    fn report(&self, samples: &mut Samples<'_>) {
        if self.below_zero < 0 {
            samples.note(format_args!(
                "costs of {} are left out: this is the difference of two profiles",
                self.below_zero
            ));
        }
        if self.has_summary {
            self.costs.compare(self.said, samples);
        }
    }
}
