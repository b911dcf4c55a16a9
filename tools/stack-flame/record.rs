//! Runs what records until the program ends, the time is over, or Ctrl-C is typed.

use std::io;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::signals::{Signals, ended_by, interrupt};

/// How often it is looked whether that has ended. That wakes the processor so rarely
/// that no profile shows it.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// As shells do: a program that a signal ended has this status and the signal's number.
pub(crate) const SIGNALLED: u8 = 128;

/// How a recording ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The exit status for the user.
    pub(crate) status: u8,
    /// How the program ended, where it did not end well.
    pub(crate) how: Option<String>,
    /// Whether a signal of the user ended the recording.
    pub(crate) is_asked: bool,
}

/// Runs perf, which exits as the program that it runs, or another recorder. Without a program, every
/// end that the user asked for is a good one.
pub(crate) fn run(
    mut recorder: Command,
    limit: Option<Duration>,
    has_program: bool,
    signals: &Signals,
) -> io::Result<Ended> {
    let mut child = recorder.spawn()?;
    let mut end = limit.and_then(|limit| Instant::now().checked_add(limit));
    let (mut is_over, mut is_asked) = (false, false);
    let status = loop {
        let is_asked_now = signals.came().is_some();
        let is_over_now = end.take_if(|end| Instant::now() >= *end).is_some();
        is_asked |= is_asked_now;
        is_over |= is_over_now;
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if is_asked_now || is_over_now {
            interrupt(&child);
        }
        thread::sleep(PAUSE);
    };
    // What is typed at a terminal also reaches the recorder, which may have ended first.
    is_asked |= signals.came().is_some();
    // perf ends the program, and then itself, by a signal.
    let is_wanted = is_over || is_asked && !has_program;
    Ok(if is_wanted {
        Ended { status: 0, how: None, is_asked }
    } else {
        Ended::of(status, is_asked)
    })
}

impl Ended {
    fn of(status: ExitStatus, is_asked: bool) -> Ended {
        if let Some((number, name)) = ended_by(status) {
            let how = match is_asked {
                // perf ends itself by the signal that it got, however the program ended.
                true => {
                    format!("ended after signal {number} ({name}), with a status that perf hides")
                }
                false => format!("was ended by signal {number} ({name})"),
            };
            let status = SIGNALLED.saturating_add(number);
            return Ended { status, how: Some(how), is_asked };
        }
        let status = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
        let how = (status != 0).then(|| format!("ended with status {status}"));
        Ended { status, how, is_asked }
    }
}
