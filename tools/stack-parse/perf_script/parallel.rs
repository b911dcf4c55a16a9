//! Several threads read blocks of one input, each into a profile of its own.
//!
//! Blocks end between samples, so it does not matter who reads which, and the
//! sums are the same for any number of threads.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use common::{Blocks, Result};
use memchr::memchr_iter;

use super::Reader;
use crate::profile::Profile;

/// A block and the number of lines before it.
struct Job {
    block: Vec<u8>,
    lines_before: u64,
}

/// Reads `blocks` to their end and adds what was read to `profile`. The outer
/// result is trouble of ours, the inner one the input's.
pub(super) fn read(
    blocks: &mut Blocks<impl io::Read>,
    reader: &mut Reader<'_>,
    threads: usize,
    profile: &mut Profile,
) -> Result<io::Result<()>> {
    let (jobs, waiting) = sync_channel::<Job>(threads);
    let (spares, spare) = channel();
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (reader, profile) = (reader.fork(), profile.fork());
                let (spares, waiting) = (spares.clone(), &waiting);
                scope.spawn(move || work(waiting, &spares, reader, profile))
            })
            .collect();
        let ended = hand_out(blocks, reader, profile, &jobs, &spare);
        drop(jobs);
        for worker in workers {
            let read = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            profile.absorb(read)?;
        }
        ended
    })
}

/// Hands every block to the workers, but for what does not end between
/// samples: that is read here, in order.
fn hand_out(
    blocks: &mut Blocks<impl io::Read>,
    reader: &mut Reader<'_>,
    profile: &mut Profile,
    jobs: &SyncSender<Job>,
    spare: &Receiver<Vec<u8>>,
) -> Result<io::Result<()>> {
    let mut lines_before = reader.lines.number();
    loop {
        let block = match blocks.take_block(spare.try_recv().unwrap_or_default()) {
            Ok(Some(block)) => block,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error)),
        };
        let lines = memchr_iter(b'\n', &block).count() as u64;
        if block.ends_with(b"\n\n") && reader.lines.is_between_samples() {
            // Only a worker that failed no longer takes jobs; its join says why.
            if jobs.send(Job { block, lines_before }).is_err() {
                return Ok(Ok(()));
            }
        } else {
            reader.lines.set_number(lines_before);
            reader.block(&block, profile)?;
        }
        lines_before += lines;
    }
}

fn work(
    waiting: &Mutex<Receiver<Job>>,
    spares: &Sender<Vec<u8>>,
    mut reader: Reader<'_>,
    mut profile: Profile,
) -> Result<Profile> {
    loop {
        let job = match waiting.lock() {
            Ok(waiting) => waiting.recv(),
            Err(_) => return Ok(profile),
        };
        let Ok(Job { block, lines_before }) = job else { return Ok(profile) };
        reader.lines.set_number(lines_before);
        reader.block(&block, &mut profile)?;
        reader.lines.close(&mut profile)?;
        // The input may have ended, then no spare is wanted.
        let _ = spares.send(block);
    }
}
