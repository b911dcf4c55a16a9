//! Signals: Ctrl-C ends the recording, and not what draws it.

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
    use std::sync::atomic::{AtomicBool, Ordering};

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use signal_hook::consts::{SIGINT, SIGTERM};

    /// The signals that ask for an end: they are caught from now on.
    pub(crate) struct Signals(Arc<AtomicBool>);

    impl Signals {
        /// perf and the program that it runs get them as they would without us.
        pub(crate) fn catch() -> io::Result<Signals> {
            let came = Arc::new(AtomicBool::new(false));
            for signal in [SIGINT, SIGTERM] {
                signal_hook::flag::register(signal, Arc::clone(&came))?;
            }
            Ok(Signals(came))
        }

        /// Whether one came since this was last asked.
        pub(crate) fn came(&self) -> bool {
            self.0.swap(false, Ordering::Relaxed)
        }
    }

    /// Tells perf to end. From a terminal it was told so already, which does no harm.
    pub(crate) fn interrupt(perf: &Child) {
        if let Ok(id) = i32::try_from(perf.id()) {
            // Where it has just ended, there is nothing to tell.
            let _ = kill(Pid::from_raw(id), Signal::SIGINT);
        }
    }

    /// The number and the name of the signal that ended a process.
    pub(crate) fn ended_by(status: ExitStatus) -> Option<(u8, String)> {
        let number = status.signal()?;
        let name = Signal::try_from(number).map_or("a signal".to_owned(), |it| it.to_string());
        Some((u8::try_from(number).ok()?, name))
    }
}

/// perf records on Linux only.
#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::process::{Child, ExitStatus};

    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn catch() -> io::Result<Signals> {
            Ok(Signals)
        }

        pub(crate) fn came(&self) -> bool {
            false
        }
    }

    pub(crate) fn interrupt(_: &Child) {}

    pub(crate) fn ended_by(_: ExitStatus) -> Option<(u8, String)> {
        None
    }
}
