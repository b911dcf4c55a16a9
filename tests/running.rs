//! A tool that still runs while a test writes to it and reads from it.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::util::command;

/// A running tool, with pipes for all its streams.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) stdin: ChildStdin,
}

/// Starts a tool.
pub(crate) fn start(name: &str, args: &[&str]) -> Running {
    let mut child = command(name)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let stdin = child.stdin.take().expect("piped");
    Running { child, stdin }
}

/// Asserts that a tool ends with status 0 and prints no messages.
pub(crate) fn assert_silent_success(name: &str, child: Child) {
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    assert_eq!(output.status.code(), Some(0), "{name}");
}

/// The lines of its output, as they appear.
pub(crate) fn lines_of(child: &mut Child) -> Receiver<String> {
    let stdout = BufReader::new(child.stdout.take().expect("piped"));
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|it| sender.send(it)));
    receiver
}

/// The next line; `None` at the end, or if none comes for a minute.
pub(crate) fn next(lines: &Receiver<String>) -> Option<String> {
    lines.recv_timeout(Duration::from_secs(60)).ok()
}
