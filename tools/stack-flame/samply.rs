//! How samply is asked to record: on macOS, on Windows, and on Linux without perf.
//!
//! Its options are those of samply 0.13.1, and of its sources of August 2026, which call the one for
//! names `--presymbolicate`.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::What;
use crate::failure::Failure;
use crate::record::{self, Ended};
use crate::recording::Recording;
use crate::said::say;
use crate::sampling::{HERTZ, Sampling};
use crate::signals::Signals;

/// A profile of the Firefox Profiler. The end of its name has it compressed.
pub(crate) const FILE: &str = "prof.json.gz";

/// What makes it look up names while the libraries of the system are there: no file on a Mac has
/// those, and no other machine has any.
const NAMES: [&str; 2] = ["--unstable-presymbolicate", "--presymbolicate"];

/// Records, and ends with the status of the program; a signal that ended it is not in that.
pub(crate) fn record(
    samply: &Path,
    sampling: &Sampling,
    what: &What,
    recording: &Recording,
    signals: &Signals,
) -> Result<Ended, Failure> {
    let mut command = Command::new(samply);
    let hertz = sampling.frequency.unwrap_or(HERTZ).to_string();
    let names = option_for_names(samply);
    command.args(["record", "--save-only", "--rate", &hertz]).args(names);
    if let Some(duration) = sampling.duration {
        command.arg("--duration").arg(duration.as_secs_f64().to_string());
    }
    command.arg("-o").arg(&recording.file);
    match what {
        What::Program(program) => {
            command.arg("--");
            program.add_to(&mut command);
        }
        What::Process(pid) => {
            command.arg("--pid").arg(pid.to_string());
        }
        What::System(_) | What::File(_) => {
            command.arg("--all");
        }
    }
    let has_program = what.program().is_some();
    if !has_program && sampling.duration.is_none() {
        say(format_args!("recording {}: Ctrl-C ends it", what.title()));
    }
    // It goes on with a process until Ctrl-C, whatever its duration is.
    let limit = sampling.duration.filter(|_| matches!(what, What::Process(_)));
    let ended = record::run(command, limit, has_program, signals)
        .map_err(|error| Failure::of_file(samply.display(), error))?;
    let is_untold = cfg!(target_os = "linux") && names == Some(NAMES[0]);
    if has_program && is_untold && ended.status == 0 {
        say("samply 0.13 does not say how the program ended");
    }
    Ok(ended)
}

/// What this samply calls it, if it can do it.
fn option_for_names(samply: &Path) -> Option<&'static str> {
    let mut command = Command::new(samply);
    let output = command.args(["record", "--help"]).stdin(Stdio::null()).output().ok()?;
    let help = String::from_utf8_lossy(&output.stdout);
    NAMES.into_iter().find(|option| help.contains(option))
}
