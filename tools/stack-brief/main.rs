//! Answers what a profile is about, in one page of Markdown.

mod brief;
mod chains;
mod change;
mod excerpt;
mod functions;
mod json;
mod marks;
mod names;
mod next;
mod page;
mod part;
mod profile;
mod rows;
mod scan;
mod signals;
mod text;
mod title;
mod walk;
mod width;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use common::hints::NO_WEIGHT;
use common::io::{Files, Total};
use common::pipe::Pipe;
use common::sources::SourceArgs;
use common::{Result, Status};

use brief::Brief;
use change::Changed;
use next::Origin;
use profile::Profile;
use scan::Scan;

/// Say what a profile is about in one page: where the time of your code goes, and how far to trust it
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// How many characters the page has at most
    #[arg(long, value_name = "NUMBER", default_value_t = 3000)]
    #[arg(value_parser = clap::value_parser!(u32).range(500..))]
    chars: u32,

    /// What changed beyond noise, from the profiles of one or several runs before
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "after", conflicts_with = "paths")]
    before: Vec<PathBuf>,

    /// The profiles of one or several runs after
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "before")]
    after: Vec<PathBuf>,

    /// Print one JSON object with the same
    #[arg(long)]
    json: bool,

    /// The recording that the stacks are of, for the commands of what to ask next
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,

    #[command(flatten)]
    sources: SourceArgs,

    /// What the weights count, such as samples, ns or bytes
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
}

fn main() -> ExitCode {
    common::run(stack_brief)
}

fn stack_brief(args: Args, pipe: &mut Pipe) -> Result<Status> {
    if !args.before.is_empty() {
        return changed(&args, pipe);
    }
    let Some(profile) = Profile::read(&args.files, args.unit.as_deref(), pipe)? else {
        pipe.note(NO_WEIGHT);
        return Ok(Status::Nothing);
    };
    let scan = Scan::of(&profile);
    let brief = Brief::of(&profile, &scan, args.sources.clone(), args.origin(), pipe);
    args.write(&brief, pipe)
}

/// What changed between two sides.
fn changed(args: &Args, pipe: &mut Pipe) -> Result<Status> {
    let sides = [&args.before[..], &args.after];
    let Some(changed) = Changed::read(sides, args.unit.as_deref(), pipe)? else {
        return Ok(Status::Nothing);
    };
    let brief = Brief::of_change(&changed, args.sources.clone(), sides, pipe);
    args.write(&brief, pipe)
}

impl Args {
    fn write(&self, brief: &Brief<'_>, pipe: &mut Pipe) -> Result<Status> {
        brief.sources.hints().into_iter().for_each(|hint| pipe.note(hint));
        let text = match self.json {
            true => json::object(brief),
            false => brief.page().text(self.chars as usize).into_bytes(),
        };
        let weight = brief.rows.iter().map(|row| u128::from(row.charged.rank)).sum();
        pipe.write_lines(&text, Total { lines: brief.rows.len() as u64, weight })?;
        pipe.count_rest_as_dropped();
        Ok(pipe.status())
    }

    fn origin(&self) -> Origin<'_> {
        match (&self.recording, &self.files.paths[..]) {
            (Some(recording), _) => Origin::Recording(recording),
            (None, [only]) if only != Path::new("-") => Origin::Stacks(only),
            _ => Origin::Unknown,
        }
    }
}
