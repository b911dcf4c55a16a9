//! Writes stacks in the formats of other viewers.

mod calls;
mod clock;
mod event;
mod functions;
mod labelled;
mod marks;
mod numbers;
mod profile;
mod target;
mod targets;
mod threads;
mod times;
mod walk;

use std::process::ExitCode;

use clap::Parser;
use common::io::{Files, Total, unwritten};
use common::pipe::{Limit, Pipe};
use common::{Error, Result, Status};

use clock::Clock;
use event::ExportedEvent;
use labelled::HeldLabels;
use profile::Profile;
use target::{Target, Writer};

/// Write stacks in the format of another viewer: speedscope, pprof, Firefox and more
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = targets::parser())]
    to: &'static Target,

    /// Take only this event, of stacks that 'stack-parse --by-event --header' or
    /// 'stack-parse --labels event' wrote
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// What the weights count, such as samples, ns or bytes
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
}

fn main() -> ExitCode {
    common::run(stack_export)
}

/// The message where no stack has a weight.
const NOTHING: &str = "nothing to export: no folded stack with a weight came in";

fn stack_export(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let (write, most_events) = match args.to.write {
        Writer::Lines(write) => return write(&args.files, args.event.as_deref(), pipe),
        Writer::AllEvents(write) => (write, usize::MAX),
        Writer::OneEvent(write) => (write, 1),
    };
    let mut profile = read(&args, pipe)?;
    if let Some(name) = &args.event {
        profile.keep_event(name)?;
    }
    let weight = profile.events.iter().map(|event| u128::from(event.total)).sum();
    count_others_as_dropped(weight, pipe);
    if weight == 0 {
        pipe.note(NOTHING);
        return Ok(pipe.status());
    }
    if profile.events.len() > most_events {
        return Err(several_events(&args, &profile.events));
    }
    if args.to.is_text {
        say_escaped(profile.not_utf8().len(), pipe);
    }
    args.to.check(&profile)?;
    write(&profile, pipe.out()).map_err(unwritten)?;
    pipe.count_written(Total { lines: profile.distinct_stacks() as u64, weight });
    Ok(pipe.status())
}

fn read(args: &Args, pipe: &mut Pipe) -> Result<Profile> {
    let (target, event) = (args.to, args.event.as_deref());
    let mut clock = Clock::default();
    let counts = pipe.lines(&args.files).sums_shown(
        Limit::AllStacks,
        |line, buffer| {
            if target.labels == HeldLabels::Threads {
                clock.read(&line, event);
            }
            labelled::text_of(line, target.labels, target.has_places, buffer)
        },
        labelled::shown,
    )?;
    clock.report(pipe);
    Ok(Profile::new(counts.into_sorted(), clock, pipe, args.unit.as_deref()))
}

/// Counts the events that the user did not ask for as dropped.
fn count_others_as_dropped(taken: u128, pipe: &mut Pipe) {
    let before = pipe.stats().dropped.weight + taken;
    let weight = pipe.stats().read.weight.saturating_sub(before);
    pipe.count_dropped(Total { lines: u64::from(weight > 0), weight });
}

fn several_events(args: &Args, events: &[ExportedEvent]) -> Error {
    let names: Vec<&str> = events.iter().filter_map(|event| event.name.as_deref()).collect();
    let (format, names) = (args.to.name, names.join(", "));
    Error::Usage(format!("{format} holds one event: choose one with --event: {names}"))
}

/// Notes how many names hold escapes, as formats that are text cannot hold every name.
fn say_escaped(names: usize, pipe: &Pipe) {
    match names {
        0 => {}
        1 => pipe.note("1 name is not UTF-8: \\xAD and the like stand for such bytes in it"),
        names => pipe.note(format_args!(
            "{names} names are not UTF-8: \\xAD and the like stand for such bytes in them"
        )),
    }
}
