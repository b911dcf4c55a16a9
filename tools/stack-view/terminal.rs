//! The terminal. Screen and keys use it directly, as standard input and output may be pipes. It is
//! given back as it was, however the program ends.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use ratatui::layout::Size;

use crate::app::App;
use crate::draw::draw;

/// The terminal that this process belongs to.
#[cfg(unix)]
const TERMINAL: &str = "/dev/tty";
#[cfg(windows)]
const TERMINAL: &str = "CONOUT$";

/// Whether the terminal is as we need it, and has to be given back.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The screen, as long as it is ours.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<File>>>,
    /// The size that was drawn last; `None` if the screen shows something else than that.
    drawn: Option<Size>,
}

fn open() -> io::Result<File> {
    File::options().read(true).write(true).open(TERMINAL)
}

fn new_terminal() -> io::Result<Terminal<CrosstermBackend<BufWriter<File>>>> {
    Terminal::new(CrosstermBackend::new(BufWriter::new(open()?)))
}

impl Screen {
    /// Takes the terminal: another screen, keys as they are typed, the mouse.
    ///
    /// # Errors
    ///
    /// The error of the system if there is no terminal.
    pub(crate) fn take() -> io::Result<Screen> {
        let terminal = new_terminal()?;
        give_back_on_panic();
        take()?;
        Ok(Screen { terminal, drawn: None })
    }

    /// Draws the current screen.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub(crate) fn draw(&mut self, app: &App) -> io::Result<()> {
        let size = self.terminal.size()?;
        if self.drawn.replace(size) != Some(size) {
            // `Terminal::clear` asks the terminal where the cursor is, and some never answer.
            self.terminal = new_terminal()?;
            execute!(self.terminal.backend_mut(), Clear(ClearType::All))?;
        }
        self.terminal.draw(|frame| draw(app, frame)).map(|_| ())
    }

    /// Says in the last line that work is going on.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub(crate) fn say_working(&mut self) -> io::Result<()> {
        let [_, rows] = self.size();
        let last = rows.saturating_sub(1) as u16;
        execute!(self.terminal.backend_mut(), cursor::MoveTo(0, last), Print("working\u{2026} "))?;
        self.drawn = None;
        Ok(())
    }

    /// Its columns and rows.
    pub(crate) fn size(&self) -> [usize; 2] {
        self.terminal.size().map_or([80, 24], |size| [size.width.into(), size.height.into()])
    }

    /// The next event, if one comes in this time.
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub(crate) fn event(&self, within: Duration) -> io::Result<Option<Event>> {
        match event::poll(within) {
            Ok(true) => event::read().map(Some),
            Ok(false) => Ok(None),
            // A signal came; it has its own flag.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the terminal again after another program had it.
    ///
    /// # Errors
    ///
    /// The error of the system.
    #[cfg(unix)]
    pub(crate) fn take_again(&mut self) -> io::Result<()> {
        self.drawn = None;
        take()
    }

    /// Puts a text into the clipboard of the terminal, which may be far away (OSC 52).
    ///
    /// # Errors
    ///
    /// The error of the system.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        use ratatui::crossterm::clipboard::CopyToClipboard;
        execute!(self.terminal.backend_mut(), CopyToClipboard::to_clipboard_from(text))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    let mut terminal = open()?;
    enable_raw_mode()?;
    IS_TAKEN.store(true, Ordering::SeqCst);
    execute!(terminal, EnterAlternateScreen, EnableMouseCapture, cursor::Hide)
}

/// Gives the terminal back as it was. A failure cannot be reported anywhere.
pub(crate) fn give_back() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    if let Ok(mut terminal) = open() {
        let _ = execute!(terminal, DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
        let _ = terminal.flush();
    }
    let _ = disable_raw_mode();
}

/// A panic ends the process at once, so the terminal is given back before its message.
fn give_back_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        before(panic);
    }));
}
