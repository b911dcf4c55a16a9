//! How xctrace, the program of Instruments, is asked to record. Nobody has tried this on a Mac: what is
//! known of xctrace is how others call it, and what it prints for them.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::What;
use crate::failure::{self, Failure};
use crate::program::{self, Program};
use crate::record::{self, Ended};
use crate::recording::Recording;
use crate::said::say;
use crate::sampling::Sampling;
use crate::signals::Signals;

/// The folder that it writes.
pub(crate) const FILE: &str = "app.trace";

/// Its exit status where Ctrl-C or the limit of time ended the recording.
const STOPPED: u8 = 54;

/// Where it is, if it works: every Mac has the command, which refuses where Xcode is missing.
pub(crate) fn find() -> Option<PathBuf> {
    let path = program::in_path("xctrace")?;
    let mut command = Command::new(&path);
    command.arg("version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok()?.success().then_some(path)
}

/// Records. How the program ended is not known.
pub(crate) fn record(
    xctrace: &Path,
    sampling: &Sampling,
    what: &What,
    recording: &Recording,
    signals: &Signals,
) -> Result<Ended, Failure> {
    if recording.file.extension().is_none_or(|it| it != "trace") {
        let file = recording.file.display();
        return Err(Failure::ours(format!("{file}: expected a name that ends in .trace")));
    }
    let failed = |error| Failure::of_file(xctrace.display(), error);
    let mut command = Command::new(xctrace);
    command.args(["record", "--template", "Time Profiler", "--output"]).arg(&recording.file);
    if let Some(duration) = sampling.duration {
        command.arg("--time-limit").arg(format!("{}ms", duration.as_millis().max(1)));
    }
    let streams = Streams::new(recording);
    match what {
        What::Program(program) => streams.launch(&mut command, program).map_err(failed)?,
        What::Process(pid) => {
            command.arg("--attach").arg(pid.to_string());
        }
        What::System(_) | What::File(_) => {
            command.arg("--all-processes");
        }
    }
    let has_program = what.program().is_some();
    let ended = record::run(command, None, has_program, signals).map_err(failed)?;
    let is_well = ended.status == 0 || ended.status == STOPPED;
    streams.finish(is_well).map_err(failed)?;
    if !is_well {
        say(format_args!("xctrace ended with status {}", ended.status));
    } else if has_program {
        say("xctrace does not say how the program ended");
    }
    let status = if is_well { 0 } else { failure::OURS };
    Ok(Ended { status, how: None, is_asked: ended.is_asked })
}

/// The program's standard output. xctrace writes messages to its own, which go to the terminal with
/// what the program prints; where it is a file or a pipe, that gets only what the program prints, when
/// it has ended.
struct Streams {
    printed: PathBuf,
    messages: PathBuf,
    is_terminal: bool,
}

impl Streams {
    fn new(recording: &Recording) -> Streams {
        Streams {
            printed: recording.beside("printed"),
            messages: recording.beside("messages"),
            is_terminal: io::stdout().is_terminal(),
        }
    }

    /// Has xctrace start the program.
    fn launch(&self, command: &mut Command, program: &Program) -> io::Result<()> {
        command.args(["--target-stdin", "-", "--target-stdout"]);
        if self.is_terminal {
            command.arg("-");
        } else {
            command.arg(&self.printed).stdout(File::create(&self.messages)?);
        }
        command.args(["--launch", "--"]);
        program.add_to(command);
        Ok(())
    }

    /// Passes on what the program printed, and says what xctrace said if it had trouble.
    fn finish(&self, is_well: bool) -> io::Result<()> {
        if let Ok(mut printed) = File::open(&self.printed) {
            io::copy(&mut printed, &mut io::stdout().lock())?;
        }
        if !is_well && let Ok(messages) = std::fs::read(&self.messages) {
            let messages = String::from_utf8_lossy(&messages).into_owned();
            messages.lines().for_each(|line| say(format_args!("xctrace: {line}")));
        }
        Ok(())
    }
}
