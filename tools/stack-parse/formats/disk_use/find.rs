//! What `find -printf '%s %p\n'` prints: each file and folder with its own size. Names may hold
//! line ends; with `\0` in place of `\n` they are read exactly.

use common::{Result, io::Input};

use super::order::{Order, order};
use super::sized::for_each_sized;
use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::paths::parts;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Samples, Weighs};

pub(in crate::formats) const FORMAT: Format =
    Format::new("find", "Sizes of files: find -printf '%s %p\\n'", detect, parse)
        .weighs(Weighs::Exact);

fn detect(head: &Head<'_>) -> bool {
    order(head) == Some(Order::FoldersFirst)
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[Measure { name: b"", unit: b"bytes" }]);
    let mut stack = Vec::new();
    for_each_sized(input, samples, |size, path, samples| {
        stack.clear();
        stack.extend(parts(path).map(|part| samples.frame(part)));
        samples.add(&Sample { weights: &[size], ..Sample::default() }, &stack)
    })
}
