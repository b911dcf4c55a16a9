//! What is listed in place of stacks: the formats, and the format of each input.

use clap::Args;
use common::io::{Files, append_row};
use common::{Result, Status, names::printable, pipe::Pipe};

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
    pipe.for_each_input(files, |input, pipe| {
        let [format, about] = formats::describe(input)?;
        is_any_known |= !format.is_empty();
        let mut row = Vec::new();
        if tsv {
            append_row(&[input.name(), format, about], &mut row);
        } else {
            let file = printable(input.name().as_bytes());
            let separator = if format.is_empty() { "" } else { ", " };
            row.extend_from_slice(format!("{file}: {format}{separator}{about}\n").as_bytes());
        }
        pipe.out().lines(&row)?;
        Ok(())
    })?;
    Ok(if is_any_known { Status::Success } else { Status::Nothing })
}
