//! Frames without a name: which files they are in, and why these have no symbols.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bstr::ByteSlice;
use symbolize::{NoSymbols, ObjectId, Objects};

/// How many files are named before they are only counted.
const NAMED: usize = 5;

/// One frame in so many is not worth a message.
const MOST_UNTOLD: u64 = 1000;

/// What is said of one file.
#[derive(Debug)]
struct Nameless<'a> {
    path: &'a [u8],
    frames: u64,
    why: NoSymbols,
}

/// A message for each of the objects that leave most frames without a name, and one for the
/// others. `frames` are numbers of such frames, `all` is the number of all frames of all
/// samples.
pub(crate) fn report(
    objects: &Objects,
    frames: impl Iterator<Item = (ObjectId, u64)>,
    all: u64,
) -> Vec<String> {
    let mut nameless = BTreeMap::new();
    for (object, frames) in frames {
        *nameless.entry(object).or_default() += frames;
    }
    let files = nameless.into_iter().filter_map(|(object, frames)| {
        let why = objects.why_nameless(object)?;
        Some(Nameless { path: objects.path(object), frames, why })
    });
    messages(files.collect(), all)
}

/// The messages for these files.
///
/// Of a few frames nobody wants to know, but files that are not the recorded ones are
/// reported.
fn messages(mut files: Vec<Nameless<'_>>, all: u64) -> Vec<String> {
    let matters = |frames: u64| frames.saturating_mul(MOST_UNTOLD) > all;
    files.retain(|file| file.frames > 0);
    // A file may be several objects: the kernel's own code and what it loaded.
    files.sort_by_key(|file| file.path);
    files.dedup_by(|again, file| {
        let is_same = again.path == file.path && again.why == file.why;
        if is_same {
            file.frames += again.frames;
        }
        is_same
    });
    files.sort_by(|a, b| b.frames.cmp(&a.frames).then_with(|| a.path.cmp(b.path)));
    let is_named =
        |file: &Nameless<'_>| matters(file.frames) || file.why == NoSymbols::OtherBuildId;
    let (mut named, mut rest): (Vec<_>, Vec<_>) = files.into_iter().partition(is_named);
    rest.extend(named.drain(named.len().min(NAMED)..));
    let mut messages: Vec<String> = named
        .iter()
        .map(|Nameless { path, frames, why }| {
            let (path, why) = (path.as_bstr(), reason(why));
            format!("{path}: no symbols for {} of all frames: {why}", share(*frames, all))
        })
        .collect();
    let frames = rest.iter().map(|file| file.frames).sum();
    let differ = rest.iter().filter(|file| file.why == NoSymbols::OtherBuildId).count();
    if matters(frames) || differ > 0 {
        let files = if rest.len() == 1 { "file" } else { "files" };
        let but = match differ {
            0 => String::new(),
            differ => format!(": the build-id of {differ} differs from the recorded one"),
        };
        let (share, rest) = (share(frames, all), rest.len());
        messages.push(format!("{rest} more {files}: no symbols for {share} of all frames{but}"));
    }
    messages
}

/// Why there are no symbols, and what would help.
fn reason(why: &NoSymbols) -> Cow<'static, str> {
    match why {
        NoSymbols::OtherKernel => "another kernel runs now: expected --kallsyms".into(),
        _ => why.to_string().into(),
    }
}

/// `12.3 %`
fn share(part: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_files_are_named() {
        let file =
            |path: &'static str, frames, why| Nameless { path: path.as_bytes(), frames, why };
        let files = vec![
            file("/f", 1, NoSymbols::NotFound),
            file("/a", 50, NoSymbols::NotFound),
            file("/e", 2, NoSymbols::OtherBuildId),
            file("/b", 20, NoSymbols::OtherBuildId),
            file("/b", 10, NoSymbols::OtherBuildId),
            file("/c", 7, NoSymbols::Stripped),
            file("/d", 7, NoSymbols::OtherKernel),
            file("/none", 0, NoSymbols::NotFound),
            file("/g", 1, NoSymbols::OtherBuildId),
        ];
        let expected = [
            "/a: no symbols for 25.0 % of all frames: not found",
            "/b: no symbols for 15.0 % of all frames: its build-id differs from the recorded one",
            "/c: no symbols for 3.5 % of all frames: it is stripped, and its debug file was not found",
            "/d: no symbols for 3.5 % of all frames: another kernel runs now: expected --kallsyms",
            "/e: no symbols for 1.0 % of all frames: its build-id differs from the recorded one",
            "2 more files: no symbols for 1.0 % of all frames: the build-id of 1 differs from the recorded one",
        ];
        assert_eq!(messages(files, 200), expected);
        assert!(messages(Vec::new(), 200).is_empty());
    }

    #[test]
    fn a_few_frames_are_worth_a_message_only_where_the_file_is_another() {
        let file = |path: &'static str, why| Nameless { path: path.as_bytes(), frames: 1, why };
        let files = || vec![file("/a", NoSymbols::NotFound), file("/b", NoSymbols::OtherBuildId)];
        let expected =
            ["/b: no symbols for 0.1 % of all frames: its build-id differs from the recorded one"];
        assert_eq!(messages(files(), 1000), expected);
        // Together they may be worth one.
        let expected = ["2 more files: no symbols for 0.2 % of all frames"];
        let many = vec![file("/a", NoSymbols::NotFound), file("/c", NoSymbols::Deleted)];
        assert_eq!(messages(many, 1000), expected);
    }
}
