//! Profiles of OpenTelemetry, as its collector's file exporter, its profiler and others write
//! them: protocol buffers, or the same as JSON. Grammar from
//! opentelemetry/proto/profiles/v1development/profiles.proto of opentelemetry-proto.
//!
//! ```text
//! resource_profiles                   a service or a host, with attributes
//!   scope_profiles
//!     profiles                        what is counted: the type of its samples
//!       samples                       a stack, attributes, values, times
//! dictionary                          stacks, locations, functions, strings …
//! ```
//!
//! What samples refer to is in the dictionary, which mostly comes last. So samples are summed by
//! the numbers of their stacks and attributes until it is known.
//!
//! The message has changed without a number that says so. Three of its forms are in use: that of
//! today, that of versions 1.8 and 1.9, whose samples have other numbers for their fields, and
//! those before, which have no stacks in the dictionary and are named, not read.

mod attributes;
mod batch;
mod binary;
mod dictionary;
mod form;
mod json;

use common::{Input, Result};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format = Format {
    name: "otlp",
    about: "Profiles of OpenTelemetry (OTLP): of its collector, its profiler",
    detect,
    parse,
    root: Root::Comm,
    weighs: Weighs::Sum,
    extras: &[],
};

/// What is said of a message in a form that is not read.
const OLD: &str = "profiles of opentelemetry-proto 1.7 or older, which are not read: write them \
                   with a newer profiler or collector";

fn detect(head: &Head<'_>) -> bool {
    let is_json = head.outline().is_some_and(|keys| {
        keys.has("resourceProfiles") && (keys.has("dictionary") || keys.has_inside("scopeProfiles"))
    });
    is_json || binary::detect(head.bytes)
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], [`common::Error::Unknown`] where something is damaged, after all
/// that can be read, or where the form is older than what is known; or what adding samples
/// returns.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let (start, _) = input.peek_more(1).map_err(|source| common::Error::Input { name, source })?;
    if start.first() == Some(&b'{') {
        json::read(input, options, samples)
    } else {
        binary::read(input, options, samples)
    }
}
