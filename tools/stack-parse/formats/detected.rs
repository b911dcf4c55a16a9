//! Detects the format of an input from its start.

use std::fmt;
use std::io::Seek;

use common::{Error, Result, io::Input};

use super::{FORMATS, unread};
use crate::format::{Format, Head};
use crate::read::json::{Json, Outline};

/// How much of an input is looked at, in bytes.
const HEAD_SIZE: usize = 64 * 1024;

/// The detected format of an input.
pub(crate) enum Detected {
    Known(&'static Format),
    Empty,
    /// Nothing that can be read.
    Unknown {
        /// The first line that is not empty, as much of it as fits into a message; `None`
        /// if it is no text.
        first_line: Option<String>,
        /// What it seems to be.
        looks_like: Option<&'static str>,
    },
}

impl fmt::Display for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detected::Known(format) => write!(f, "it looks like {}", format.name),
            Detected::Empty => f.write_str("the input is empty"),
            Detected::Unknown { first_line, looks_like } => {
                f.write_str("unknown format")?;
                match looks_like {
                    Some(looks_like) => write!(f, ", it looks like {looks_like}")?,
                    None if first_line.is_none() => f.write_str(", it does not begin with text")?,
                    None => {}
                }
                if let Some(line) = first_line {
                    let separator = if looks_like.is_some() { ';' } else { ',' };
                    write!(f, "{separator} the first line is {line:?}")?;
                }
                if looks_like.is_none() {
                    f.write_str("; 'stack-parse --list-formats' lists what can be read")?;
                }
                Ok(())
            }
        }
    }
}

/// What `--detect` prints of an input: the name of its format, empty if stack-parse cannot read it,
/// and what the input is.
///
/// # Errors
///
/// [`Error::Input`] if the input cannot be read.
pub(crate) fn describe(input: &mut Input) -> Result<[&'static str; 2]> {
    // Only the start of JSON is read: a tool that asks may have no more of it.
    Ok(match detect_start(input, None)?.0 {
        Detected::Known(format) => [format.name, format.about],
        Detected::Empty => ["", "nothing, it is empty"],
        Detected::Unknown { looks_like: Some(what), .. } => ["", what],
        Detected::Unknown { looks_like: None, .. } => ["", "unknown"],
    })
}

/// Detects the format of an input, of which nothing is taken: that which the user chose, if the
/// input may be of it. If the start of a JSON text is not enough, more of it is read, unless the
/// user chose a format.
pub(super) fn detect(input: &mut Input, chosen: Option<&'static Format>) -> Result<Detected> {
    let (detected, is_cut) = detect_start(input, chosen)?;
    if chosen.is_some() || !is_cut || matches!(detected, Detected::Known(_)) {
        return Ok(detected);
    }
    Ok(detect_by_keys(input)?.map_or(detected, Detected::Known))
}

/// Detects the format from the start of an input, and says whether that is the cut start of a JSON
/// text. More of a live recording may come late, so this returns as soon as a format is certain.
fn detect_start(input: &mut Input, chosen: Option<&'static Format>) -> Result<(Detected, bool)> {
    let name = input.name().to_owned();
    loop {
        let peeked = input.peek_more(HEAD_SIZE);
        let (bytes, is_last) =
            peeked.map_err(|source| Error::Input { name: name.clone(), source })?;
        let head = Head::new(bytes, is_last && bytes.len() < HEAD_SIZE, is_last);
        let detected = match chosen {
            Some(format) if (format.detect)(&head) => Detected::Known(format),
            _ => detect_head(&head),
        };
        if is_last || matches!(detected, Detected::Known(_)) {
            let is_cut = !head.is_whole && head.outline().is_some_and(Outline::is_cut);
            return Ok((detected, is_cut));
        }
    }
}

/// Reads more of a JSON text until its keys show the format, or to its end: keys have no order, so
/// any number of samples may come before those keys. The parser can still read all of it: an input
/// that is not a file is copied into one, which takes no memory. Live output loses nothing, since
/// every format in JSON is read to its end before the first stack is written.
fn detect_by_keys(input: &mut Input) -> Result<Option<&'static Format>> {
    let name = input.name().to_owned();
    let failed = |source| Error::Input { name: name.clone(), source };
    let mut copy = input.take_seekable().map_err(failed)?;
    let mut found = None;
    Outline::read(Json::named(name.clone(), &mut copy), |keys| {
        let head = Head::of_keys(keys);
        found = FORMATS.iter().find(|format| (format.detect)(&head));
        found.is_some()
    })?;
    copy.rewind().map_err(failed)?;
    *input = Input::from_reader(&name, copy);
    Ok(found)
}

fn detect_head(head: &Head<'_>) -> Detected {
    if head.bytes.trim_ascii().is_empty() {
        return Detected::Empty;
    }
    // The first line may be longer than what is looked at.
    let first_line = head.lines().find(|line| !line.trim_ascii().is_empty());
    let first_line = first_line.unwrap_or(head.bytes.trim_ascii_start());
    // A file in an archive may be in a known format, but its neighbours are not.
    let known = || FORMATS.iter().find(|format| (format.detect)(head));
    match if unread::is_archive(head.bytes) { None } else { known() } {
        Some(format) => Detected::Known(format),
        None => Detected::Unknown {
            first_line: first_line_as_text(first_line),
            // Before the last attempt nobody uses it.
            looks_like: if head.is_last { unread::looks_like(head.bytes) } else { None },
        },
    }
}

/// The start of a line for a message, if it is text.
fn first_line_as_text(line: &[u8]) -> Option<String> {
    const LONGEST: usize = 80;
    let text = String::from_utf8_lossy(&line[..line.len().min(LONGEST)]);
    // The end may be within a character.
    let text = text.trim_end_matches('\u{fffd}');
    let is_text = text.chars().all(|letter| letter == '\t' || !letter.is_control());
    // Text in Latin-1 has a few bytes that are no UTF-8.
    let strange = text.matches('\u{fffd}').count();
    (is_text && strange * 4 < text.chars().count()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> String {
        let head = Head::new(text.as_bytes(), true, true);
        detect_head(&head).to_string()
    }

    #[test]
    fn folded_lines_are_known_by_their_counts() {
        for text in ["main;f 12\n", "# a comment\nmain 1\r\nmain;f 2", "a;operator new 7\n"] {
            assert_eq!(detected(text), "it looks like folded", "{text:?}");
        }
    }

    #[test]
    fn a_format_that_is_not_certain_waits_for_more() {
        let head = |is_last| Head::new(b"main;f 12\n", false, is_last);
        assert!(matches!(detect_head(&head(false)), Detected::Unknown { .. }));
        assert!(matches!(detect_head(&head(true)), Detected::Known(_)));
    }

    #[test]
    fn the_rest_is_unknown() {
        assert_eq!(detected("\n\n"), "the input is empty");
        assert_eq!(detected(""), "the input is empty");
        let report = "# To display the perf.data header info, please use --header\n";
        assert_eq!(
            detected(report),
            format!(
                "unknown format, it looks like perf report: run 'perf script' instead; \
                 the first line is {:?}",
                report.trim_end()
            )
        );
        let list = "; 'stack-parse --list-formats' lists what can be read";
        let hello = format!("unknown format, the first line is \"hello\"{list}");
        assert_eq!(detected("\nhello\nworld 1\n"), hello);
        let bytes = format!("unknown format, it does not begin with text{list}");
        assert_eq!(detected("\u{1}\u{2}hello\n"), bytes);
        assert_eq!(detect_head(&Head::new(b"\xff\xfa\x91\xee\n", true, true)).to_string(), bytes);
        let latin_1 = detect_head(&Head::new(b"a caf\xe9 there\n", true, true)).to_string();
        assert_eq!(
            latin_1,
            format!("unknown format, the first line is \"a caf\u{fffd} there\"{list}")
        );
    }

    #[test]
    fn a_long_first_line_is_not_nothing() {
        // As in a profile of pprof, whose first byte is a line end.
        let bytes = [b"\n\x04\x08".to_vec(), vec![b'x'; HEAD_SIZE]].concat();
        let detected = detect_head(&Head::new(&bytes[..HEAD_SIZE], false, true));
        assert!(matches!(detected, Detected::Unknown { .. }), "{detected}");
    }

    #[test]
    fn what_is_known_of_no_key_is_no_format() {
        let keys = Outline::default();
        let head = Head::of_keys(&keys);
        for format in FORMATS {
            assert!(!(format.detect)(&head), "{}", format.name);
        }
    }
}
