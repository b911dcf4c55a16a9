//! Reads `perf script` with several threads: blocks end between samples, so each can be read alone,
//! and sums do not depend on the order of blocks.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use common::Result;
use common::io::{Block, Blocks};

use super::{PerfScriptReader, ends_a_sample};
use crate::samples::Samples;
use crate::samples::skipped::Skipped;

/// The blocks that the threads take.
struct Source<'a, 'b> {
    blocks: &'a mut Blocks<'b>,
    /// How many blocks were taken.
    taken: usize,
    /// Why no more blocks are given out.
    stop: Option<Stop>,
}

/// Why blocks can no longer be read in any order.
enum Stop {
    /// This block may end within a sample, so what follows depends on it.
    Torn(Block),
    /// The input ended, or could not be read further.
    End(io::Result<()>),
}

/// A block and its number.
struct Job {
    block: Block,
    number: usize,
}

/// The results of reading a block.
struct Done {
    number: usize,
    lines: u64,
    /// How many samples or other records were lost, according to the block.
    lost: u64,
    /// The lines that were not understood, by their numbers in the block.
    skipped: Skipped,
}

/// Reads `blocks` into `samples` up to the first that may end within a sample; that one is read,
/// too. Returns how the input ended, or `None` if there may be more of it.
///
/// The thread that calls this is one of the `threads`.
///
/// # Errors
///
/// An error of reading a block.
pub(super) fn read(
    blocks: &mut Blocks<'_>,
    reader: &mut PerfScriptReader,
    threads: usize,
    samples: &mut Samples<'_>,
) -> Result<Option<io::Result<()>>> {
    let source = Mutex::new(Source { blocks, taken: 0, stop: None });
    let lines_before = reader.lines.number();
    let mut done = thread::scope(|scope| {
        // The system may refuse threads, for a limit of processes or of memory.
        let helpers: Vec<_> = (1..threads)
            .map_while(|_| {
                let (mut reader, mut samples, source) = (reader.fork(), samples.fork(), &source);
                let help = move || {
                    let done = work(source, &mut reader, &mut samples)?;
                    Ok((samples, done))
                };
                thread::Builder::new().spawn_scoped(scope, help).ok()
            })
            .collect();
        let mut done = work(&source, reader, samples)?;
        for helper in helpers {
            let (read, more) =
                helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            samples.absorb(read);
            done.extend(more);
        }
        Ok(done)
    })?;
    done.sort_unstable_by_key(|done| done.number);
    let mut lines = lines_before;
    for block in &done {
        samples.skipped.absorb(&block.skipped, lines);
        lines += block.lines;
        reader.lines.lost = reader.lines.lost.saturating_add(block.lost);
    }
    reader.lines.set_number(lines);
    let source = source.into_inner().unwrap_or_else(PoisonError::into_inner);
    match source.stop {
        Some(Stop::End(ended)) => Ok(Some(ended)),
        Some(Stop::Torn(block)) => reader.block(&block, samples).map(|()| None),
        None => Ok(None),
    }
}

impl Source<'_, '_> {
    /// The next block, if it ends between samples and all blocks before it did. Reuses the memory
    /// of `spare`.
    fn next(&mut self, spare: Block) -> Option<Job> {
        if self.stop.is_some() {
            return None;
        }
        let stop = match self.blocks.take_block(spare) {
            Ok(Some(block)) if ends_a_sample(&block) => {
                let number = self.taken;
                self.taken += 1;
                return Some(Job { block, number });
            }
            Ok(Some(block)) => Stop::Torn(block),
            Ok(None) => Stop::End(Ok(())),
            Err(error) => Stop::End(Err(error)),
        };
        self.stop = Some(stop);
        None
    }
}

/// Reads blocks until there are no more.
fn work(
    source: &Mutex<Source<'_, '_>>,
    reader: &mut PerfScriptReader,
    samples: &mut Samples<'_>,
) -> Result<Vec<Done>> {
    let (mut done, mut spare) = (Vec::new(), Block::default());
    loop {
        // A panic of another thread is raised again where that thread is joined.
        let next = source.lock().unwrap_or_else(PoisonError::into_inner).next(spare);
        let Some(Job { block, number }) = next else { return Ok(done) };
        done.push(read_block(number, &block, reader, samples)?);
        reader.lines.close(samples)?;
        spare = block;
    }
}

/// Reads a block, with lines numbered from 1.
fn read_block(
    number: usize,
    block: &[u8],
    reader: &mut PerfScriptReader,
    samples: &mut Samples<'_>,
) -> Result<Done> {
    let before = std::mem::take(&mut samples.skipped);
    let lost_before = std::mem::take(&mut reader.lines.lost);
    reader.lines.set_number(0);
    reader.block(block, samples)?;
    let skipped = std::mem::replace(&mut samples.skipped, before);
    let lost = std::mem::replace(&mut reader.lines.lost, lost_before);
    Ok(Done { number, lines: reader.lines.number(), lost, skipped })
}
