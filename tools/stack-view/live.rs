//! Reads: all there is, or intervals of a recording that goes on, which are shown as they come.

use std::io::ErrorKind;
use std::mem;
use std::process;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, ScopedJoinHandle};

use common::pipe::{Live, Pipe};
use common::stacks::{Overflows, StackCounts};
use common::{Error, Result, io::Output};

use crate::app::{App, Ended, Interval, Recording};
use crate::profile::Profile;
use crate::{Args, new_app, run, unit, write};

/// The thread that shows what comes in.
struct Shown<'scope> {
    intervals: Sender<Interval>,
    thread: ScopedJoinHandle<'scope, Result<App>>,
}

/// Reads all input and shows it until the reader ends that. From the first end of an interval on,
/// what came in so far is shown. `None` if nothing in it weighs anything.
///
/// # Errors
///
/// Those of reading and of [`run::run`].
pub(crate) fn read(args: &Args, pipe: &mut Pipe) -> Result<Option<App>> {
    let (mut all, mut last) = (StackCounts::default(), StackCounts::default());
    let (mut sum, mut overflows) = (0, Overflows::default());
    thread::scope(|scope| {
        let mut shown: Option<Shown<'_>> = None;
        let mut out = Some(pipe.out().try_clone()?);
        let read = pipe.lines(&args.files).live(|live, pipe| {
            match live {
                Live::Stack(line) => {
                    if overflows.add(&mut sum, line.stack, line.count) {
                        all.add(line.stack, line.count);
                        // Until the first interval ends, `all` has everything; most inputs have no
                        // intervals.
                        if shown.is_some() {
                            last.add(line.stack, line.count);
                        }
                    }
                }
                Live::End if sum > 0 => {
                    let last = if shown.is_some() { mem::take(&mut last) } else { all.clone() };
                    let interval = Interval { all: all.clone(), last, unit: unit(args, pipe) };
                    if let Some(shown) = &shown {
                        return shown.intervals.send(interval).map_err(|_| nobody_looks());
                    }
                    let mut app = new_app(Profile::new(all.clone(), interval.unit.clone())?);
                    app.live = Some(Recording::new(interval));
                    let (intervals, newest) = channel();
                    let out = out.take();
                    let thread = scope.spawn(move || end_now(run::run(app, Some(newest))?, out));
                    shown = Some(Shown { intervals, thread });
                }
                Live::End => {}
            }
            Ok(())
        });
        pipe.leave_out(&overflows);
        if let Some(Shown { intervals, thread }) = shown {
            drop(intervals);
            let app = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            return read.map(|()| Some(app));
        }
        read?;
        if sum == 0 {
            return Ok(None);
        }
        run::run(new_app(Profile::new(all, unit(args, pipe))?), None).map(Some)
    })
}

/// The error that ends the reading if the other thread has ended: that thread says why.
fn nobody_looks() -> Error {
    Error::Output { name: "the terminal".to_owned(), source: ErrorKind::BrokenPipe.into() }
}

/// Ends the process while the other thread still waits for input that may never come.
fn end_now(app: App, out: Option<Output>) -> Result<App> {
    if app.live.as_ref().is_some_and(|live| live.is_over) {
        return Ok(app);
    }
    let status = match (&app.ended, out) {
        (Some(Ended::Write), Some(mut out)) => {
            write::to_output(&app.view, &mut out)?;
            0
        }
        (Some(Ended::Written), _) => 0,
        _ => 1,
    };
    process::exit(status)
}
