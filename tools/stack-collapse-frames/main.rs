//! Hide frames that the reader did not write, and keep their weight.

mod frame_set;
mod given;
mod presets;
mod rule;
mod rule_file;

use std::process::ExitCode;

use clap::Parser;
use common::{Files, FrameTable, Pipe, Result, StackBuf, StackIds, Status};

use crate::given::GivenRules;

/// What a stack without frames becomes, so that its weight stays.
const HIDDEN: &[u8] = b"[hidden]";

/// Hide frames by rules, run in the order in which they are given; weight never changes
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    rules: GivenRules,

    /// List the presets and exit
    #[arg(long)]
    list_presets: bool,

    /// Print the rules of a preset, as --rules reads them, and exit
    #[arg(long, value_name = "NAME")]
    show_preset: Option<String>,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_collapse_frames)
}

fn stack_collapse_frames(args: Args, pipe: &mut Pipe) -> Result<Status> {
    if args.list_presets {
        return presets::list(pipe);
    }
    if let Some(name) = &args.show_preset {
        return presets::show(name, pipe);
    }
    let mut frames = FrameTable::default();
    let mut rules = args.rules.compile(&mut frames)?;
    let hidden = frames.intern(HIDDEN);
    let (mut ids, mut stack, mut text) = (StackIds::default(), Vec::new(), StackBuf::default());
    pipe.filter(&args.files, |line, pipe| {
        stack.clear();
        stack.extend_from_slice(ids.of(line.stack, &mut frames));
        let mut changed = false;
        for rule in &mut rules {
            changed |= rule.apply(&mut stack, line.count, &frames);
        }
        if !changed {
            return pipe.pass(&line);
        }
        if stack.is_empty() {
            stack.push(hidden);
        }
        text.clear();
        for &frame in &stack {
            text.push_clean_frame(frames.name(frame));
        }
        pipe.replace(&line, text.as_bytes())
    })?;
    if pipe.stats {
        for rule in &rules {
            pipe.complaints.note(format_args!("stats: {rule}"));
        }
    }
    Ok(pipe.status())
}
