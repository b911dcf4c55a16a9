//! The functions of executables: symbol, name, file and line.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use common::{
    Error, Files, Input, Pipe, Result, Status, Total, clean_frame, map_executable, symbol_name,
    without_g,
};
use symbolize::executable::{
    Call, Mark, SourceLine, Symbol, Symbols, Unreadable, Unwinding, ocaml_calls, unwinding,
};

/// List the functions of executables: symbol, readable name, file and line
///
/// The names of OCaml functions come from the frame tables that its runtime uses
/// for backtraces, and lines from DWARF. The list has one line for a function,
/// with tabs between symbol, name, location, address and how the name is known.
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    /// List the calls in OCaml code instead, by return address
    #[arg(long)]
    calls: bool,

    /// Print the value for perf record --call-graph that suits each program of OCaml: fp, dwarf, or
    /// lbr
    #[arg(long, conflicts_with = "calls")]
    call_graph: bool,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_symbols)
}

fn stack_symbols(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let mut table = Table::default();
    pipe.for_each_input_until(&args.files, |path, input, pipe| {
        let bytes = bytes_of(path, input)?;
        list(&bytes, input, &args, &mut table, pipe).map(ControlFlow::Continue)
    })?;
    Ok(pipe.status())
}

/// Lists what an executable has.
fn list(
    bytes: &[u8],
    input: &Input,
    args: &Args,
    table: &mut Table,
    pipe: &mut Pipe,
) -> Result<()> {
    let unknown =
        |why: Unreadable| Error::Unknown { name: input.name().to_owned(), what: why.to_string() };
    if args.call_graph {
        table.row(&[call_graph(unwinding(bytes).map_err(unknown)?)], pipe)
    } else if args.calls {
        let mut calls = ocaml_calls(bytes).map_err(unknown)?;
        calls.sort_by_key(|call| call.return_address);
        table.header(&["address", "name", "location"], pipe)?;
        calls.iter().try_for_each(|call| write_call(call, table, pipe))
    } else {
        let symbols = Symbols::parse_with_lines(bytes).map_err(unknown)?;
        table.header(&["symbol", "name", "location", "address", "mark"], pipe)?;
        symbols.functions.iter().try_for_each(|it| write_function(it, table, pipe))?;
        let units = symbols.functions.iter().filter_map(|it| it.lacks_g.clone()).collect();
        note_without_g(input, &units, pipe);
        match symbols.no_ocaml {
            Some(why @ Unreadable::BadFrameTables) => Err(unknown(why)),
            _ if symbols.stripped => Err(unknown(Unreadable::Stripped)),
            _ => Ok(()),
        }
    }
}

/// The bytes of an executable. A file is mapped, so that only what is needed is read: what its
/// headers do not name may be far larger.
fn bytes_of(path: &Path, input: &mut Input) -> Result<Cow<'static, [u8]>> {
    let name = input.name().to_owned();
    let failed = |source| Error::Input { name: name.clone(), source };
    if path != Path::new("-") {
        match map_executable(path) {
            Ok(bytes) if bytes.starts_with(b"\x7fELF") => return Ok(Cow::Borrowed(bytes)),
            Err(error) if error.kind() == ErrorKind::OutOfMemory => return Err(failed(error)),
            // It is a pipe, or compressed.
            _ => {}
        }
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(failed)?;
    Ok(Cow::Owned(bytes))
}

fn note_without_g(input: &Input, units: &BTreeSet<Vec<u8>>, pipe: &Pipe) {
    if !units.is_empty() {
        pipe.note(format_args!("{}: {}", input.name(), without_g(units)));
    }
}

/// The value for `--call-graph` of `perf record`.
fn call_graph(unwinding: Unwinding) -> &'static [u8] {
    match unwinding {
        Unwinding::FramePointers => b"fp",
        Unwinding::Dwarf => b"dwarf",
        Unwinding::LastBranches => b"lbr",
    }
}

fn write_function(function: &Symbol, table: &mut Table, pipe: &mut Pipe) -> Result<()> {
    let location = location(function.source.as_ref());
    let address = format!("{:#x}", function.address);
    let mark: &[u8] = match function.mark() {
        Mark::Exact => b"exact",
        Mark::Symbol => b"symbol",
        Mark::Guess => b"guess",
    };
    table
        .row(&[&function.symbol, &symbol_name(function), &location, address.as_bytes(), mark], pipe)
}

/// A row for each function that was inlined there, and then one for the function itself.
fn write_call(call: &Call, table: &mut Table, pipe: &mut Pipe) -> Result<()> {
    let address = format!("{:#x}", call.return_address);
    call.frames.iter().try_for_each(|frame| {
        let location = location(frame.source().as_ref());
        table.row(&[address.as_bytes(), &frame.readable(), &location], pipe)
    })
}

fn location(source: Option<&SourceLine>) -> Vec<u8> {
    source.map_or(b"-".to_vec(), SourceLine::to_bytes)
}

/// Tab-separated text with one header, however many executables there are.
#[derive(Default)]
struct Table {
    has_header: bool,
    line: Vec<u8>,
}

impl Table {
    fn header(&mut self, names: &[&str], pipe: &mut Pipe) -> Result<()> {
        if self.has_header {
            return Ok(());
        }
        self.has_header = true;
        pipe.out().line(names.join("\t").as_bytes())
    }

    /// Writes cells as frames are written, so that no tab is in them.
    fn row(&mut self, cells: &[&[u8]], pipe: &mut Pipe) -> Result<()> {
        self.line.clear();
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.line.push(b'\t');
            }
            clean_frame(cell, &mut self.line);
        }
        self.line.push(b'\n');
        let row = Total { lines: 1, weight: 0 };
        pipe.count_read(row);
        pipe.write_lines(&self.line, row)
    }
}
