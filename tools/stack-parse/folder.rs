//! Folders in place of a file: those that Instruments writes are exported by xctrace, where there
//! is one.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use bstr::ByteSlice;
use common::io::Input;
use common::names::printable;
use common::{Error, Result};

use crate::formats;
use crate::samples::Samples;

/// The tables of Instruments that are read, the best first.
const TABLES: [&str; 2] = ["time-profile", "cpu-profile"];

/// The ways to run xctrace: by its name, or as Xcode finds it.
const XCTRACE: [&[&str]; 2] = [&["xctrace"], &["xcrun", "xctrace"]];

/// Opens an input: a file, standard input, or the samples in a folder.
///
/// # Errors
///
/// [`Error::Unknown`] if a folder must be exported first, by a command that is named; or what
/// opening a file returns.
pub(crate) fn open(path: &Path, samples: &mut Samples<'_>) -> Result<Input> {
    if path == Path::new("-") || !path.is_dir() {
        return samples.open_input(path);
    }
    if is_of_instruments(path) {
        return export(path, samples);
    }
    match known(path) {
        Some(what) => Err(unread(path, what)),
        None => samples.open_input(path),
    }
}

/// What a folder is, if that is known; `None` for a file.
pub(crate) fn describe(path: &Path) -> Option<&'static str> {
    if !path.is_dir() {
        return None;
    }
    if is_of_instruments(path) { Some("a folder of Instruments") } else { known(path) }
}

fn known(path: &Path) -> Option<&'static str> {
    formats::folder_looks_like(|name| path.join(name).exists())
}

fn is_of_instruments(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("trace")) || path.join("form.template").exists()
}

/// What a folder is called in messages.
fn name(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes())
}

fn unread(path: &Path, what: impl Into<String>) -> Error {
    Error::Unknown { name: name(path), what: what.into() }
}

/// What selects a table of the first run.
fn xpath(table: &str) -> String {
    format!("/trace-toc/run[@number=\"1\"]/data/table[@schema=\"{table}\"]")
}

/// The samples in a folder of Instruments.
fn export(path: &Path, samples: &mut Samples<'_>) -> Result<Input> {
    let failed = |error: io::Error| unread(path, format!("xctrace: {error}"));
    let contents = match run(path, &["--toc"]) {
        Ok(exported) => contents(exported).map_err(failed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let command = command_line(path);
            let what = format!("a folder of Instruments, which a Mac exports by: {command}");
            return Err(unread(path, what));
        }
        Err(error) => return Err(failed(error)),
    };
    let has = |table: &&&str| contents.contains_str(format!("schema=\"{table}\""));
    let Some(table) = TABLES.iter().find(has) else {
        let tables = TABLES.join(" nor ");
        return Err(unread(path, format!("a folder of Instruments with no table {tables}")));
    };
    let name = name(path);
    let runs = contents.find_iter("<run ").count();
    if runs > 1 {
        samples.say(format_args!("{name}: the first of {runs} runs is read"));
    }
    let exported = run(path, &["--xpath", &xpath(table)]).map_err(failed)?;
    Ok(Input::from_reader(&name, exported))
}

/// What a person types to export a folder.
fn command_line(path: &Path) -> String {
    let [path, xpath] = [path.to_string_lossy().into_owned(), xpath(TABLES[0])];
    let [path, xpath] = [common::shell::argument(&path), common::shell::argument(&xpath)];
    format!("xctrace export --input {path} --xpath {xpath}")
}

/// All that xctrace prints.
fn contents(mut exported: Export) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    exported.read_to_end(&mut contents)?;
    Ok(contents)
}

/// Starts xctrace.
fn run(path: &Path, args: &[&str]) -> io::Result<Export> {
    let mut found = Err(io::ErrorKind::NotFound.into());
    for words in XCTRACE {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg("export").arg("--input").arg(path).args(args);
        found = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        if !matches!(&found, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            break;
        }
    }
    let mut child = found?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Export { child, output })
}

/// What a running xctrace prints. It must end well for that to be all.
struct Export {
    child: Child,
    output: ChildStdout,
}

impl Read for Export {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.output.read(buffer)?;
        if count == 0 && !buffer.is_empty() {
            let status = self.child.wait()?;
            if !status.success() {
                return Err(io::Error::other(format!("it failed: {status}")));
            }
        }
        Ok(count)
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        // It has ended, unless its output is not read to the end: then it is in the way of nobody.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
