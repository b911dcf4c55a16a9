//! Signals: those that end the process or stop it first give the terminal back.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::{flag, low_level};

use crate::terminal::{Screen, give_back};

/// The signals that came since the last look.
pub(crate) struct Signals {
    /// The number of a signal that ends the process, or 0.
    ends: Arc<AtomicUsize>,
    stops: Arc<AtomicBool>,
}

impl Signals {
    /// # Errors
    ///
    /// The error of the system.
    pub(crate) fn new() -> io::Result<Signals> {
        let (ends, stops) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            flag::register_usize(signal, Arc::clone(&ends), signal as usize)?;
        }
        flag::register(SIGTSTP, Arc::clone(&stops))?;
        Ok(Signals { ends, stops })
    }

    /// Does what a signal asks for, if one came; returns whether the screen has to be drawn again.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub(crate) fn obey(&self, screen: &mut Screen) -> io::Result<bool> {
        let signal = self.ends.load(Ordering::SeqCst);
        if signal != 0 {
            end(signal as i32);
        }
        let is_stopped = self.stops.swap(false, Ordering::SeqCst);
        if is_stopped {
            stop(screen)?;
        }
        Ok(is_stopped)
    }
}

/// Ends the process as the signal does by default.
pub(crate) fn end(signal: i32) {
    give_back();
    // This does not return.
    let _ = low_level::emulate_default_handler(signal);
}

/// Stops until the shell continues it.
///
/// # Errors
///
/// The error of the system.
pub(crate) fn stop(screen: &mut Screen) -> io::Result<()> {
    give_back();
    low_level::emulate_default_handler(SIGTSTP)?;
    screen.take_again()
}
