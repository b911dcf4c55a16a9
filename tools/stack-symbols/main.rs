//! The functions of executables: symbol, name, file and line.

mod table;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::process::ExitCode;

use clap::Parser;
use common::io::{Files, Input, map_executable};
use common::names::{symbol_name, without_g};
use common::pipe::{Pipe, what_file_is};
use common::{Error, Result, Status};
use symbolize::executable::{
    Call, Mark, Symbol, Symbols, Unreadable, Unwinding, ocaml_calls, unwinding,
};

use table::Cell::{Place, Text};
use table::{NAME, PLACE, Table};

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

    /// Print a table for programs: path and line apart, and fields that need it in quotes
    #[arg(long)]
    tsv: bool,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_symbols)
}

fn stack_symbols(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let mut table = Table::new(args.tsv);
    pipe.for_each_input(&args.files, |input, pipe| {
        let bytes = bytes_of(input)?;
        list(&bytes, input, &args, &mut table, pipe)
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
    let unknown = |why: Unreadable| {
        let found = matches!(why, Unreadable::NoExecutable).then(|| what_file_is(bytes)).flatten();
        let what = match found {
            Some(found) => format!("expected an executable, found {found}"),
            None => why.to_string(),
        };
        Error::Unknown { name: input.name().to_owned(), what }
    };
    if args.call_graph {
        let answer = call_graph(unwinding(bytes).map_err(unknown)?);
        table.call_graph(input.name(), answer, pipe)
    } else if args.calls {
        let mut calls = ocaml_calls(bytes).map_err(unknown)?;
        calls.sort_by_key(|call| call.return_address);
        table.header(&["address", NAME, PLACE], pipe)?;
        calls.iter().try_for_each(|call| write_call(call, table, pipe))
    } else {
        let symbols = Symbols::parse_with_lines(bytes).map_err(unknown)?;
        table.header(&["symbol", NAME, PLACE, "address", "mark"], pipe)?;
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
fn bytes_of(input: &mut Input) -> Result<Cow<'static, [u8]>> {
    let name = input.name().to_owned();
    let failed = |source| Error::Input { name: name.clone(), source };
    if let Some(path) = input.path() {
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
fn call_graph(unwinding: Unwinding) -> &'static str {
    match unwinding {
        Unwinding::FramePointers => "fp",
        Unwinding::Dwarf => "dwarf",
        Unwinding::LastBranches => "lbr",
    }
}

fn write_function(function: &Symbol, table: &mut Table, pipe: &mut Pipe) -> Result<()> {
    let source = function.source.as_ref();
    let address = format!("{:#x}", function.address);
    let mark: &[u8] = match function.mark() {
        Mark::Exact => b"exact",
        Mark::Symbol => b"symbol",
        Mark::Guess => b"guess",
    };
    table.row(
        &[
            Text(&function.symbol),
            Text(&symbol_name(function)),
            Place(source),
            Text(address.as_bytes()),
            Text(mark),
        ],
        pipe,
    )
}

/// A row for each function that was inlined there, and then one for the function itself.
fn write_call(call: &Call, table: &mut Table, pipe: &mut Pipe) -> Result<()> {
    let address = format!("{:#x}", call.return_address);
    call.frames.iter().try_for_each(|frame| {
        let source = frame.source();
        table
            .row(&[Text(address.as_bytes()), Text(&frame.readable()), Place(source.as_ref())], pipe)
    })
}
