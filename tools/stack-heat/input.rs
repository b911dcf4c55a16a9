//! What an input holds: folded lines with labels, or a table.

use common::folded::{FoldedLine, Labels, header_line, parse_header};
use common::{Error, Result, io::Input, pipe::Pipe};

use crate::labelled;
use crate::rows::{Refused, Rows};
use crate::table::Columns;

/// What the lines of an input are, as far as it is known.
enum Kind {
    /// So far there were only comments, and lines that are not folded.
    Unknown,
    Table(Columns),
    Folded,
}

/// Adds all samples of an input. Lines that cannot be read are reported.
///
/// # Errors
///
/// [`Error::Unknown`] for a table without the columns that are needed, [`Error::Usage`] if the
/// width that the user wants gives too many columns.
pub(crate) fn read(input: &mut Input, rows: &mut Rows, pipe: &mut Pipe) -> Result<()> {
    let name = input.name().to_owned();
    let mut kind = Kind::Unknown;
    let mut header = Vec::new();
    let mut lines_have_events = false;
    let read = pipe.lines_of(input).texts(|line, number, pipe| {
        let added = match &kind {
            Kind::Unknown if Columns::are_named_by(line) => {
                let columns = Columns::of(line, rows.by.as_ref());
                let unknown = |what| Error::Unknown { name: name.clone(), what };
                kind = Kind::Table(columns.map_err(unknown)?);
                rows.has_table = true;
                return Ok(());
            }
            Kind::Table(columns) => columns.add(line, rows, pipe),
            Kind::Unknown | Kind::Folded if line.starts_with(b"# ") => {
                header.extend(parse_header(line).map(|(key, value)| header_line(key, value)));
                return Ok(());
            }
            Kind::Unknown | Kind::Folded => match FoldedLine::parse(line) {
                Ok(folded) => {
                    kind = Kind::Folded;
                    lines_have_events |= labelled::has_event(&folded);
                    labelled::add(&folded, rows, pipe)
                }
                Err(_) if matches!(kind, Kind::Unknown) && is_foreign(line) => {
                    let what = pipe.what_input_is(&name).unwrap_or_else(|| neither(line, rows));
                    return Err(Error::Unknown { name: name.clone(), what });
                }
                Err(why) => {
                    pipe.malformed(&name, number, why);
                    return Ok(());
                }
            },
        };
        match added {
            Ok(()) => Ok(()),
            Err(Refused::Line(why)) => {
                pipe.malformed(&name, number, why);
                Ok(())
            }
            Err(Refused::Column) => Err(Error::Usage(format!(
                "{name}:{number}: more than 10000 columns: give --column a longer time"
            ))),
        }
    });
    rows.add_header(header, lines_have_events);
    read
}

/// Whether a line is of another format, and not a damaged folded line: it has control bytes, like a
/// row of a table or a binary file, and does not start with a label.
fn is_foreign(line: &[u8]) -> bool {
    let has_labels = Labels::split(line).map_or(true, |(labels, _)| !labels.is_empty());
    line.iter().any(u8::is_ascii_control) && !has_labels
}

/// The message for an input that is neither.
fn neither(line: &[u8], rows: &Rows) -> String {
    let no_table = Columns::of(line, rows.by.as_ref()).err().unwrap_or_default();
    format!("{no_table}, or folded lines with labels, as 'stack-parse --labels since' prints them")
}
