//! The call graphs of FreeBSD's `pmcstat -R FILE -G OUT`, leaf first. Grammar from
//! pmcstat's pmcpl_callgraph.c.
//!
//! ```text
//! @ inst_retired.any [35705 samples]
//!
//! 14.44%  [5156]     fletcher_2_native @ /boot/kernel/zfs.ko
//!  50.62%  [2610]      arc_cksum_verify
//!   66.02%  [1723]       arc_buf_thaw
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};
use common::{Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::frame::{Frame, Kind};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::outline::Outline;
use crate::samples::Samples;
use crate::samples::sample::Sample;

pub(super) const FORMAT: Format =
    Format::new("pmcstat", "The call graphs of FreeBSD's pmcstat -G", detect, parse)
        .extras(&[Extra::Indented(has_lost_blanks)]);

/// An empty line is before each root.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    let is_root = |line: &[u8]| {
        let share = line.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        share > 0 && line[share..].starts_with(b"%  [")
    };
    is_root(above) && is_root(line)
}

fn detect(head: &Head<'_>) -> bool {
    event(head.first_line()).is_some()
}

/// `@ inst_retired.any [35705 samples]`: the event, and how many samples it had.
fn event(line: &[u8]) -> Option<(&[u8], u64)> {
    let (name, count) = line.strip_prefix(b"@ ")?.rsplit_once_str(" [")?;
    Some((name, decimal(count.strip_suffix(b" samples]")?)?))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = PmcstatReader::default();
    (reader.tree.is_inverted, reader.tree.are_samples) = (true, true);
    for_each_line(input, |number, line| {
        if let Some((name, count)) = event(line) {
            reader.finish(samples)?;
            samples.events.announce(name, b"samples");
            (reader.event, reader.expected) = (name.to_vec(), count);
        } else if let Some(call) = Call::of(line) {
            reader.call(&call, samples)?;
        } else if !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//") {
            samples.skipped.add(number, "expected a share, a count and a function of pmcstat");
        }
        Ok(())
    })?;
    reader.finish(samples)
}

/// The event that is being read.
#[derive(Default)]
struct PmcstatReader {
    tree: Outline,
    event: Vec<u8>,
    /// How many samples the event had, and how many were found in the graphs so far.
    expected: u64,
    seen: u64,
    /// The files of the functions on the path: each is in the file of its callee unless its own is
    /// printed.
    objects: Vec<(usize, Vec<u8>)>,
}

impl PmcstatReader {
    fn call(&mut self, call: &Call<'_>, samples: &mut Samples<'_>) -> Result<()> {
        while self.objects.pop_if(|(indent, _)| *indent >= call.indent).is_some() {}
        if self.objects.is_empty() {
            self.seen = self.seen.saturating_add(call.count);
        }
        let object = match call.object {
            b"" => self.objects.last().map_or(Vec::new(), |(_, object)| object.clone()),
            object => object.to_vec(),
        };
        let address = hexadecimal(call.name).filter(|_| call.name.starts_with(b"0x"));
        let name = if address.is_some() { b"" } else { call.name };
        let kind = match Kind::of_object(&object, address) {
            Kind::User if object.starts_with(b"/boot/") => Kind::Kernel,
            kind => kind,
        };
        let frame = Frame { name, object: &object, address, kind, ..Frame::default() };
        let origin = Sample { event: &self.event, ..Sample::default() };
        self.tree.enter(call.indent, &frame, (call.count, None), &origin, samples)?;
        self.objects.push((call.indent, object));
        Ok(())
    }

    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let origin = Sample { event: &self.event, ..Sample::default() };
        self.tree.finish(&origin, samples)?;
        if self.seen < self.expected {
            samples.note(format_args!(
                "event {}: {} of {} samples are in no call graph, as pmcstat leaves out small ones",
                self.event.as_bstr(),
                self.expected - self.seen,
                self.expected
            ));
        }
        (self.expected, self.seen) = (0, 0);
        self.objects.clear();
        Ok(())
    }
}

/// A line of a graph.
struct Call<'a> {
    indent: usize,
    count: u64,
    name: &'a [u8],
    object: &'a [u8],
}

impl Call<'_> {
    fn of(line: &[u8]) -> Option<Call<'_>> {
        let rest = line.trim_ascii_start();
        let indent = line.len() - rest.len();
        let (share, rest) = rest.split_once_str("%")?;
        let is_share = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        let (count, rest) = rest.trim_ascii_start().strip_prefix(b"[")?.split_once_str("]")?;
        let symbol = rest.trim_ascii();
        let (name, object) = symbol.rsplit_once_str(" @ ").unwrap_or((symbol, b""));
        let count = decimal(count).filter(|_| share.iter().all(is_share) && !name.is_empty())?;
        Some(Call { indent, count, name, object })
    }
}
