//! What is done where the system has no more memory. Rust would end the program with a signal, and
//! say nothing that helps.

use std::cell::Cell;
use std::io::{self, Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::messages;
use crate::status::TROUBLE;

/// What helps, whatever the memory was for.
const REMEDY: &str = "out of memory: there are too many distinct stacks: raise the limit, see \
                      'ulimit -v', or make fewer with stack-fold-towers or stack-collapse-frames";

/// How long another thread may take to end the program.
const MOMENT: Duration = Duration::from_secs(1);

thread_local! {
    /// Whether the caller can do without the memory that it asks for.
    static IS_OPTIONAL: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread is the one that ends the program.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// Does `ask`, in which missing memory is an error that is returned, and not the end.
pub(super) fn returned<T>(ask: impl FnOnce() -> T) -> T {
    let before = IS_OPTIONAL.replace(true);
    let result = ask();
    IS_OPTIONAL.set(before);
    result
}

/// Ends the program, unless the caller can do without the memory.
#[cold]
#[inline(never)]
pub(super) fn out_of_memory() {
    if !IS_OPTIONAL.get() && !ENDS.get() {
        end();
    }
}

/// Prints a message that says what helps, and exits with status 2. Nothing here needs memory.
#[cold]
#[inline(never)]
pub(crate) fn end() -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    ENDS.set(true);
    if IS_ENDING.swap(true, Ordering::Relaxed) {
        // This thread may hold what the one that prints waits for.
        std::thread::sleep(MOMENT);
    } else {
        print();
    }
    std::process::exit(TROUBLE.into());
}

/// In one piece, as all messages.
fn print() {
    let mut line = [0; 256];
    let mut end = Cursor::new(&mut line[..]);
    // All names of tools fit.
    let _ = writeln!(end, "{}: {REMEDY}", messages::tool());
    let length = end.position() as usize;
    // When stderr fails, there is nowhere to say so.
    let _ = io::stderr().write_all(&line[..length]);
}
