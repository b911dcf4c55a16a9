//! Reads profiles that are compared: one file, or all of a side.

use std::path::{Path, PathBuf};

use crate::{Error, Result, folded::FoldedLine, io::Total, pipe::Pipe};

/// What was read of one file.
#[derive(Debug)]
pub struct Profile {
    /// The file as the user wrote it, or `<stdin>`.
    pub name: String,
    /// Its lines and their weight.
    pub total: Total,
    /// How many samples there are, if a header line says so.
    pub samples: Option<u64>,
}

/// Calls `each` with every folded line of a file that weighs something.
///
/// # Errors
///
/// [`Error::Input`] with what the system says, [`Error::Unknown`] if there is no such
/// line.
pub fn read_profile(
    path: &Path,
    pipe: &mut Pipe,
    mut each: impl FnMut(FoldedLine<'_>),
) -> Result<Profile> {
    let mut input = pipe.open(path)?;
    let mut total = Total::default();
    pipe.lines_of(&mut input).each(|line, _| {
        if line.count > 0 {
            total += line.count;
            each(line);
        }
        Ok(())
    })?;
    let samples = pipe.samples_of_last_input();
    let name = input.name().to_owned();
    if total.weight == 0 {
        let what = "expected folded stacks that weigh something, found none".to_owned();
        return Err(Error::Unknown { name, what });
    }
    Ok(Profile { name, total, samples })
}

/// Calls `read` with every file. `None` if that fails for one of them; every file that fails is
/// named in a message, and the exit status will be 2.
///
/// # Errors
///
/// Those of `read` that are not about an input.
pub fn read_profiles<T>(
    paths: &[PathBuf],
    pipe: &mut Pipe,
    mut read: impl FnMut(&Path, &mut Pipe) -> Result<T>,
) -> Result<Option<Vec<T>>> {
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        match read(path, pipe) {
            Ok(one) => all.push(one),
            Err(error) if error.is_of_input() => pipe.error(&error),
            Err(error) => return Err(error),
        }
    }
    Ok((all.len() == paths.len()).then_some(all))
}
