//! The program that is run: where it is, and what interprets it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use common::peers;

use crate::failure::Failure;

/// Linux follows no more interpreters of interpreters.
const INTERPRETERS: usize = 4;

/// The longest first line of a script, in bytes, as in Linux.
const LONGEST_LINE: u64 = 256;

/// A program that can be run, with its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    /// What the user typed.
    pub(crate) words: Vec<OsString>,
    pub(crate) path: PathBuf,
}

impl Program {
    /// Finds the program of a command line; `None` if that is empty.
    pub(crate) fn find(words: &[OsString]) -> Result<Option<Program>, Failure> {
        let Some(name) = words.first() else { return Ok(None) };
        let shown = name.display();
        match look_up(name) {
            Found::At(path) => Ok(Some(Program { words: words.to_vec(), path })),
            Found::Folder => Err(Failure::not_runnable(format!("{shown}: is a directory"))),
            Found::NotExecutable => Err(Failure::not_runnable(format!(
                "{shown}: permission denied: expected an executable file"
            ))),
            Found::Nowhere if has_folder(name) => {
                Err(Failure::not_found(format!("{shown}: no such file or directory")))
            }
            Found::Nowhere => {
                let hint = hint(name);
                Err(Failure::not_found(format!("{shown}: no such program in PATH{hint}")))
            }
        }
    }

    /// The last part of its name.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    pub(crate) fn command_line(&self) -> String {
        let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    /// The program, then the interpreter that its first line names if it is a script,
    /// then the interpreter of that.
    pub(crate) fn interpreters(&self) -> Vec<PathBuf> {
        let mut all = vec![self.path.clone()];
        while let Some(next) = all.last().and_then(|last| interpreter(last)) {
            all.push(next);
            if all.len() > INTERPRETERS {
                break;
            }
        }
        all
    }
}

/// What the user may have meant by a name that is no program's.
fn hint(name: &OsStr) -> String {
    let text = name.to_string_lossy();
    if let Some(answer) = peers::answer("stack-flame", &text) {
        return format!("; {answer}");
    }
    match Found::of(name.into()) {
        Found::At(_) => format!("; for the one in this folder, type ./{text}"),
        Found::NotExecutable => format!("; to draw the recording in this folder, use '-i {text}'"),
        Found::Folder | Found::Nowhere => String::new(),
    }
}

/// What the first line of a script names:
/// `#!/bin/sh -e`, `#!/usr/bin/env python3` or `#!/usr/bin/env -S A=1 python3 -u`.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut start = Vec::new();
    File::open(script).ok()?.take(LONGEST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let first = Path::new(words.next()?);
    let is_env = first.file_name() == Some(OsStr::new("env"));
    let name = match is_env {
        true => words.find(|word| !word.starts_with('-') && !word.contains('='))?,
        false => first.to_str()?,
    };
    look_up(OsStr::new(name)).path()
}

/// What has a name.
enum Found {
    At(PathBuf),
    Folder,
    NotExecutable,
    Nowhere,
}

impl Found {
    fn path(self) -> Option<PathBuf> {
        match self {
            Found::At(path) => Some(path),
            _ => None,
        }
    }

    fn of(path: PathBuf) -> Found {
        match fs::metadata(&path) {
            Ok(file) if file.is_dir() => Found::Folder,
            Ok(file) if !is_executable(&file) => Found::NotExecutable,
            Ok(_) => Found::At(path),
            Err(_) => Found::Nowhere,
        }
    }
}

/// The path of a program in PATH.
pub(crate) fn in_path(name: &str) -> Option<PathBuf> {
    look_up(OsStr::new(name)).path()
}

/// Looks where execvp(3) looks.
fn look_up(name: &OsStr) -> Found {
    if has_folder(name) {
        return Found::of(name.into());
    }
    let mut found = Found::Nowhere;
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        match Found::of(folder.join(name)) {
            Found::At(path) => return Found::At(path),
            // Another folder may have one that can be run.
            Found::NotExecutable => found = Found::NotExecutable,
            Found::Folder | Found::Nowhere => {}
        }
    }
    found
}

fn has_folder(name: &OsStr) -> bool {
    name.is_empty() || Path::new(name).components().count() > 1 || Path::new(name).has_root()
}

#[cfg(unix)]
fn is_executable(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}
