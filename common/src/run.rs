//! The frame around every tool's `main`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command, FromArgMatches, Parser};
use clap_complete::Shell;

use crate::io::{messages, output};
use crate::{Error, Output, Pipe, Result};

/// How a run without errors ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Something came out: exit status 0.
    Success,
    /// What was looked for was found, and nothing else was asked: exit status 0,
    /// even if something went wrong before.
    Found,
    /// Nothing came out, or nothing matched: exit status 1.
    Nothing,
}

/// The exit status when something came out, and when the reader of a pipe
/// left early.
pub(crate) const SUCCESS: u8 = 0;

/// The exit status when nothing came out, or nothing matched.
pub(crate) const NOTHING: u8 = 1;

/// The exit status of errors: bad usage, bad input, a failed write.
pub(crate) const TROUBLE: u8 = 2;

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

    /// Print a completion script for this shell and exit
    #[arg(long, value_name = "SHELL", exclusive = true)]
    completions: Option<Shell>,
}

/// An option that users know from another program, such as `--pid`, and what does
/// it here: `--root pid`.
pub type Known = (&'static str, &'static str);

/// Parses the arguments, runs `tool`, flushes its output and maps the result
/// to an exit status: 0 fine, 1 nothing came out, 2 trouble.
pub fn run<A: Parser>(tool: fn(A, &mut Pipe) -> Result<Status>) -> ExitCode {
    run_for_users_of(&[], tool)
}

/// The same, for a tool whose users may give options of another program: the
/// message says what does it here.
pub fn run_for_users_of<A: Parser>(
    known: &[Known],
    tool: fn(A, &mut Pipe) -> Result<Status>,
) -> ExitCode {
    let mut command = EveryTool::augment_args(A::command());
    let parsed = command
        .try_get_matches_from_mut(std::env::args_os())
        .and_then(|matches| Ok((EveryTool::from_arg_matches(&matches)?, matches)));
    let (every, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(mut error) => {
            say_what_does_it_here(&mut error, known, &mut command);
            return usage(command.get_name(), &error);
        }
    };
    if let Some(shell) = every.completions {
        return print_completions(shell, &mut command);
    }
    match A::from_arg_matches(&matches) {
        Ok(args) => run_parsed(command.get_name(), &every, |pipe| tool(args, pipe)),
        Err(error) => {
            let error = error.format(&mut command);
            usage(command.get_name(), &error)
        }
    }
}

/// Adds a tip where the error is an option of another program.
fn say_what_does_it_here(error: &mut clap::Error, known: &[Known], command: &mut Command) {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return };
    let found = known.iter().find(|(option, _)| option == given);
    if let (ErrorKind::UnknownArgument, Some((_, here))) = (error.kind(), found) {
        let tip = StyledStr::from(*here);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        // What clap finds similar is not what the user wants.
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Usage, ContextValue::StyledStr(command.render_usage()));
    }
}

fn run_parsed(
    name: &str,
    every: &EveryTool,
    tool: impl FnOnce(&mut Pipe) -> Result<Status>,
) -> ExitCode {
    let out = match Output::open(every.line_buffered) {
        Ok(out) => out,
        Err(error) => return trouble(name, &error),
    };
    let mut pipe = Pipe::new(name, out, every.stats);
    let result = tool(&mut pipe);
    ExitCode::from(pipe.finish(result))
}

fn print_completions(shell: Shell, command: &mut Command) -> ExitCode {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, command, name.clone(), &mut script);
    printed(&name, || io::stdout().write_all(&script))
}

/// Prints help and version on stdout, with status 0, and errors on stderr.
fn usage(name: &str, error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return printed(name, || error.print());
    }
    let text = error.render().to_string();
    let mut lines = text.strip_prefix("error: ").unwrap_or(&text).lines();
    messages::print(name, lines.next().unwrap_or_default());
    for line in lines {
        // When stderr fails, there is nowhere to say so.
        let _ = writeln!(io::stderr(), "{}", messages::escaped(line));
    }
    ExitCode::from(TROUBLE)
}

/// Prints help, a version or completions, and maps the outcome to a status.
fn printed(name: &str, print: impl FnOnce() -> io::Result<()>) -> ExitCode {
    let printed = output::check_stdout().and_then(|()| print()).and_then(|()| io::stdout().flush());
    match printed.map_err(output::trouble) {
        Err(error) if !error.is_closed_pipe() => trouble(name, &error),
        _ => ExitCode::from(SUCCESS),
    }
}

fn trouble(name: &str, error: &Error) -> ExitCode {
    messages::print(name, error);
    ExitCode::from(TROUBLE)
}
