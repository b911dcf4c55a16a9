//! The other stack tools, which do the work.

use std::ffi::{OsStr, OsString};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::failure::Failure;
use crate::program;

/// A tool in a pipeline.
#[derive(Debug)]
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
        let child = self.command()?.stdin(input).stdout(output).spawn();
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

/// Runs tools, each of which reads what the one before it writes; the last writes to `output`. The
/// first has a file to read, which may be standard input.
pub(crate) fn run(stages: &[Stage], output: Stdio) -> Result<Piped, Failure> {
    let (last, others) = stages.split_last().expect("a pipeline has stages");
    let mut children = Vec::with_capacity(stages.len());
    let mut input = Stdio::inherit();
    for stage in others {
        let mut child = stage.start(input, Stdio::piped())?;
        input = child.stdout.take().expect("it is a pipe").into();
        children.push(child);
    }
    children.push(last.start(input, output)?);
    let mut ended = Piped::Well;
    for (stage, mut child) in stages.iter().zip(children) {
        let status = child.wait().map_err(|error| Failure::of_file(stage.tool, error))?;
        ended = ended.worse(stage.tool, status);
    }
    Ok(ended)
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
