//! Sum equal stacks.

mod lines;

use std::process::ExitCode;

use clap::Parser;
use common::folded::{FoldedLine, LabelKeys, StackBuf, append_label_frame, parse_label_key};
use common::pipe::{Limit, Pipe, Split};
use common::stacks::StackCounts;
use common::{Result, Status, io::Files};

use lines::{LineWeights, Lines, Replaced};

/// Sum lines of equal labels and stacks and sort them, such as those that a filter made equal
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// Put the name of its file above each stack, as its root
    #[arg(long)]
    by_file: bool,

    /// Put the value of this label above each stack, as its root; [no KEY] where it is absent
    #[arg(long, value_name = "KEY", value_parser = parse_label_key)]
    by_label: Option<String>,

    /// Keep the labels with these keys only; none for no label
    #[arg(long, value_name = "KEY,...", value_parser = LabelKeys::parse, default_value = "all")]
    labels: LabelKeys,

    /// Keep these lines of the source only, so that stacks which differ in others are one
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all")]
    lines: Lines,
}

fn main() -> ExitCode {
    common::run(stack_merge)
}

fn stack_merge(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let split = args.by_file.then_some(&Split::File);
    let lines = pipe.lines(&args.files).split(split);
    let mut weights = (args.lines != Lines::All).then(LineWeights::default);
    let mut counts = lines.sums(Limit::EachStack, |line, text| {
        if let Some(weights) = &mut weights {
            weights.add(line.stack, line.count);
        }
        args.text_of(line, text)
    })?;
    if let Some(weights) = weights {
        counts = with_lines(counts, &weights.replaced(args.lines))?;
        pipe.leave_out(counts.overflows());
    }
    pipe.write_header()?;
    pipe.write_counts(counts)?;
    Ok(pipe.status())
}

/// The same stacks with the lines that stay.
fn with_lines(counts: StackCounts, replaced: &Replaced) -> Result<StackCounts> {
    let (mut sums, mut stack, mut text) = (StackCounts::default(), StackBuf::default(), Vec::new());
    counts.for_each_sorted(|labelled, count| {
        let line = FoldedLine::of_labelled_stack(labelled, count);
        replaced.replace(line.stack, &mut stack);
        text.clear();
        text.extend_from_slice(&labelled[..labelled.len() - line.stack.len()]);
        text.extend_from_slice(stack.as_bytes());
        sums.add(&text, count);
        Ok(())
    })?;
    Ok(sums)
}

impl Args {
    /// The labels that are kept, sorted, and the stack.
    fn text_of<'b>(&self, line: FoldedLine<'b>, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        if self.by_label.is_none() && (line.labels.is_empty() || self.labels.is_none()) {
            return line.stack;
        }
        buffer.clear();
        let root = self.by_label.as_ref().map(String::as_bytes);
        let is_kept = |key: &[u8]| self.labels.has(key) && Some(key) != root;
        line.labels.append_sorted(is_kept, buffer);
        if let Some(key) = root {
            append_label_frame(key, line.labels.get(key), buffer);
            buffer.push(b';');
        }
        buffer.extend_from_slice(line.stack);
        buffer
    }
}
