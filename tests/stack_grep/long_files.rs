//! Files so long that several threads search them.

use std::process::Output;

use crate::util::{TempFile, output, without_threads};

/// A text longer than the file size from which on threads are used: lines of all kinds, each with
/// its number, which shows whether a line is missing or out of place.
fn long_text() -> Vec<u8> {
    let line = |number: usize| match number % 20_000 {
        7 => format!("# header: {number}\n"),
        8 => format!("main;f{number};no count\n"),
        9 => format!("main;\x1b[1malloc;f{number} 5\r\n"),
        10 => "\n".to_owned(),
        11 => format!("main;{};alloc 3\n", "long;".repeat(300_000)),
        rest if rest % 9 == 0 => format!("main;alloc{number};g 2\n"),
        _ => format!("main;f{number};write;to_some_file 1\n"),
    };
    let text: String = (0..400_000).map(line).collect();
    assert!(text.len() > 32 * 1024 * 1024, "{}", text.len());
    text.into_bytes()
}

/// The output for a file; it must be the same as for standard input.
fn of_file(args: &[&str], file: &TempFile) -> Output {
    let mut output = output("stack-grep", &[args, &[file.path()]].concat(), "");
    let said = String::from_utf8(output.stderr).expect("UTF-8 messages");
    output.stderr = said.replace(file.path(), "<stdin>").into_bytes();
    output
}

#[test]
fn they_give_what_a_pipe_gives() {
    let text = long_text();
    let file = TempFile::new(&text);
    for text_to_find in ["alloc", "of_no_line", "f399999;"] {
        for how in ["-F", "-c", "-m3", "-m20000", "-q"] {
            let args = ["--stats", how, "--stack", "-e", text_to_find];
            assert!(of_file(&args, &file) == output("stack-grep", &args, &text), "{args:?}");
        }
    }
}

#[test]
fn they_are_searched_by_one_thread_where_the_system_has_no_more() {
    let file = TempFile::new(long_text());
    let args = ["--stats", "-F", "alloc", file.path()];
    let alone = without_threads("stack-grep", &args, b"");
    let many = output("stack-grep", &args, "");
    assert!(alone == many);
    assert_eq!(many.status.code(), Some(2), "the malformed lines are told");
}
