//! MOJO, the binary format of Austin, a sampling profiler of Python: versions 1 to 4.
//!
//! `MOJ` and the version, then events: a byte that says which, and its numbers and strings. A
//! number has 6 bits and a sign in its first byte and 7 bits in each further one; a string ends
//! with a NUL. Strings and frames are described once for each process, and then called by their
//! keys:
//!
//! ```text
//! metadata "mode" "wall"
//! stack    process 6360, interpreter 0, thread "18d8"     a sample begins
//! string   19 "demo.py"
//! string   20 "main"
//! frame    7: file 19, name 20, lines 7 to 7, columns 5 to 12
//! call     7                                              the outermost first
//! time     105                                            in microseconds
//! stack    process 6360, interpreter 0, thread "18d8"     the next sample
//! ```
//!
//! Version 2 added columns and the last line to frames, version 3 the interpreter to stacks,
//! version 4 stacks that repeat the last one of their thread, and tasks of asyncio.

mod event;
mod frames;
mod recording;
mod tasks;
mod threads;

use std::io::{self, Read};

use common::io::Input;
use common::{Error, Result};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::ahead::Ahead;
use crate::samples::{Samples, Weighs};
use event::{Event, Unread};
use recording::Recording;

pub(super) const FORMAT: Format =
    Format::new("mojo", "The binary format of austin (MOJO), versions 1 to 4", detect, parse)
        .weighs(Weighs::Value);

const MAGIC: &[u8] = b"MOJ";

/// The versions that are read, and those that would be called unknown: no text has such bytes.
const VERSIONS: std::ops::RangeInclusive<u8> = 1..=4;
const LATER: std::ops::RangeInclusive<u8> = 5..=8;

/// The longest event in bytes. Without a limit, memory would grow with a damaged file, in which
/// the end of a string is missing.
const LONGEST: usize = 1 << 20;

fn detect(head: &Head<'_>) -> bool {
    let version = head.bytes.strip_prefix(MAGIC).and_then(<[u8]>::first);
    version.is_some_and(|version| VERSIONS.contains(version) || LATER.contains(version))
}

/// Why reading ended early.
enum End {
    Input(io::Error),
    /// What is wrong, and where.
    Damaged(String),
    Failed(Error),
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where something cannot be read, after all before it was
/// added; or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut ahead = Ahead::new(input);
    let read = match version(&mut ahead) {
        Ok(version) => {
            let mut recording = Recording::new(samples);
            let read = read(&mut ahead, version, &mut recording, samples);
            recording.finish(samples)?;
            read
        }
        Err(end) => Err(end),
    };
    match read {
        Ok(()) => Ok(()),
        Err(End::Input(source)) => Err(Error::Input { name, source }),
        Err(End::Damaged(what)) => Err(Error::Unknown { name, what }),
        Err(End::Failed(error)) => Err(error),
    }
}

/// Reads the first bytes, up to the version.
fn version<R: Read>(ahead: &mut Ahead<R>) -> Result<u8, End> {
    while ahead.rest().len() <= MAGIC.len() && ahead.fill().map_err(End::Input)? {}
    match ahead.rest().strip_prefix(MAGIC) {
        Some([version, ..]) if VERSIONS.contains(version) => {
            let version = *version;
            ahead.take(MAGIC.len() + 1);
            Ok(version)
        }
        Some([version, ..]) => {
            Err(End::Damaged(format!("version {version} of the format: expected 1 to 4")))
        }
        _ => Err(End::Damaged("expected MOJ and a version at its start".to_owned())),
    }
}

/// Reads all events.
fn read<R: Read>(
    ahead: &mut Ahead<R>,
    version: u8,
    recording: &mut Recording,
    samples: &mut Samples<'_>,
) -> Result<(), End> {
    let kept = "what came before is kept";
    loop {
        let at = ahead.position();
        let expected = |what: &str| {
            End::Damaged(format!("expected {what} at byte {at} of the recording; {kept}"))
        };
        match Event::read(ahead.rest(), version) {
            Ok((event, length)) => {
                match recording.event(event, samples) {
                    Ok(()) => {}
                    Err(recording::Stop::Expected(what)) => return Err(expected(what)),
                    Err(recording::Stop::Failed(error)) => return Err(End::Failed(error)),
                }
                ahead.take(length);
            }
            Err(Unread::Unknown(id)) => {
                return Err(expected(&format!("an event of version {version}, not {id},")));
            }
            Err(Unread::Wrong(what)) => return Err(expected(what)),
            Err(Unread::Ended) if ahead.rest().len() > LONGEST => {
                return Err(expected("an event that ends"));
            }
            Err(Unread::Ended) => {
                if ahead.fill().map_err(End::Input)? {
                    continue;
                }
                if ahead.rest().is_empty() && !recording.is_within_a_sample() {
                    return Ok(());
                }
                let end = at + ahead.rest().len() as u64;
                return Err(End::Damaged(format!(
                    "it ends within a sample, at byte {end}; {kept}"
                )));
            }
        }
    }
}
