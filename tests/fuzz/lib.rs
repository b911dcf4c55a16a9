//! What the tools take for `common` where they are built to be fuzzed: as soon as one calls `run`,
//! AFL++ gives it one input after another as standard input, and what comes out is checked.

mod checks;
mod readable;
mod streams;

use std::panic;
use std::process::ExitCode;

use clap::Parser;

pub use house::*;

use checks::check;
use streams::Streams;

/// As `house::run`, for every input.
pub fn run<A: Parser>(tool: fn(A, &mut Pipe) -> Result<Status>) -> ExitCode {
    run_for_users_of(&[], tool)
}

/// As `house::run_for_users_of`, for every input. A panic ends the program: AFL++ keeps the input.
pub fn run_for_users_of<A: Parser>(
    known: &[Known],
    tool: fn(A, &mut Pipe) -> Result<Status>,
) -> ExitCode {
    let streams = Streams::open().expect("files in memory");
    let name = A::command().get_name().to_owned();
    let streams_after_panic = streams.try_clone().expect("as many descriptors");
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        streams_after_panic.restore();
        print(panic);
    }));
    afl::fuzz(true, |bytes| {
        let once = |bytes: &[u8]| {
            streams.run(bytes, || house::run_for_users_of(known, tool)).expect("files in memory")
        };
        let outcome = once(bytes);
        check(&name, bytes, &outcome, once);
    });
    ExitCode::SUCCESS
}
