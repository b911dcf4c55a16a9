//! Checks that other programs can read the output.

use std::env;
use std::io::{Seek, Write};
use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::folded::FoldedLine;

/// Panics unless `svg` is empty or one element of well-formed XML.
pub(crate) fn as_picture(svg: &[u8]) {
    if svg.is_empty() {
        return;
    }
    let text = str::from_utf8(svg).expect("UTF-8");
    let is_legal =
        |char: char| matches!(char, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(is_legal), "a character that XML does not have");
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let (mut depth, mut roots) = (0u64, 0u64);
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(element) => {
                element.attributes().for_each(|attribute| drop(attribute.expect("attributes")));
                roots += u64::from(depth == 0);
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!((depth, roots), (0, 1), "elements that are open at the end, and roots");
}

/// Panics unless the program that `STACK_PARSE` names reads this much weight from `exported`.
pub(crate) fn by_stack_parse(exported: &[u8], weight: u128) {
    let Some(stack_parse) = env::var_os("STACK_PARSE") else { return };
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(exported).and_then(|()| file.rewind()).expect("a file");
    let mut command = Command::new(stack_parse);
    // This one does not run under AFL++.
    let output = command.args(["--threads", "1"]).env_clear().stdin(file).output();
    let output = output.expect("a program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let lines = output.stdout.split(|&byte| byte == b'\n');
    let counts = lines.filter_map(|line| FoldedLine::parse(line).ok()).map(|line| line.count);
    assert_eq!(counts.map(u128::from).sum::<u128>(), weight, "read back\n{said}");
}
