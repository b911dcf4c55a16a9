//! Says of each line in which request or phase it was.

mod events;
mod known;
mod lines;
mod open;
mod span;
mod table;
mod tally;
mod tree;
mod write;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use common::io::Files;
use common::pipe::{Comments, Pipe};
use common::{Error, Result, Status};

use events::{EventArgs, Events};
use lines::Labeller;
use table::{Offset, Spans};
use write::Writer;

/// Add labels to lines whose time and thread lie in a span, such as a request or a phase
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    /// The spans: a table with tabs and the columns start, end, name, and maybe tid, pid, id and
    /// others, which become labels; with --begin, a FILE
    #[arg(value_name = "SPANS", required_unless_present = "begin")]
    spans: Option<PathBuf>,

    #[command(flatten)]
    files: Files,

    /// Name all spans that a line is in, the outermost first, not only the innermost
    #[arg(long)]
    all: bool,

    /// Put the names of all spans as frames below the root
    #[arg(long)]
    frames: bool,

    /// The clock of the spans, which must be that of the lines; 'any' takes both as they are
    #[arg(long, value_name = "NAME", default_value = "monotonic")]
    clock: String,

    /// Add these seconds to the times of the spans
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, default_value = "0")]
    offset: Offset,

    #[command(flatten)]
    events: EventArgs,
}

fn main() -> ExitCode {
    common::run(stack_label)
}

fn stack_label(mut args: Args, pipe: &mut Pipe) -> Result<Status> {
    let writer = Writer::new(args.all, args.frames);
    let spans = args.spans.take();
    match (args.events.events(writer), spans) {
        (Some(events), first) => {
            args.files.paths.splice(0..0, first);
            by_events(events, &args, pipe)
        }
        (None, spans) => by_table(&spans.unwrap_or_default(), &args, pipe),
    }
}

/// Labels lines by the spans of a table.
fn by_table(spans: &Path, args: &Args, pipe: &mut Pipe) -> Result<Status> {
    let spans = Spans::read(spans, args.offset, pipe)?;
    let mut labeller = Labeller::new(&spans, Writer::new(args.all, args.frames));
    let mut is_first = true;
    pipe.lines(&args.files).comments(Comments::Pass).telling_headers().each(|line, pipe| {
        if std::mem::take(&mut is_first) {
            args.check_clock(pipe)?;
        }
        labeller.label(&line, pipe)
    })?;
    labeller.say(pipe);
    Ok(pipe.status())
}

/// Labels lines by the spans that are between lines of two events, or writes these spans.
fn by_events(mut events: Events, args: &Args, pipe: &mut Pipe) -> Result<Status> {
    let comments = if args.events.tsv { Comments::Keep } else { Comments::Pass };
    let lines = pipe.lines(&args.files).comments(comments).telling_headers();
    lines.each(|line, pipe| events.line(&line, pipe))?;
    events.finish(pipe)
}

impl Args {
    /// Times of two clocks may be some milliseconds apart: then a line gets a label of another span, and
    /// nobody sees it.
    fn check_clock(&self, pipe: &Pipe) -> Result<()> {
        let clock = pipe.header_value("clock").map(String::from_utf8_lossy);
        match clock {
            _ if self.clock == "any" => Ok(()),
            Some(clock) if clock == self.clock => Ok(()),
            Some(clock) => Err(Error::Usage(format!(
                "the times of the lines are of the clock {clock}, those of the spans of {}: '--clock any' \
                 takes both as they are",
                self.clock
            ))),
            None => Err(Error::Usage(format!(
                "no header line says of which clock the times of the lines are: record with 'perf \
                 record -k CLOCK_{}' and print with 'stack-parse --header --labels time,tid', or \
                 '--clock any' takes them as they are",
                self.clock.to_uppercase()
            ))),
        }
    }
}
