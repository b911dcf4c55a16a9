//! The other stack tools, which do the work.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use common::io::Waiting;

use crate::failure::Failure;
use crate::program;
use crate::record::PAUSE;
use crate::said::{Notes, is_verbose};

/// A tool in a pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    tool: &'static str,
    args: Vec<OsString>,
}

impl Stage {
    pub(crate) fn new(tool: &'static str) -> Stage {
        Stage { tool, args: Vec::new() }
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Stage {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// The tool in the folder of this one, or else in PATH.
    pub(crate) fn command(&self) -> Result<Command, Failure> {
        let file = format!("{}{}", self.tool, std::env::consts::EXE_SUFFIX);
        let path = common::sibling(self.tool).or_else(|| program::in_path(&file));
        let path = path.ok_or_else(|| {
            Failure::ours(format!("{file}: expected it beside stack-flame or in PATH"))
        })?;
        let mut command = Command::new(path);
        command.args(&self.args);
        Ok(command)
    }

    fn start(&self, input: Stdio, output: Stdio) -> Result<Child, Failure> {
        let said = if is_verbose() { Stdio::inherit() } else { Stdio::piped() };
        let child = self.command()?.stdin(input).stdout(output).stderr(said).spawn();
        child.map_err(|error| Failure::of_file(self.tool, error))
    }
}

/// How a pipeline ended.
pub(crate) enum Piped {
    /// All tools ended well.
    Well,
    /// Nothing came out.
    Nothing,
    /// This tool had trouble, which it named.
    Trouble(&'static str),
}

/// Runs tools, each of which reads what the one before it writes; the first reads `input`, unless it
/// has a file, and the last writes to `output`. What they say is noted, or said at once with
/// `--verbose`.
pub(crate) fn run(
    stages: &[Stage],
    mut input: Stdio,
    output: Stdio,
    notes: &Notes,
) -> Result<Piped, Failure> {
    let (last, others) = stages.split_last().expect("a pipeline has stages");
    let mut children = Vec::with_capacity(stages.len());
    for stage in others {
        let mut child = stage.start(input, Stdio::piped())?;
        input = child.stdout.take().expect("it is a pipe").into();
        children.push(child);
    }
    children.push(last.start(input, output)?);
    // All at once: a tool that cannot write what it says does not go on.
    let said: Vec<_> = children.iter_mut().map(|child| child.stderr.take().map(reader)).collect();
    wait(&said);
    let mut ended = Piped::Well;
    for ((stage, mut child), said) in stages.iter().zip(children).zip(said) {
        let status = child.wait().map_err(|error| Failure::of_file(stage.tool, error))?;
        let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
        notes.add(&said, !matches!(status.code(), Some(0 | 1)));
        ended = ended.worse(stage.tool, status);
    }
    Ok(ended)
}

/// Shows on a terminal that the tools work, until they have said everything.
fn wait(said: &[Option<JoinHandle<Vec<u8>>>]) {
    let waiting = Waiting::new(format!("{}: reading and drawing", env!("CARGO_BIN_NAME")));
    while said.iter().flatten().any(|said| !said.is_finished()) {
        waiting.tick();
        thread::sleep(PAUSE);
    }
}

/// Reads what a tool says.
fn reader(mut stderr: ChildStderr) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut said = Vec::new();
        // What cannot be read was not said.
        let _ = stderr.read_to_end(&mut said);
        said
    })
}

impl Piped {
    /// How this and a later pipeline ended together.
    pub(crate) fn and(self, later: Piped) -> Piped {
        if let Piped::Well = self { later } else { self }
    }

    /// The first trouble is what led to others.
    fn worse(self, tool: &'static str, status: ExitStatus) -> Piped {
        match (self, status.code()) {
            (Piped::Trouble(first), _) => Piped::Trouble(first),
            (ended, Some(0)) => ended,
            (_, Some(1)) => Piped::Nothing,
            _ => Piped::Trouble(tool),
        }
    }
}
