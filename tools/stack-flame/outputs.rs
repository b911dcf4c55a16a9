//! The files that one command writes. Nothing is lost by that: none is what the command reads,
//! none is the program, and none is written twice.

use std::path::{Path, PathBuf};

use common::io::{is_same_file, replaced_by_write};

use crate::What;
use crate::failure::Failure;
use crate::program::Program;
use crate::writable;

/// An option, and the file that it names.
pub(crate) type Output<'a> = (&'static str, &'a Path);

/// Finds out whether all files can be written, and whether that leaves what is recorded or drawn
/// as it is, and each of them too.
pub(crate) fn check(outputs: &[Output<'_>], what: &What<'_>) -> Result<(), Failure> {
    let kept = what.files();
    let mut earlier: Vec<(&str, PathBuf)> = Vec::new();
    for (option, file) in outputs {
        let shown = file.display();
        // Pipes and devices lose nothing.
        if let Some(target) = replaced_by_write(file) {
            if let Some((_, what)) = kept.iter().find(|(file, _)| is_same_file(file, &target)) {
                return Err(Failure::ours(format!("{shown}: it is {what}, and is kept")));
            }
            let is_target = |other: &Path| *other == *target || is_same_file(other, &target);
            if let Some((other, _)) = earlier.iter().find(|(_, other)| is_target(other)) {
                let line = format!("{shown}: expected different files for {other} and {option}");
                return Err(Failure::ours(line));
            }
            earlier.push((option, target));
        }
        writable::check(file)?;
    }
    Ok(())
}

impl What<'_> {
    /// The files that must stay as they are, and what they are.
    fn files(&self) -> Vec<(PathBuf, &'static str)> {
        match self {
            What::File(file) => vec![(file.to_path_buf(), "the recording")],
            What::Process(pid) => {
                let file = Path::new("/proc").join(pid.to_string()).join("exe");
                vec![(file, "the program that is recorded")]
            }
            What::Program(program) | What::System(Some(program)) => program.files(),
            What::System(None) => Vec::new(),
        }
    }
}

impl Program {
    /// The program and what interprets it, what it is told to read, and where its streams go.
    fn files(&self) -> Vec<(PathBuf, &'static str)> {
        let programs = self.interpreters().into_iter().map(|file| (file, "the program"));
        let arguments = self.words[1..].iter();
        let arguments = arguments.map(|word| (word.into(), "an argument of the program"));
        let streams = [
            ("-", "the input of the program"),
            ("/dev/stdout", "the output of the program"),
            ("/dev/stderr", "the output of the program"),
        ];
        let streams = streams.map(|(file, what)| (file.into(), what));
        programs.chain(arguments).chain(streams).collect()
    }
}
