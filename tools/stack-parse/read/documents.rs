//! Profiles in JSON whose samples come before the names of their frames: each is read to its end
//! before its samples are added. An input may hold several, one after the other.

use common::{Result, io::Input};

use super::json::Json;
use crate::options::Options;
use crate::samples::Samples;

/// A profile that is being read.
pub(crate) trait Document: Sized {
    /// What an error message expected: `the JSON of a .cpuprofile`.
    const WHAT: &'static str;

    /// Reads the keys of the object that has begun.
    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()>;

    /// Adds what was read.
    fn finish(self, samples: &mut Samples<'_>) -> Result<()>;
}

/// The function that parses a format of such documents.
///
/// # Errors
///
/// Those of [`read_documents`].
pub(crate) fn parse<D: Document + Default>(
    input: &mut Input,
    _: &Options,
    samples: &mut Samples<'_>,
) -> Result<()> {
    read_documents(input, D::default, samples)
}

/// Reads one input to its end; `new` makes an empty document.
///
/// # Errors
///
/// [`common::Error::Input`], [`common::Error::Unknown`] where the JSON is damaged,
/// after all that came before; or what adding samples returns.
pub(crate) fn read_documents<D: Document>(
    input: &mut Input,
    new: impl Fn() -> D,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let mut json = Json::new(input);
    loop {
        let mut document = new();
        let read = read_next(&mut document, &mut json, samples);
        document.finish(samples)?;
        if !read? {
            return Ok(());
        }
    }
}

/// Reads a document; false at the end of the input.
fn read_next<D: Document>(
    document: &mut D,
    json: &mut Json<&mut Input>,
    samples: &mut Samples<'_>,
) -> Result<bool> {
    if !json.next_document()? {
        return Ok(false);
    }
    if !json.begin_object()? {
        return Err(json.unexpected(D::WHAT));
    }
    document.read(json, samples)?;
    Ok(true)
}
