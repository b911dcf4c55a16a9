//! A terminal in which keys are pressed and whose screen is read; tmux makes it.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::place::folder_of_tools;

/// What a test of keys needs.
pub(crate) const TMUX: &[&str] = &["tmux", "bash"];

/// How long to wait for a screen: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a shell in it, which ends with the test.
pub(crate) struct Terminal {
    server: String,
}

impl Terminal {
    /// A terminal of this size, where `$tools` is the folder of the tools. `settings` are
    /// variables of the environment.
    pub(crate) fn new(columns: u32, rows: u32, settings: &[(&str, &str)]) -> Terminal {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let terminal = Terminal { server: format!("stack-{}-{number}", std::process::id()) };
        let size = [columns.to_string(), rows.to_string()];
        let mut args = vec!["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1]];
        let settings: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        settings.iter().for_each(|setting| args.extend(["-e", setting.as_str()]));
        let shell = format!("tools='{}' PS1='$ ' exec bash --norc", folder_of_tools());
        args.push(&shell);
        terminal.tmux(&args);
        terminal.wait_for("$");
        terminal
    }

    fn tmux(&self, args: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.server]).args(args);
        // A session within another one is refused.
        command.env_remove("TMUX").env_remove("NO_COLOR").env_remove("COLORTERM");
        let output = command.output().expect("tmux starts");
        assert!(output.status.success(), "{args:?}: {output:?}");
        output
    }

    /// Presses keys, each by its name or letter.
    pub(crate) fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types a text.
    pub(crate) fn typed(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Types a command and Enter.
    pub(crate) fn run(&self, command: &str) {
        self.typed(command);
        self.press(&["Enter"]);
    }

    /// What the screen shows.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// The screen with escape sequences for colours.
    pub(crate) fn colored_screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-e"]).stdout).into_owned()
    }

    /// The screen, as soon as it shows this text.
    ///
    /// # Panics
    ///
    /// If it does not within [`PATIENCE`].
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// The screen, as soon as `is_so` accepts it.
    ///
    /// # Panics
    ///
    /// If it does not within [`PATIENCE`].
    pub(crate) fn wait_until(&self, what: &str, mut is_so: impl FnMut(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "no {what:?}:\n{screen}");
            sleep(Duration::from_millis(10));
        }
    }

    /// Changes the size of the terminal.
    pub(crate) fn resize(&self, columns: u32, rows: u32) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// A variable of tmux, such as `#{alternate_on}`.
    pub(crate) fn state(&self, format: &str) -> String {
        let output = self.tmux(&["display-message", "-p", format]);
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.server, "kill-server"]).output();
    }
}
