//! Progress on a terminal, for work that takes more than a second.

use std::fs::File;
use std::io::{IsTerminal, Read, Result};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// No progress is shown before this.
const DELAY: Duration = Duration::from_secs(1);

/// A line on stderr that says how much was read; only shown on a terminal.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    terminal: bool,
    /// Whether bytes that come through pipes are counted, too.
    pub(crate) counts_pipes: bool,
}

impl Progress {
    pub(crate) fn new(tool: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
            .with_prefix(tool.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{prefix}: {bytes} read, {bytes_per_sec}") {
            bar.set_style(style);
        }
        let terminal = std::io::stderr().is_terminal();
        Progress { bar, started: Instant::now(), terminal, counts_pipes: false }
    }

    /// Whether bytes of this file are counted.
    pub(crate) fn counts(&self, file: &File) -> bool {
        let is_regular = || file.metadata().is_ok_and(|metadata| metadata.is_file());
        self.terminal && !file.is_terminal() && (self.counts_pipes || is_regular())
    }

    pub(crate) fn advance(&self, bytes: usize) {
        if self.bar.is_hidden() && self.started.elapsed() > DELAY {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(bytes as u64);
    }

    /// Runs `print` while the line is hidden.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A line on stderr that says what the tool waits for; only shown on a terminal, after a second.
///
/// It disappears when this value is dropped.
#[derive(Debug)]
pub struct Waiting {
    bar: ProgressBar,
    started: Instant,
}

impl Waiting {
    /// Nothing is shown before the first [`tick`](Waiting::tick) after one second.
    #[must_use]
    pub fn new(what: String) -> Waiting {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg}, {elapsed}") {
            bar.set_style(style);
        }
        Waiting { bar: bar.with_message(what), started: Instant::now() }
    }

    /// Shows that the waiting goes on.
    pub fn tick(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > DELAY {
            // Nothing is drawn where stderr is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A reader whose bytes count as progress.
pub(crate) struct Counted<R> {
    pub(crate) reader: R,
    pub(crate) progress: Progress,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.reader.read(buffer)?;
        self.progress.advance(count);
        Ok(count)
    }
}
