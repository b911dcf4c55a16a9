//! The loop: draw, wait for a key, do what it asks for.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use common::{Error, Result};

#[cfg(unix)]
use crate::app::Ended;
use crate::app::{App, Interval};
use crate::no_terminal;
#[cfg(unix)]
use crate::signals::{self, Signals};
use crate::terminal::Screen;

/// How long to wait for a key before a look at signals and new intervals.
const PATIENCE: Duration = Duration::from_millis(50);

/// After this time the screen says that work is going on.
const SOON: Duration = Duration::from_millis(50);

/// Shows the app until the reader ends it. `intervals` come in while a recording goes on.
///
/// # Errors
///
/// A usage error if there is no terminal, [`Error::Overflow`], or an error of the terminal.
pub(crate) fn run(mut app: App, intervals: Option<Receiver<Interval>>) -> Result<App> {
    #[cfg(unix)]
    let signals = Signals::new().map_err(|error| no_terminal(&error))?;
    let mut screen = Screen::take().map_err(|error| no_terminal(&error))?;
    app.size = screen.size();
    app.place();
    let mut has_changed = true;
    while app.ended.is_none() {
        // Nothing is drawn without a change: the line to the terminal may be slow.
        if std::mem::take(&mut has_changed) {
            screen.draw(&app).map_err(failed)?;
        }
        if let Some(text) = app.copied.take() {
            screen.copy(&text).map_err(failed)?;
        }
        #[cfg(unix)]
        {
            has_changed |= signals.obey(&mut screen).map_err(failed)?;
        }
        if let Some(event) = screen.event(PATIENCE).map_err(failed)? {
            has_changed = true;
            #[cfg(unix)]
            if is_stop(&event) {
                signals::stop(&mut screen).map_err(failed)?;
                continue;
            }
            work(&mut app, &mut screen, |app| match app.on(&event) {
                Err(error @ Error::Usage(_)) => {
                    app.message = error.to_string();
                    Ok(())
                }
                done => done,
            })?;
        }
        let size = screen.size();
        if app.size != size {
            app.size = size;
            app.place();
            has_changed = true;
        }
        has_changed |= take_newest(&mut app, &mut screen, intervals.as_ref())?;
    }
    drop(screen);
    #[cfg(unix)]
    if app.ended == Some(Ended::Interrupted) {
        signals::end(signal_hook::consts::SIGINT);
    }
    Ok(app)
}

/// Takes the intervals that came in, of which only the newest is shown; returns whether anything
/// changed.
fn take_newest(
    app: &mut App,
    screen: &mut Screen,
    intervals: Option<&Receiver<Interval>>,
) -> Result<bool> {
    let (Some(intervals), Some(live)) = (intervals, &mut app.live) else { return Ok(false) };
    let was_over = live.is_over;
    let mut newest = None;
    loop {
        match intervals.try_recv() {
            Ok(interval) => newest = Some(interval),
            Err(TryRecvError::Empty) => break,
            Err(TryRecvError::Disconnected) => {
                live.is_over = true;
                break;
            }
        }
    }
    let has_ended = live.is_over && !was_over;
    let Some(interval) = newest else { return Ok(has_ended) };
    work(app, screen, |app| app.take(interval).map(|()| app.place()))?;
    Ok(true)
}

/// Does something that may take long; the screen says so if it does.
fn work(
    app: &mut App,
    screen: &mut Screen,
    act: impl FnOnce(&mut App) -> Result<()> + Send,
) -> Result<()> {
    thread::scope(|scope| {
        let (done, is_done) = channel();
        let worker = scope.spawn(move || {
            let result = act(app);
            // The receiver may have stopped waiting.
            let _ = done.send(());
            result
        });
        if is_done.recv_timeout(SOON) == Err(RecvTimeoutError::Timeout) {
            let _ = screen.say_working();
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(unix)]
fn is_stop(event: &ratatui::crossterm::event::Event) -> bool {
    use ratatui::crossterm::event::{Event, KeyCode, KeyModifiers};
    matches!(event, Event::Key(key)
        if key.code == KeyCode::Char('z') && key.modifiers.contains(KeyModifiers::CONTROL))
}

fn failed(source: io::Error) -> Error {
    Error::Output { name: "the terminal".to_owned(), source }
}
