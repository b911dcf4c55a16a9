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
//! Samples refer to the dictionary, which mostly comes last. So samples are summed by the numbers
//! of their stacks and attributes until the dictionary is known.
//!
//! The message has changed without a version number. Three of its forms are in use: today's; that
//! of versions 1.8 and 1.9, in which the fields of samples have other numbers; and the older ones,
//! which have no stacks in the dictionary. The older ones are recognized but not read.

mod attributes;
mod batch;
mod binary;
mod dictionary;
mod encoding;
mod entry;
mod fields;
mod form;
mod json;
mod message;
mod recorded;

use common::{Error, Result, io::Input};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::samples::{Root, Samples};
use binary::Binary;
use json::AsJson;

pub(super) const FORMAT: Format = Format::new(
    "otlp",
    "Profiles of OpenTelemetry (OTLP): of its collector, its profiler",
    detect,
    parse,
)
.root(&Root::Comm);

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
/// [`Error::Input`]; [`Error::Unknown`] if something is damaged, after all that can
/// be read was added, or if the form is too old; or what adding samples returns.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let start = input.peek_more(1);
    let (start, _) = start.map_err(|source| Error::Input { name: name.clone(), source })?;
    if start.first() == Some(&b'{') {
        message::read(name, &mut AsJson::new(input), options, samples)
    } else {
        message::read(name.clone(), &mut Binary::new(name, input), options, samples)
    }
}
