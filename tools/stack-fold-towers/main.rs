//! Fold towers of recursion into one level; the weight of a line never changes.

mod label;
mod numbered;
mod reattach;
mod report;
mod stamps;
mod towers;

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Parser;
use common::pipe::{Comments, Pipe};
use common::{Result, Status, folded::FoldedLine, io::Files, stacks::Overflows};

use label::Labelled;
use numbered::NumberedStack;
use reattach::{Callers, Start};
use report::Report;
use towers::{Folder, LONGEST_PERIOD, Level};

/// Fold towers of recursion into one level, whatever cycle of calls they repeat
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    /// Fold cycles of at most N frames, 1 to 16
    #[arg(long, value_name = "N", default_value_t = LONGEST_PERIOD as u64)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=LONGEST_PERIOD as u64))]
    max_period: u64,

    /// Fold towers of at least N repetitions, and leave lower ones as they are
    #[arg(long, value_name = "N", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u32).range(2..))]
    min_height: u32,

    /// Fold only repetitions that have exactly the same frames
    #[arg(long)]
    exact: bool,

    /// Drop all frames between a frame and its last occurrence
    #[arg(long, conflicts_with_all = ["max_period", "min_height", "exact", "report"])]
    erase: bool,

    /// Append to a folded frame how many it stands for, rounded down to a power of two: 'add (x4+)'
    #[arg(long, conflicts_with = "report")]
    count: bool,

    /// Treat names of OCaml functions as the same if they differ only in their stamps
    #[arg(long)]
    ignore_stamps: bool,

    /// Repair stacks of FRAMES or more that start within a recursion: add the callers that other
    /// stacks have, or '[truncated]'
    #[arg(long, value_name = "FRAMES", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "127", conflicts_with = "report")]
    reattach: Option<usize>,

    /// Print a table of the towers instead of the stacks: weight, share, height, cycle
    #[arg(long)]
    report: bool,

    /// With --report, print a table for programs: cycle, weight, share, highest, mean
    #[arg(long, requires = "report")]
    tsv: bool,

    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    common::run(stack_fold_towers)
}

fn stack_fold_towers(args: Args, pipe: &mut Pipe) -> Result<Status> {
    let mut towers = Towers::new(&args);
    if args.report {
        return report(&args, &mut towers, pipe);
    }
    match args.reattach {
        None => pipe.lines(&args.files).comments(Comments::Pass).each(|line, pipe| {
            towers.fold(line.stack);
            towers.write(&line, pipe)
        })?,
        Some(limit) => reattach(&args.files, limit, &mut towers, pipe)?,
    }
    Ok(pipe.status())
}

fn report(args: &Args, towers: &mut Towers, pipe: &mut Pipe) -> Result<Status> {
    let mut report = Report::default();
    pipe.lines(&args.files).each(|line, _| {
        towers.fold(line.stack);
        report.add(&towers.stack, &towers.folder, line.count);
        Ok(())
    })?;
    let rows = report.rows();
    pipe.out().lines(&if args.tsv { rows.tsv() } else { rows.text() })?;
    let any = !rows.is_empty();
    Ok(if any { Status::Success } else { Status::Nothing })
}

/// Writes whole stacks as they come, and cut ones at the end, when all callers are known.
fn reattach(files: &Files, limit: usize, towers: &mut Towers, pipe: &mut Pipe) -> Result<()> {
    let mut callers = Callers::default();
    let mut cut: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut buffer = Vec::new();
    let mut overflows = Overflows::default();
    pipe.lines(files).comments(Comments::Pass).each(|line, pipe| {
        towers.fold(line.stack);
        if towers.stack.numbers.len() >= limit && Start::of(&towers.stack).is_some() {
            let text = line.labelled_stack(&mut buffer);
            overflows.add(cut.entry(text.to_vec()).or_default(), text, line.count);
            return Ok(());
        }
        callers.learn(&towers.folder.levels);
        towers.write(&line, pipe)
    })?;
    pipe.leave_out(&overflows);
    let lines = || cut.iter().map(|(text, &count)| FoldedLine::of_labelled_stack(text, count));
    callers.search(lines().map(|line| line.stack), &mut towers.stack);
    for line in lines() {
        towers.stack.read(line.stack);
        towers.fold(&callers.attach(&towers.stack));
        towers.write(&line, pipe)?;
    }
    Ok(())
}

/// The current stack, as it came and folded.
struct Towers {
    stack: NumberedStack,
    folder: Folder,
    erase: bool,
    count: bool,
    folded: Vec<u8>,
}

impl Towers {
    fn new(args: &Args) -> Towers {
        let stack = NumberedStack::default();
        let folder = Folder::new(args.max_period as usize, args.min_height);
        Towers {
            stack: if args.ignore_stamps { stack.ignoring_stamps() } else { stack },
            folder: if args.exact { folder.exact() } else { folder },
            erase: args.erase,
            count: args.count,
            folded: Vec::new(),
        }
    }

    fn fold(&mut self, stack: &[u8]) {
        self.stack.read(stack);
        if self.erase {
            self.folder.erase(&self.stack.numbers);
        } else {
            self.folder.fold(&self.stack.numbers);
        }
    }

    /// Writes what was folded in place of `line`.
    fn write(&mut self, line: &FoldedLine<'_>, pipe: &mut Pipe) -> Result<()> {
        let levels = &self.folder.levels[..];
        let is_labelled = |level: &Level| self.count && level.height > 1;
        if levels.len() == self.stack.numbers.len() && !levels.iter().any(is_labelled) {
            // Nothing was folded, as in most stacks, and nothing has to be copied.
            return pipe.replace(line, self.stack.text(0..levels.len()));
        }
        let leaf = self.stack.numbers.len() - 1;
        // The index of the frame into which the leaf was folded, unless that is the leaf itself.
        let folded_leaf = levels.last().map(|it| it.origin).filter(|&at| at as usize != leaf);
        let is_changed = |it: &Level| is_labelled(it) || Some(it.origin) == folded_leaf;
        self.folded.clear();
        let mut rest = levels;
        while let Some(first) = rest.first() {
            let run = if is_changed(first) { 1 } else { neighbours(rest, is_changed) };
            if rest.len() < levels.len() {
                self.folded.push(b';');
            }
            let start = first.origin as usize;
            let text = self.stack.text(start..start + run);
            if is_changed(first) {
                let mut frame = Labelled::parse(text);
                let named = &text[..text.len() - frame.tail.len()];
                if Some(first.origin) == folded_leaf {
                    // The leaf is what ran: its place and marks stay, so that lines keep their self
                    // weight.
                    frame.tail = Labelled::parse(self.stack.text(leaf..leaf + 1)).tail;
                }
                if is_labelled(first) {
                    frame.append_with(first.height_class(), &mut self.folded);
                } else {
                    self.folded.extend_from_slice(named);
                    self.folded.extend_from_slice(frame.tail);
                }
            } else {
                self.folded.extend_from_slice(text);
            }
            rest = &rest[run..];
        }
        if self.folded.is_empty() {
            // `;` folds to one frame without a name, which would make a line without a stack.
            return pipe.pass(line);
        }
        pipe.replace(line, &self.folded)
    }
}

/// How many of the first levels are neighbours in the text, up to one that is changed.
fn neighbours(levels: &[Level], is_changed: impl Fn(&Level) -> bool) -> usize {
    let together = |pair: &&[Level]| pair[0].origin + 1 == pair[1].origin && !is_changed(&pair[1]);
    1 + levels.windows(2).take_while(together).count()
}
