//! What is listed in place of stacks: the formats, and the format of each input.

use clap::Args;
use common::io::{Files, append_row};
use common::{Result, Status, names::printable, pipe::Pipe};

use crate::folder;
use crate::formats::{self, FORMATS};

/// What to list, and how.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// List the formats that can be read and exit
    #[arg(long, group = "lists")]
    pub(crate) list_formats: bool,

    /// Say what each input is and exit: its format, or what it looks like
    #[arg(long, group = "lists")]
    pub(crate) detect: bool,
}

/// Lists the formats that can be read.
pub(crate) fn formats(tsv: bool, pipe: &mut Pipe) -> Result<Status> {
    if tsv {
        pipe.out().line(b"format\tabout")?;
    }
    for format in FORMATS {
        pipe.out().line(format!("{}\t{}", format.name, format.about).as_bytes())?;
    }
    Ok(Status::Success)
}

/// Says of each input what it is. Nothing comes out of what cannot be read.
pub(crate) fn detected(files: &Files, tsv: bool, pipe: &mut Pipe) -> Result<Status> {
    if tsv {
        pipe.out().line(b"file\tformat\tabout")?;
    }
    let mut is_any_known = false;
    for path in files.iter() {
        let file = match folder::describe(path) {
            Some(what) => Ok((path.to_string_lossy().into_owned(), ["", what])),
            None => pipe.open(path).and_then(|mut input| {
                let described = formats::describe(&mut input)?;
                Ok((input.name().to_owned(), described))
            }),
        };
        match file {
            Err(error) if error.is_of_input() => pipe.error(&error),
            file => {
                let (name, described) = file?;
                is_any_known |= !described[0].is_empty();
                pipe.out().lines(&row(&name, described, tsv))?;
            }
        }
    }
    Ok(if is_any_known { Status::Success } else { Status::Nothing })
}

/// The line of one input.
fn row(name: &str, [format, about]: [&str; 2], tsv: bool) -> Vec<u8> {
    if tsv {
        let mut row = Vec::new();
        append_row(&[name, format, about], &mut row);
        return row;
    }
    let file = printable(name.as_bytes());
    let separator = if format.is_empty() { "" } else { ", " };
    format!("{file}: {format}{separator}{about}\n").into_bytes()
}
