//! Frames without a name: which files they are in, and why these have no symbols.

use std::fmt;

use bstr::ByteSlice;

/// How many files are named before they are only counted.
const NAMED: usize = 5;

/// One frame in so many is not worth a message.
const MOST_UNTOLD: u64 = 1000;

/// Why a file gives no names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    NotFound,
    /// It was deleted, and no build-id tells whether a file of its name is the same.
    Deleted,
    /// What the system says.
    Unreadable(String),
    NoExecutable,
    NoJitDump,
    OtherBuildId,
    Stripped,
    /// Somebody else may have written it.
    OtherOwner,
    /// The kernel does not tell its addresses.
    Restricted,
    /// The kernel that runs now is not the one that was recorded.
    OtherKernel,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::NotFound => "not found",
            Why::Deleted => "it was deleted",
            Why::Unreadable(error) => error,
            Why::NoExecutable => "it is no executable of 32 or 64 bits, little-endian",
            Why::NoJitDump => "it is no jitdump of a little-endian machine",
            Why::OtherBuildId => "its build-id differs from the recorded one",
            Why::Stripped => "it is stripped, and its debug file was not found",
            Why::OtherOwner => "its owner is neither you nor root",
            Why::Restricted => "the kernel hides its addresses (kernel.kptr_restrict)",
            Why::OtherKernel => "another kernel runs now: expected --kallsyms",
        })
    }
}

/// What is said of one file.
#[derive(Debug)]
pub(super) struct Nameless<'a> {
    pub(super) path: &'a [u8],
    pub(super) frames: u64,
    pub(super) why: Why,
}

/// A message for each of the worst files, and one for the others; `all` is the
/// number of all frames of all samples.
///
/// Of a few frames nobody wants to know, but files that are not the recorded ones are
/// told.
pub(super) fn report(mut files: Vec<Nameless<'_>>, all: u64) -> Vec<String> {
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
    let is_told = |file: &Nameless<'_>| matters(file.frames) || file.why == Why::OtherBuildId;
    let (mut told, mut rest): (Vec<_>, Vec<_>) = files.into_iter().partition(is_told);
    rest.extend(told.drain(told.len().min(NAMED)..));
    let mut messages: Vec<String> = told
        .iter()
        .map(|Nameless { path, frames, why }| {
            let path = path.as_bstr();
            format!("{path}: no symbols for {} of all frames: {why}", share(*frames, all))
        })
        .collect();
    let frames = rest.iter().map(|file| file.frames).sum();
    let differ = rest.iter().filter(|file| file.why == Why::OtherBuildId).count();
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
            file("/f", 1, Why::NotFound),
            file("/a", 50, Why::NotFound),
            file("/e", 2, Why::OtherBuildId),
            file("/b", 20, Why::OtherBuildId),
            file("/b", 10, Why::OtherBuildId),
            file("/c", 7, Why::Stripped),
            file("/d", 7, Why::Deleted),
            file("/none", 0, Why::NotFound),
            file("/g", 1, Why::OtherBuildId),
        ];
        let expected = [
            "/a: no symbols for 25.0 % of all frames: not found",
            "/b: no symbols for 15.0 % of all frames: its build-id differs from the recorded one",
            "/c: no symbols for 3.5 % of all frames: it is stripped, and its debug file was not found",
            "/d: no symbols for 3.5 % of all frames: it was deleted",
            "/e: no symbols for 1.0 % of all frames: its build-id differs from the recorded one",
            "2 more files: no symbols for 1.0 % of all frames: the build-id of 1 differs from the recorded one",
        ];
        assert_eq!(report(files, 200), expected);
        assert!(report(Vec::new(), 200).is_empty());
    }

    #[test]
    fn a_few_frames_are_worth_a_message_only_where_the_file_is_another() {
        let file = |path: &'static str, why| Nameless { path: path.as_bytes(), frames: 1, why };
        let files = || vec![file("/a", Why::NotFound), file("/b", Why::OtherBuildId)];
        let expected =
            ["/b: no symbols for 0.1 % of all frames: its build-id differs from the recorded one"];
        assert_eq!(report(files(), 1000), expected);
        // Together they may be worth one.
        let expected = ["2 more files: no symbols for 0.2 % of all frames"];
        let many = vec![file("/a", Why::NotFound), file("/c", Why::Deleted)];
        assert_eq!(report(many, 1000), expected);
    }
}
