//! How a tool opens its inputs, one after the other.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;

use crate::io::{Files, Input, STDIN};
use crate::{Error, Result, io::input, io::messages::tool, peers, pipe::Pipe};

/// What ends the input at a terminal.
const END_OF_TYPING: &str =
    if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D on a line of its own" };

impl Pipe {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with what the system says.
    pub fn open(&self, path: &Path) -> Result<Input> {
        if path == Path::new("-") && io::stdin().is_terminal() {
            self.note(format_args!("{STDIN}: reading what is typed here, until {END_OF_TYPING}"));
        }
        Input::open(path, &self.progress, self.out.regular_file())
            .map_err(|source| unopened(input::name(path), source))
    }

    /// Opens each file and calls `each` with it. A file that cannot be opened or
    /// read to its end is named, and the next one is read; the exit status will
    /// be 2.
    ///
    /// # Errors
    ///
    /// What `each` returns, but for [`Error::Input`] and [`Error::Unknown`].
    pub fn for_each_input(
        &mut self,
        files: &Files,
        mut each: impl FnMut(&mut Input, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        self.for_each_input_until(files, |input, pipe| each(input, pipe).map(ControlFlow::Continue))
    }

    /// Opens files as [`for_each_input`](Pipe::for_each_input) does, until `each` has enough.
    ///
    /// # Errors
    ///
    /// Those of [`for_each_input`](Pipe::for_each_input).
    pub fn for_each_input_until(
        &mut self,
        files: &Files,
        mut each: impl FnMut(&mut Input, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        for path in files.iter() {
            match self.open(path).and_then(|mut input| each(&mut input, self)) {
                Err(error) if error.is_of_input() => self.messages.trouble(&error),
                Ok(ControlFlow::Break(())) => break,
                other => drop(other?),
            }
        }
        Ok(())
    }
}

/// The error of a file that cannot be opened. It may be no file but a command of another
/// program, as in `stack-parse report`.
fn unopened(name: String, source: io::Error) -> Error {
    let is_missing = source.kind() == io::ErrorKind::NotFound;
    match peers::answer(tool(), &name).filter(|_| is_missing) {
        Some(answer) => Error::Unknown { name, what: format!("no such file; {answer}") },
        None => Error::Input { name, source },
    }
}
