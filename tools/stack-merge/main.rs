//! Sum equal stacks.

use std::process::ExitCode;

use clap::Parser;
use common::folded::{FoldedLine, LabelKeys, append_label_frame, parse_label_key};
use common::pipe::{Limit, Pipe, Split};
use common::{Result, Status, io::Files};

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
}

fn main() -> ExitCode {
    common::run(stack_merge)
}

fn stack_merge(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let split = args.by_file.then_some(&Split::File);
    let lines = pipe.lines(&args.files).split(split);
    let counts = lines.sums(Limit::EachStack, |line, text| args.text_of(line, text))?;
    pipe.write_header()?;
    pipe.write_counts(counts)?;
    Ok(pipe.status())
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
