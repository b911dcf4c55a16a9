//! Draw folded stacks as a flame graph: one SVG file.

mod colors;
mod finish;
mod footer;
mod names;
mod numbers;
mod picture;
mod prune;
mod whole_file;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use common::{Error, Files, FrameTable, Pipe, Result, STDOUT, StackTree, Status};

use picture::Look;
use prune::{MinWidth, Pruned};

/// Draw folded stacks as a flame graph: one SVG file
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// Write the whole picture to this file, or leave the file as it was
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Leave out frames narrower than this many pixels, or with '%' than this share of the weight
    #[arg(long, value_name = "WIDTH", default_value = "0.1", alias = "minwidth")]
    min_width: MinWidth,

    /// Merge the stacks from their leaves: who calls a function stands on top of it
    #[arg(long)]
    reverse: bool,

    #[command(flatten)]
    look: Look,
}

fn main() -> ExitCode {
    common::run(stack_svg)
}

fn stack_svg(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let (tree, frames) = count(&args, pipe)?;
    let narrow = args.min_width.share_of(args.look.frames_width());
    let Some(pruned) = prune::prune(&tree, &frames, narrow)? else {
        pipe.complaints.note("nothing to draw: no folded stack with a weight came in");
        return Ok(Status::Nothing);
    };
    // The whole tree may be large, and what is drawn is not.
    drop(tree);
    let svg = picture::draw(&pruned, &frames, &args.look, args.reverse).map_err(unwritten)?;
    match &args.output {
        Some(path) if path != Path::new("-") => whole_file::write(path, &svg)?,
        _ => pipe.out.write_all(&svg).map_err(unwritten)?,
    }
    account(&pruned, pipe);
    Ok(Status::Success)
}

fn count(args: &Args, pipe: &mut Pipe) -> Result<(StackTree, FrameTable)> {
    let mut sorted = pipe.count_folded(&args.files)?.into_sorted();
    if args.reverse {
        sorted = sorted.reversed();
    }
    Ok((sorted.tree(), sorted.into_frames()))
}

/// Counts the stacks that the picture shows, so that --stats can be checked:
/// the weight that came in is the weight that is drawn.
fn account(pruned: &Pruned, pipe: &mut Pipe) {
    let drawn = pruned.boxes.iter().map(|drawn| drawn.self_weight);
    for weight in drawn.filter(|&weight| weight > 0) {
        pipe.accounts.written += weight;
    }
}

fn unwritten(source: std::io::Error) -> Error {
    Error::Output { name: STDOUT.to_owned(), source }
}
