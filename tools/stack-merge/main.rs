//! Sum equal stacks.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use common::{Files, Limit, Pipe, Result, STDIN, StackBuf, StackCounts, Status};

/// Sum equal stacks and sort them, as a filter may make stacks equal
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// Put the name of its file above each stack, as its root
    #[arg(long)]
    by_file: bool,
}

fn main() -> ExitCode {
    common::run(stack_merge)
}

fn stack_merge(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let counts = if args.by_file {
        count_by_file(&args.files, pipe)?
    } else {
        pipe.count_folded(&args.files, Limit::EachStack)?
    };
    pipe.write_header()?;
    pipe.write_counts(counts)?;
    Ok(pipe.status())
}

/// Counts the stacks of each file below a root of the file's name.
fn count_by_file(files: &Files, pipe: &mut Pipe) -> Result<StackCounts> {
    let mut counts = StackCounts::default();
    let mut stack = StackBuf::default();
    for path in files.iter() {
        let file = Files { paths: vec![path.to_owned()] };
        let is_stdin = path == Path::new("-");
        let root = if is_stdin { STDIN.as_bytes() } else { path.as_os_str().as_encoded_bytes() };
        pipe.for_each_folded(&file, |line| {
            stack.clear();
            stack.push_frame(root);
            stack.push_clean_frame(line.stack);
            counts.add(stack.as_bytes(), line.count);
            Ok(())
        })?;
    }
    pipe.leave_out(counts.overflows());
    Ok(counts)
}
