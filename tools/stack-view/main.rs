//! Looks at a profile in the terminal: the picture of stack-svg, by keys and the mouse.

mod app;
mod call_tree;
mod colors;
mod command;
mod draw;
mod functions;
mod keys;
mod layout;
mod live;
mod profile;
mod run;
mod search;
#[cfg(unix)]
mod signals;
mod steps;
mod terminal;
#[cfg(test)]
mod tests;
mod trees;
mod view;
mod write;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Parser;
use common::{Error, Result, Status, hints::NO_WEIGHT, io::Files, numbers::Unit, pipe::Pipe};

use app::{App, Ended};
use colors::Palette;
use profile::Profile;

/// Look at a flame graph in the terminal, and write the stacks that are shown
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// What the weights count, such as samples, ns or bytes
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
}

fn main() -> ExitCode {
    common::run(stack_view)
}

fn stack_view(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let Some(app) = live::read(&args, pipe)? else {
        pipe.note(NO_WEIGHT);
        return Ok(Status::Nothing);
    };
    match app.ended {
        Some(Ended::Write) => write::to_pipe(&app.view, pipe).map(|()| pipe.status()),
        Some(Ended::Written) => Ok(Status::Success),
        _ => Ok(Status::Nothing),
    }
}

fn unit(args: &Args, pipe: &Pipe) -> Unit {
    let name = args.unit.clone().or_else(|| pipe.header_unit());
    Unit::named(name.as_deref().unwrap_or_default())
}

fn new_app(profile: Profile) -> App {
    App::new(profile, Palette::of_terminal(), io::stdout().is_terminal())
}

/// The error if there is no terminal to show anything on.
fn no_terminal(error: &io::Error) -> Error {
    Error::Usage(format!(
        "no terminal to show it on ({}): stack-top prints tables into pipes",
        common::reason(error)
    ))
}
