//! The program that is run: where it is, and what interprets it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::peers;

use crate::failure::Failure;
use crate::said::say;

/// Linux follows no more interpreters of interpreters.
const INTERPRETERS: usize = 4;

/// The longest first line of a script, in bytes, as in Linux.
const LONGEST_LINE: u64 = 256;

/// How programs begin, also where the permission to run them is missing.
const PROGRAMS: [&[u8]; 2] = [b"#!", b"\x7fELF"];

/// How recordings begin that no system runs as a program: of perf and Java, JSON, and what gzip or
/// zstd made. On file systems of Windows all files are executable.
const RECORDINGS: [&[u8]; 5] = [b"PERFILE2", b"FLR\0", b"{\"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];

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
        match look_up_or_here(name) {
            Found::At(path) => Ok(Some(Program { words: words.to_vec(), path })),
            Found::Here(path) => {
                say(format_args!("{shown} is not in PATH: running {}", path.display()));
                Ok(Some(Program { words: words.to_vec(), path }))
            }
            Found::Folder => Err(Failure::not_runnable(format!("{shown}: is a directory"))),
            Found::NotExecutable => Err(Failure::not_runnable(format!(
                "{shown}: permission denied: expected an executable file; to draw a recording: \
                 stack-flame [OPTIONS] -i {shown}"
            ))),
            Found::Nowhere if Path::new(name).is_dir() => {
                Err(Failure::not_runnable(format!("{shown}: is a directory")))
            }
            Found::Nowhere if has_folder(name) => {
                Err(Failure::not_found(format!("{shown}: no such file or directory")))
            }
            Found::Nowhere => {
                let is_file = Path::new(name).extension().is_some();
                let hint = match hint(name) {
                    hint if hint.is_empty() && is_file => ", and no such file".to_owned(),
                    hint => hint,
                };
                Err(Failure::not_found(format!("{shown}: no such program in PATH{hint}")))
            }
        }
    }

    /// The last part of its name.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Adds it and its arguments to the command that starts it.
    pub(crate) fn add_to(&self, command: &mut Command) {
        command.arg(&self.path).args(&self.words[1..]);
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

/// The file that a command line names if it is no program: it begins as recordings do, or it is not
/// executable and does not begin as programs do. Then drawing it shows whether it is a recording.
/// `-` is standard input, and `app.trace` may be a folder that Instruments wrote.
pub(crate) fn recording(words: &[OsString]) -> Option<&Path> {
    let [name] = words else { return None };
    let file = Path::new(name);
    if name == "-" {
        return Some(file);
    }
    let is_recording = match look_up_or_here(name) {
        Found::At(path) | Found::Here(path) => begins(&path, &RECORDINGS),
        Found::NotExecutable => !begins(file, &PROGRAMS),
        Found::Folder | Found::Nowhere => {
            file.is_dir() && file.extension() == Some(OsStr::new("trace"))
        }
    };
    // What is in PATH only is not meant.
    (is_recording && file.exists()).then_some(file)
}

/// Why a file that cannot be drawn was not run.
pub(crate) fn why_drawn(file: &Path) -> String {
    let shown = file.display();
    if file.is_dir() {
        return format!("{shown} is a directory, so it was read as a recording");
    }
    if file.extension().is_some_and(|it| it == "py") {
        return format!(
            "{shown} is not executable, so it was read as a recording: 'stack-flame -- python3 \
             {shown}' runs it"
        );
    }
    format!(
        "{shown} is not executable, so it was read as a recording: 'chmod +x' makes it a program"
    )
}

/// Whether a file begins in one of these ways. What comes through a pipe can be read only once.
fn begins(file: &Path, ways: &[&[u8]]) -> bool {
    let is_file = fs::metadata(file).is_ok_and(|file| file.is_file());
    let start = if is_file { start(file, 8) } else { None };
    start.is_some_and(|start| ways.iter().any(|way| start.starts_with(way)))
}

/// The first bytes of a file.
fn start(file: &Path, length: u64) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    File::open(file).ok()?.take(length).read_to_end(&mut start).ok()?;
    Some(start)
}

/// What the user may have meant by a name that is not the name of a program.
fn hint(name: &OsStr) -> String {
    let answer = peers::answer("stack-flame", &name.to_string_lossy());
    answer.map_or_else(String::new, |answer| format!("; {answer}"))
}

/// What the first line of a script names:
/// `#!/bin/sh -e`, `#!/usr/bin/env python3` or `#!/usr/bin/env -S A=1 python3 -u`.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let start = start(script, LONGEST_LINE)?;
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
    /// Not in PATH, but in the current folder.
    Here(PathBuf),
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

    fn of(mut path: PathBuf) -> Found {
        if cfg!(windows) && path.extension().is_none() {
            path.set_extension("exe");
        }
        match fs::metadata(&path) {
            Ok(file) if file.is_dir() => Found::Folder,
            Ok(file) if !is_executable(&path, &file) => Found::NotExecutable,
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
            Found::Here(_) | Found::Folder | Found::Nowhere => {}
        }
    }
    found
}

/// Looks where execvp(3) looks, and then in the current folder: of two programs of that name, the
/// one in PATH is run, as everywhere.
fn look_up_or_here(name: &OsStr) -> Found {
    let found = look_up(name);
    if has_folder(name) || matches!(found, Found::At(_)) {
        return found;
    }
    match Found::of(Path::new(".").join(name)) {
        Found::At(path) => Found::Here(path),
        Found::NotExecutable => Found::NotExecutable,
        Found::Here(_) | Found::Folder | Found::Nowhere => found,
    }
}

fn has_folder(name: &OsStr) -> bool {
    name.is_empty() || Path::new(name).components().count() > 1 || Path::new(name).has_root()
}

#[cfg(unix)]
fn is_executable(_: &Path, file: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.permissions().mode() & 0o111 != 0
}

/// What Windows runs is in the name.
#[cfg(not(unix))]
fn is_executable(path: &Path, _: &fs::Metadata) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["exe", "com", "bat", "cmd"].iter().any(|it| it.eq_ignore_ascii_case(extension))
}
