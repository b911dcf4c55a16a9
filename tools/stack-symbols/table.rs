//! The list that is printed: tab-separated text with one header, however many executables
//! there are.

use common::io::{Total, push_field};
use common::{Result, folded::clean_frame, names::utf8, pipe::Pipe};
use symbolize::executable::SourceLine;

/// The columns that a table for programs calls as other tools do, or has two of.
pub(crate) const NAME: &str = "name";
pub(crate) const PLACE: &str = "location";

/// A cell of a row.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    Text(&'a [u8]),
    Place(Option<&'a SourceLine>),
}

pub(crate) struct Table {
    /// Whether it is for programs.
    tsv: bool,
    has_header: bool,
    line: Vec<u8>,
}

impl Table {
    pub(crate) fn new(tsv: bool) -> Table {
        Table { tsv, has_header: false, line: Vec::new() }
    }

    /// Writes the names of the columns, once.
    pub(crate) fn header(&mut self, names: &[&str], pipe: &mut Pipe) -> Result<()> {
        if self.has_header {
            return Ok(());
        }
        self.has_header = true;
        let name = |name: &&str| match *name {
            NAME if self.tsv => "function".to_owned(),
            PLACE if self.tsv => "path\tline".to_owned(),
            name => name.to_owned(),
        };
        pipe.out().line(names.iter().map(name).collect::<Vec<_>>().join("\t").as_bytes())
    }

    pub(crate) fn row(&mut self, cells: &[Cell<'_>], pipe: &mut Pipe) -> Result<()> {
        self.line.clear();
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.line.push(b'\t');
            }
            match (cell, self.tsv) {
                (Cell::Text(text), true) => push_field(&utf8(text), &mut self.line),
                (Cell::Place(place), true) => self.push_path_and_line(*place),
                // As frames are written, so that no tab is in them.
                (Cell::Text(text), false) => clean_frame(text, &mut self.line),
                (Cell::Place(None), false) => self.line.push(b'-'),
                (Cell::Place(Some(place)), false) => clean_frame(&place.to_bytes(), &mut self.line),
            }
        }
        self.write(pipe)
    }

    /// Writes what `--call-graph` of `perf record` has to be for a file.
    pub(crate) fn call_graph(&mut self, file: &str, answer: &str, pipe: &mut Pipe) -> Result<()> {
        let answer = Cell::Text(answer.as_bytes());
        if !self.tsv {
            return self.row(&[answer], pipe);
        }
        self.header(&["file", "call_graph"], pipe)?;
        self.row(&[Cell::Text(file.as_bytes()), answer], pipe)
    }

    fn push_path_and_line(&mut self, place: Option<&SourceLine>) {
        let Some(SourceLine { file, line }) = place else { return self.line.push(b'\t') };
        push_field(&utf8(file), &mut self.line);
        self.line.extend_from_slice(format!("\t{line}").as_bytes());
    }

    fn write(&mut self, pipe: &mut Pipe) -> Result<()> {
        self.line.push(b'\n');
        let row = Total { lines: 1, weight: 0 };
        pipe.count_read(row);
        pipe.write_lines(&self.line, row)
    }
}
