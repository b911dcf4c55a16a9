//! The frame around every tool's `main`.

mod unknown;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Command, FromArgMatches, Parser};
use clap_complete::Shell;

use crate::io::{messages, output};
use crate::status::{SUCCESS, TROUBLE, TROUBLE_OF_WRAPPER};
use crate::{Error, Result, Status, io::Output, names::printable, pipe::Pipe};

// What every tool takes beside its own arguments; a doc comment here would
// become the help text of all tools.
#[derive(Args)]
struct EveryTool {
    /// Write each line as soon as it is known, even into a pipe
    #[arg(long)]
    line_buffered: bool,

    /// Print one line of statistics on stderr: lines and weight in, out, changed, dropped
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    completions: Completions,
}

// What also a wrapper takes.
#[derive(Args)]
struct Completions {
    /// Print a completion script for this shell and exit
    #[arg(long = "completions", value_name = "SHELL", exclusive = true)]
    shell: Option<Shell>,
}

/// Parses the arguments, runs `tool`, flushes its output and maps the result
/// to an exit status: 0 fine, 1 nothing came out, 2 trouble.
pub fn run<A: Parser>(tool: fn(A, &mut Pipe) -> Result<Status>) -> ExitCode {
    let once = || match parse::<A, EveryTool>(TROUBLE) {
        Ok((args, every)) => run_parsed(A::command().get_name(), &every, |pipe| tool(args, pipe)),
        Err(ended) => ended,
    };
    #[cfg(stack_tools_fuzz)]
    return crate::fuzz::for_every_input(A::command().get_name(), once);
    #[cfg(not(stack_tools_fuzz))]
    once()
}

/// The frame of a wrapper, a tool that runs another program: parses the arguments
/// and exits with the status that `tool` returns. Where the arguments cannot be
/// understood, this is 125, as of env(1).
pub fn run_wrapper<A: Parser>(tool: fn(A) -> u8) -> ExitCode {
    match parse::<A, Completions>(TROUBLE_OF_WRAPPER) {
        Ok((args, _)) => ExitCode::from(tool(args)),
        Err(ended) => ended,
    }
}

/// The arguments of a tool, and those of `More` that it has beside them; an exit
/// status where help, a version or completions were printed, or there is trouble.
fn parse<A: Parser, More: Args>(trouble: u8) -> Result<(A, More), ExitCode> {
    let mut command = More::augment_args(A::command());
    let name = command.get_name().to_owned();
    // Not the name of the file, which ends in `.exe` on Windows.
    command.set_bin_name(&name);
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    let parsed = unknown::without_options_of_go(parsed, &command, trouble == TROUBLE_OF_WRAPPER);
    let matches = parsed.map_err(|mut error| {
        unknown::say_what_does_it_here(&mut error, &mut command);
        usage(&name, &error, trouble)
    })?;
    if let Ok(Completions { shell: Some(shell) }) = Completions::from_arg_matches(&matches) {
        return Err(print_completions(shell, &mut command, trouble));
    }
    A::from_arg_matches(&matches)
        .and_then(|args| Ok((args, More::from_arg_matches(&matches)?)))
        .map_err(|error| usage(&name, &error.format(&mut command), trouble))
}

fn run_parsed(
    name: &str,
    every: &EveryTool,
    tool: impl FnOnce(&mut Pipe) -> Result<Status>,
) -> ExitCode {
    messages::set_tool(name);
    let out = match Output::open(every.line_buffered) {
        Ok(out) => out,
        Err(error) => return failed(name, &error, TROUBLE),
    };
    let mut pipe = Pipe::new(name, out, every.stats);
    let result = tool(&mut pipe);
    ExitCode::from(pipe.finish(result))
}

fn print_completions(shell: Shell, command: &mut Command, trouble: u8) -> ExitCode {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, command, name.clone(), &mut script);
    printed(&name, trouble, || io::stdout().write_all(&script))
}

/// Prints help and version on stdout, with status 0, and errors on stderr.
fn usage(name: &str, error: &clap::Error, trouble: u8) -> ExitCode {
    if !error.use_stderr() {
        return printed(name, trouble, || error.print());
    }
    let text = error.render().to_string();
    let mut lines = text.strip_prefix("error: ").unwrap_or(&text).lines();
    messages::print(name, lines.next().unwrap_or_default());
    for line in lines {
        // When stderr fails, there is nowhere to say so.
        let _ = writeln!(io::stderr(), "{}", printable(line.as_bytes()));
    }
    ExitCode::from(trouble)
}

/// Prints help, a version or completions, and maps the outcome to a status.
fn printed(name: &str, trouble: u8, print: impl FnOnce() -> io::Result<()>) -> ExitCode {
    let printed = output::check_stdout().and_then(|()| print()).and_then(|()| io::stdout().flush());
    match printed.map_err(output::unwritten) {
        Err(error) if !error.is_closed_pipe() => failed(name, &error, trouble),
        _ => ExitCode::from(SUCCESS),
    }
}

fn failed(name: &str, error: &Error, trouble: u8) -> ExitCode {
    messages::print(name, error);
    ExitCode::from(trouble)
}
