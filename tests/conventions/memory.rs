//! Input that does not fit into memory.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use crate::util::{binary, folded_tools, with_minimal};

#[test]
fn an_endless_line_is_named_and_no_crash() {
    for name in folded_tools() {
        let mut child = Command::new("sh")
            .args(["-c", r#"ulimit -v 200000; exec "$0" "$@""#, binary(name)])
            .args(with_minimal(name, &[]))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A gigabyte, or until the tool has enough of it.
        let written = thread::spawn(move || {
            let text = vec![b'x'; 64 * 1024];
            (0..16_000).try_for_each(|_| stdin.write_all(&text))
        });
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.starts_with(&format!("{name}: <stdin>: out of memory")), "{said}");
        assert!(written.join().expect("no panic").is_err(), "{name} read all of it");
    }
}
