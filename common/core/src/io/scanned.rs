//! Blocks that several threads scan, and that are handled in order.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::io::{Block, Blocks, Input};
use crate::{Error, Result};

/// For a file shorter than this, in bytes, more threads would not be faster.
const LONG: u64 = 32 * 1024 * 1024;

/// More threads would wait for each other, since only one can read.
const MOST_THREADS: usize = 4;

/// Where the threads get their blocks.
struct Source<'a> {
    blocks: Blocks<'a>,
    /// How many blocks the threads have taken.
    taken: usize,
    /// How the input ended.
    ended: Option<io::Result<()>>,
}

/// Where threads put what they found. A thread that brings the next block in order handles it, and
/// all blocks after it that are waiting. A thread waits only if the next block in order is late.
struct Sink<T, E> {
    each: E,
    /// How many blocks were handled.
    handled: usize,
    /// Blocks that cannot be handled yet, as an earlier one is missing.
    waiting: BTreeMap<usize, (Block, T)>,
    /// The memory of blocks that were handled.
    spare: Vec<Block>,
    /// Set when no more blocks are wanted.
    ended: Option<Result<()>>,
}

/// What the threads share.
struct Shared<'a, T, E> {
    threads: usize,
    source: Mutex<Source<'a>>,
    sink: Mutex<Sink<T, E>>,
    /// Notified when blocks were handled.
    handled: Condvar,
}

/// Calls `scan` with each block of whole lines, for a long file in several threads; then calls
/// `each` with the block and the result of `scan`, in the order of the input, until `each` returns
/// `Break`.
///
/// # Errors
///
/// [`Error::Input`], or what `each` returns.
pub(crate) fn for_each_scanned<T: Send>(
    input: &mut Input,
    scan: impl Fn(&[u8]) -> T + Sync,
    each: impl FnMut(&[u8], T) -> Result<ControlFlow<()>> + Send,
) -> Result<()> {
    let name = input.name().to_owned();
    let shared = Shared {
        threads: threads_for(input),
        source: Mutex::new(Source { blocks: Blocks::of_lines(input), taken: 0, ended: None }),
        sink: Mutex::new(Sink {
            each,
            handled: 0,
            waiting: BTreeMap::new(),
            spare: Vec::new(),
            ended: None,
        }),
        handled: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 1..shared.threads {
            // The system may refuse a thread: then there are fewer.
            let work = || shared.work(&scan);
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        shared.work(&scan);
    });
    let sink = shared.sink.into_inner().unwrap_or_else(PoisonError::into_inner);
    let source = shared.source.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (sink.ended, source.ended) {
        (Some(ended), _) => ended,
        (None, Some(Err(source))) => Err(Error::Input { name, source }),
        (None, _) => Ok(()),
    }
}

/// How many threads should scan this input.
fn threads_for(input: &Input) -> usize {
    match input.size() {
        Some(LONG..) => thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS),
        _ => 1,
    }
}

impl<T, E: FnMut(&[u8], T) -> Result<ControlFlow<()>>> Shared<'_, T, E> {
    /// Scans one block after another, until there are no more or no more are wanted.
    fn work(&self, scan: &impl Fn(&[u8]) -> T) {
        let _stop = StopIfPanicking(self);
        let mut spare = Block::default();
        loop {
            let next = lock(&self.source).next(spare);
            let Some((number, block)) = next else { return };
            let found = scan(&block);
            let Some(handled) = self.bring(number, block, found) else { return };
            spare = handled;
        }
    }

    /// Handles a block, or keeps it until the blocks before it are handled. Returns memory for
    /// another block, unless no more blocks are wanted.
    fn bring(&self, number: usize, block: Block, found: T) -> Option<Block> {
        // This limits the memory to one block for each thread, even if one of them is late.
        let is_early =
            |sink: &mut Sink<T, E>| sink.ended.is_none() && number >= sink.handled + self.threads;
        let sink = self.handled.wait_while(lock(&self.sink), is_early);
        let mut sink = sink.unwrap_or_else(PoisonError::into_inner);
        sink.waiting.insert(number, (block, found));
        sink.handle_all_due();
        self.handled.notify_all();
        let is_wanted = sink.ended.is_none();
        is_wanted.then(|| sink.spare.pop().unwrap_or_default())
    }
}

impl Source<'_> {
    /// The next block and its number.
    fn next(&mut self, spare: Block) -> Option<(usize, Block)> {
        if self.ended.is_some() {
            return None;
        }
        match self.blocks.take_block(spare) {
            Ok(Some(block)) => {
                self.taken += 1;
                return Some((self.taken - 1, block));
            }
            Ok(None) => self.ended = Some(Ok(())),
            Err(error) => self.ended = Some(Err(error)),
        }
        None
    }
}

impl<T, E: FnMut(&[u8], T) -> Result<ControlFlow<()>>> Sink<T, E> {
    fn handle_all_due(&mut self) {
        while self.ended.is_none()
            && let Some((block, found)) = self.waiting.remove(&self.handled)
        {
            self.handled += 1;
            match (self.each)(&block, found) {
                Ok(ControlFlow::Continue(())) => self.spare.push(block),
                Ok(ControlFlow::Break(())) => self.ended = Some(Ok(())),
                Err(error) => self.ended = Some(Err(error)),
            }
        }
    }
}

/// Lets no thread wait for one that panicked.
struct StopIfPanicking<'a, 'b, T, E>(&'a Shared<'b, T, E>);

impl<T, E> Drop for StopIfPanicking<'_, '_, T, E> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.sink).ended = Some(Ok(()));
            self.0.handled.notify_all();
        }
    }
}

/// A panic of another thread is passed on where the threads end.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
