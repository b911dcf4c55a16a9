//! The picture in a browser.

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::said::{explain, say};

/// What opens a file in the program that the user chose for its kind.
const OPENER: &str = match () {
    () if cfg!(target_os = "macos") => "open",
    () if cfg!(windows) => "explorer",
    () => "xdg-open",
};

/// Whether the user sits before a screen: stack-flame was typed in a terminal, and windows can open.
pub(crate) fn is_at_hand() -> bool {
    let has_windows = cfg!(any(target_os = "macos", windows))
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|it| env::var_os(it).is_some_and(|it| !it.is_empty()));
    has_windows && io::stdout().is_terminal() && env::var_os("SSH_CONNECTION").is_none()
}

/// Opens a file. `is_asked`: the user said so, and hears why it does not work.
pub(crate) fn open(file: &Path, is_asked: bool) {
    let mut command = Command::new(OPENER);
    // A browser that was not yet open writes what helps nobody here.
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    live_on(&mut command);
    if let Err(error) = command.spawn() {
        let why = format!("{OPENER}: {}", common::reason(&error));
        if is_asked { say(why) } else { explain(why) }
    }
}

/// The browser goes on when the terminal is closed, or Ctrl-C is typed there.
#[cfg(unix)]
fn live_on(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn live_on(_: &mut Command) {}

/// The address of a file in a browser: `file:///C:/flame.svg` on Windows.
pub(crate) fn url(file: &Path) -> String {
    let path = file.display().to_string();
    if cfg!(windows) {
        return format!("file:///{}", path.replace('\\', "/"));
    }
    format!("file://{path}")
}
