//! Standard input, output and error as files in memory.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout};

/// The results of a run.
pub(crate) struct Outcome {
    pub(crate) status: ExitCode,
    pub(crate) out: Vec<u8>,
    /// Its messages on standard error.
    pub(crate) said: String,
}

/// The files that replace the streams that the program was started with.
pub(crate) struct Streams {
    input: File,
    out: File,
    said: File,
    /// The original standard error.
    stderr: File,
}

impl Streams {
    pub(crate) fn open() -> io::Result<Streams> {
        let stderr = io::stderr().as_fd().try_clone_to_owned()?.into();
        Ok(Streams { input: memory()?, out: memory()?, said: memory()?, stderr })
    }

    pub(crate) fn try_clone(&self) -> io::Result<Streams> {
        Ok(Streams {
            input: self.input.try_clone()?,
            out: self.out.try_clone()?,
            said: self.said.try_clone()?,
            stderr: self.stderr.try_clone()?,
        })
    }

    /// Runs `tool` with `bytes` as standard input.
    pub(crate) fn run(&self, bytes: &[u8], tool: impl FnOnce() -> ExitCode) -> io::Result<Outcome> {
        for mut file in [&self.input, &self.out, &self.said] {
            file.set_len(0)?;
            file.rewind()?;
        }
        (&self.input).write_all(bytes)?;
        (&self.input).rewind()?;
        dup2_stdin(&self.input)?;
        dup2_stdout(&self.out)?;
        dup2_stderr(&self.said)?;
        let status = tool();
        let said = String::from_utf8_lossy(&whole(&self.said)?).into_owned();
        Ok(Outcome { status, out: whole(&self.out)?, said })
    }

    /// Restores standard error, and prints the messages so far.
    pub(crate) fn restore(&self) {
        // The program ends anyway.
        let _ = dup2_stderr(&self.stderr);
        let _ = (&self.stderr).write_all(&whole(&self.said).unwrap_or_default());
    }
}

fn memory() -> io::Result<File> {
    Ok(memfd_create("fuzz", MFdFlags::MFD_CLOEXEC)?.into())
}

fn whole(mut file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
