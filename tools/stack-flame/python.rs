//! Python, which names its functions to perf from 3.12 on, if it is asked to.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::said::say;

/// What asks it.
pub(crate) const ASKS: (&str, &str) = ("PYTHONPERFSUPPORT", "1");

/// The first version that can be asked.
const FIRST: (u32, u32) = (3, 12);

/// Prints the version and the interpreter, which may differ from the command: a
/// shim that chooses between several versions is a script of the shell.
const WHICH: &str = "import sys; print('%d %d %s' % (sys.version_info[:2] + (sys.executable,)))";

/// An interpreter of Python.
#[derive(Debug)]
pub(crate) struct Python {
    version: (u32, u32),
    pub(crate) path: PathBuf,
}

impl Python {
    /// The interpreter, if one of these programs is called `python`, `python3` or
    /// `python3.12`.
    pub(crate) fn among(programs: &[PathBuf]) -> Option<Python> {
        Python::ask(programs.iter().find(|program| is_python(program))?)
    }

    fn ask(command: &Path) -> Option<Python> {
        let args = ["-E", "-S", "-c", WHICH];
        let output = Command::new(command).args(args).stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let mut words = text.trim_end().splitn(3, ' ');
        let version = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Python { version, path: PathBuf::from(words.next()?) })
    }

    /// Whether it can name its functions.
    pub(crate) fn names_functions(&self) -> bool {
        self.version >= FIRST
    }

    /// Says what will be missing, and what has it. `is_without_callers`: frame pointers are to lead
    /// to callers, and it keeps none.
    pub(crate) fn tell(&self, is_without_callers: bool) {
        let (major, minor) = self.version;
        if !self.names_functions() {
            say(format_args!(
                "Python {major}.{minor} does not tell perf its functions: use 3.12 or newer, or \
                 'py-spy record -f raw -o FILE -- PROG' and 'stack-flame -i FILE'"
            ));
        } else if is_without_callers {
            say(format_args!(
                "this Python {major}.{minor} was compiled without frame pointers: of its functions \
                 only the innermost is seen; --call-graph dwarf sees all"
            ));
        }
    }
}

fn is_python(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let version = name.strip_prefix("python");
    version.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}
