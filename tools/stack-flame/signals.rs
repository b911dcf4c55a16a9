//! Signals: Ctrl-C ends the recording, and not what draws it. No signal that asks for an end
//! leaves the temporary folder.

#[cfg(unix)]
pub(crate) use unix::{Signals, ended_by, interrupt};

#[cfg(not(unix))]
pub(crate) use elsewhere::{Signals, ended_by, interrupt};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ExitStatus};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

    /// The signals that ask for an end: they are caught from now on. It holds the number of the
    /// last one that came, or 0.
    pub(crate) struct Signals(Arc<AtomicUsize>);

    impl Signals {
        /// perf and the program that it runs get them as they would without us.
        pub(crate) fn catch() -> io::Result<Signals> {
            let came = Arc::new(AtomicUsize::new(0));
            for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] {
                // A shell without job control ignores SIGINT for what runs in the background, and
                // still a script that sends one wants an end.
                if signal != SIGHUP || !is_ignored(signal) {
                    signal_hook::flag::register_usize(signal, Arc::clone(&came), signal as usize)?;
                }
            }
            Ok(Signals(came))
        }

        /// The number and the name of a signal that came since this was last asked.
        pub(crate) fn came(&self) -> Option<(u8, String)> {
            let number = i32::try_from(self.0.swap(0, Ordering::Relaxed)).ok()?;
            named(number).filter(|_| number > 0)
        }
    }

    /// Whether a signal is to have no effect, as SIGHUP after nohup(1).
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }

    fn named(number: i32) -> Option<(u8, String)> {
        let name = Signal::try_from(number).map_or("a signal".to_owned(), |it| it.to_string());
        Some((u8::try_from(number).ok()?, name))
    }

    /// Tells what records to end. From a terminal it was told so already, which does no harm.
    pub(crate) fn interrupt(recorder: &Child) {
        if let Ok(id) = i32::try_from(recorder.id()) {
            // Where it has just ended, there is nothing to tell.
            let _ = kill(Pid::from_raw(id), Signal::SIGINT);
        }
    }

    /// The number and the name of the signal that ended a process.
    pub(crate) fn ended_by(status: ExitStatus) -> Option<(u8, String)> {
        named(status.signal()?)
    }
}

/// Where there are no such signals: Ctrl-C ends stack-flame, too.
#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::process::{Child, ExitStatus};

    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn catch() -> io::Result<Signals> {
            Ok(Signals)
        }

        pub(crate) fn came(&self) -> Option<(u8, String)> {
            None
        }
    }

    pub(crate) fn interrupt(_: &Child) {}

    pub(crate) fn ended_by(_: ExitStatus) -> Option<(u8, String)> {
        None
    }
}
