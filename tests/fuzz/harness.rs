//! Runs the tools in builds for fuzzing: AFL++ gives a tool one input after another as standard
//! input, and the output is checked. scripts/fuzz makes this a module of `common`.

mod checks;
mod readable;
mod streams;

use std::panic::{self, RefUnwindSafe};
use std::process::ExitCode;

use checks::check;
use streams::Streams;

/// Calls `once`, which runs the tool of this name, for every input. A panic ends the program: AFL++
/// keeps the input.
pub(crate) fn for_every_input(name: &str, once: impl Fn() -> ExitCode + RefUnwindSafe) -> ExitCode {
    let streams = Streams::open().expect("files in memory");
    let streams_after_panic = streams.try_clone().expect("as many descriptors");
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        streams_after_panic.restore();
        print(panic);
    }));
    afl::fuzz(true, |bytes| {
        let run = |bytes: &[u8]| streams.run(bytes, &once).expect("files in memory");
        check(name, bytes, &run(bytes), run);
    });
    ExitCode::SUCCESS
}
