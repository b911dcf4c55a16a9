//! Folded stacks, as other tools make them; man/folded-stack.5 is the grammar.

use common::{FoldedLine, Frames, Input, Result, parse_header};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::samples::events::Measure;
use crate::samples::sample::Origin;
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format = Format {
    name: "folded",
    about: "Folded stacks, one a line: main;work;leaf 12",
    detect,
    parse,
    root: Root::None,
    weighs: Weighs::Sum,
};

/// Whether nine of ten lines have a count at their end, or all but one.
fn detect(head: &Head<'_>) -> bool {
    if !head.is_last {
        return false;
    }
    let content = || head.lines().filter(|line| !line.is_empty() && !line.starts_with(b"# "));
    let folded = content().filter(|line| FoldedLine::parse(line).is_ok()).count();
    folded > 0 && folded * 10 >= content().count() * 9
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut frames = Vec::new();
    let mut header = Header::default();
    for_each_line(input, |number, line| {
        if line.starts_with(b"# ") {
            header.add(line);
            samples.add_header_line(line);
            return Ok(());
        }
        match FoldedLine::parse(line) {
            _ if line.is_empty() => Ok(()),
            Ok(FoldedLine { stack, count }) => {
                header.announce(samples);
                frames.clear();
                frames.extend(Frames::new(stack).map(|frame| samples.frame(frame)));
                samples.add(&Origin { weights: &[count], ..Origin::default() }, &frames)
            }
            Err(why) => {
                samples.malformed(number, why);
                Ok(())
            }
        }
    })
}

/// The event and the unit that the header lines name.
#[derive(Default)]
struct Header {
    event: Vec<u8>,
    unit: Vec<u8>,
    is_announced: bool,
}

impl Header {
    fn add(&mut self, line: &[u8]) {
        match parse_header(line) {
            Some(("event", event)) => self.event = event.to_vec(),
            Some(("unit", unit)) => self.unit = unit.to_vec(),
            _ => {}
        }
    }

    /// Says before the first stack what is counted.
    fn announce(&mut self, samples: &mut Samples<'_>) {
        if !std::mem::replace(&mut self.is_announced, true) {
            samples.set_measures(&[Measure { name: &self.event, unit: &self.unit }]);
        }
    }
}
