//! `perf script` read by several threads: blocks are cut between samples, so
//! each can be read alone, and all that is counted adds up in any order.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use common::{Block, Blocks, Result};

use super::Reader;
use crate::profile::Profile;
use crate::skipped::Skipped;

/// A block and its number.
struct Job {
    block: Block,
    number: usize,
}

/// What is known of a block that was read.
struct Done {
    number: usize,
    lines: u64,
    /// What was not understood, by the numbers of lines in the block.
    skipped: Skipped,
}

/// Reads `blocks` to their end and adds what was read to `profile`. The outer
/// result is trouble of ours, the inner one the input's.
pub(super) fn read(
    blocks: &mut Blocks<'_>,
    reader: &mut Reader<'_>,
    threads: usize,
    profile: &mut Profile,
) -> Result<io::Result<()>> {
    let (jobs, waiting) = sync_channel::<Job>(threads);
    let (spares, spare) = channel();
    let waiting = Mutex::new(waiting);
    let lines_before = reader.lines.number();
    let mut done = Vec::new();
    let ended = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (reader, profile) = (reader.fork(), profile.fork());
                let (spares, waiting) = (spares.clone(), &waiting);
                scope.spawn(move || work(waiting, &spares, reader, profile))
            })
            .collect();
        let ended = hand_out(blocks, reader, profile, &jobs, &spare, &mut done);
        drop(jobs);
        for worker in workers {
            let (read, more) =
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            profile.absorb(read)?;
            done.extend(more);
        }
        ended
    })?;
    done.sort_unstable_by_key(|done| done.number);
    let mut lines = lines_before;
    for block in &done {
        profile.skipped.absorb(&block.skipped, lines);
        lines += block.lines;
    }
    reader.lines.set_number(lines);
    Ok(ended)
}

/// Hands every block to the workers, but for what does not end between
/// samples: that is read here, in order.
fn hand_out(
    blocks: &mut Blocks<'_>,
    reader: &mut Reader<'_>,
    profile: &mut Profile,
    jobs: &SyncSender<Job>,
    spare: &Receiver<Vec<u8>>,
    done: &mut Vec<Done>,
) -> Result<io::Result<()>> {
    for number in 0.. {
        let block = match blocks.take_block(spare.try_recv().unwrap_or_default()) {
            Ok(Some(block)) => block,
            Ok(None) => break,
            Err(error) => return Ok(Err(error)),
        };
        if block.ends_with(b"\n\n") && reader.lines.is_between_samples() {
            // Only a worker that failed no longer takes jobs; its join says why.
            if jobs.send(Job { block, number }).is_err() {
                break;
            }
        } else {
            done.push(read_block(number, &block, reader, profile)?);
        }
    }
    Ok(Ok(()))
}

fn work(
    waiting: &Mutex<Receiver<Job>>,
    spares: &Sender<Vec<u8>>,
    mut reader: Reader<'_>,
    mut profile: Profile,
) -> Result<(Profile, Vec<Done>)> {
    let mut done = Vec::new();
    loop {
        let job = match waiting.lock() {
            Ok(waiting) => waiting.recv(),
            Err(_) => return Ok((profile, done)),
        };
        let Ok(Job { block, number }) = job else { return Ok((profile, done)) };
        done.push(read_block(number, &block, &mut reader, &mut profile)?);
        reader.lines.close(&mut profile)?;
        if let Some(spare) = block.into_spare() {
            // The input may have ended, then nobody wants it.
            let _ = spares.send(spare);
        }
    }
}

/// Reads a block, with lines numbered from 1.
fn read_block(
    number: usize,
    block: &[u8],
    reader: &mut Reader<'_>,
    profile: &mut Profile,
) -> Result<Done> {
    let before = std::mem::take(&mut profile.skipped);
    reader.lines.set_number(0);
    reader.block(block, profile)?;
    let skipped = std::mem::replace(&mut profile.skipped, before);
    Ok(Done { number, lines: reader.lines.number(), skipped })
}
