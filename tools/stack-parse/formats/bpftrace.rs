//! What bpftrace prints: maps whose keys hold stacks, and stacks that `printf`
//! prints, as text or as JSON (`-f json`). Grammar from bpftrace's src/output.cpp,
//! src/ksyms.cpp and src/usyms.cpp.

mod entry;
mod frame;
mod json;
mod text;
mod warnings;

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::samples::{Root, Samples};
use text::Text;
use warnings::Warnings;

pub(super) const FORMAT: Format =
    Format::new("bpftrace", "What bpftrace prints: maps by stack, as text or JSON", detect, parse)
        .root(&Root::Comm);

/// Whether one of the first lines says that probes were attached, or begins an
/// entry of a map.
fn detect(head: &Head<'_>) -> bool {
    const LOOKED_AT: usize = 40;
    json::is_first_message(head)
        || head.lines().take(LOOKED_AT).any(|line| text::is_start(line) || text::is_entry(line))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let (mut text, mut warnings) = (Text::default(), Warnings::default());
    for_each_line(input, |number, line| {
        if warnings.take_lost_events(line) || !text.is_in_entry() && warnings.take(line) {
            Ok(())
        } else if json::is_message(line) {
            json::read(number, line, &mut text, samples)
        } else {
            text.line(number, line, samples)
        }
    })?;
    warnings.report(samples);
    text.finish(samples)
}
