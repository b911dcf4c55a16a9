//! What bpftrace prints: maps whose keys hold stacks, and stacks that `printf`
//! prints, as text or as JSON (`-f json`). Grammar from bpftrace's src/output.cpp,
//! src/ksyms.cpp and src/usyms.cpp.

mod entry;
mod frame;
mod json;
mod text;

use common::{Result, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::samples::{Loss, Root, Samples};
use text::Text;

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
    let (mut text, mut lost) = (Text::default(), 0_u64);
    for_each_line(input, |number, line| {
        if let Some(events) = lost_events(line) {
            lost = lost.saturating_add(events);
            Ok(())
        } else if json::is_message(line) {
            json::read(number, line, &mut text, samples)
        } else {
            text.line(number, line, samples)
        }
    })?;
    if lost > 0 {
        let remedy = "set BPFTRACE_PERF_RB_PAGES to a larger number";
        samples.note_loss(Loss {
            count: lost,
            of: "events",
            recorded: None,
            remedy,
            is_exact: true,
        });
    }
    text.finish(samples)
}

/// How many events bpftrace had no room for: `Lost 10 events`,
/// `{"type": "lost_events", "data": {"events": 10}}`.
fn lost_events(line: &[u8]) -> Option<u64> {
    let text = || decimal(line.strip_prefix(b"Lost ")?.strip_suffix(b" events")?);
    text().or_else(|| json::lost_events(line))
}
