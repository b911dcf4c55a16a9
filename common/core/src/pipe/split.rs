//! Several profiles in one input, and what tells them apart.

use std::path::Path;
use std::str::FromStr;

use crate::folded::{Labels, append_label_frame, clean_frame, parse_label_key};
use crate::io::{Input, STDIN};

/// How several profiles in one input are told apart: `--split`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// The root frame: a thread, a host, an event.
    Root,
    /// The file: its name becomes the root of its stacks.
    File,
    /// The label with this key: its value becomes the root of the stacks.
    Label(String),
}

impl FromStr for Split {
    type Err = String;

    /// Parses `root`, `file`, or the key of a label. The key may follow `label:`, as in
    /// `label:file`.
    fn from_str(text: &str) -> Result<Split, String> {
        match text {
            "root" => Ok(Split::Root),
            "file" => Ok(Split::File),
            _ => {
                let key = text.strip_prefix("label:").unwrap_or(text);
                parse_label_key(key).map(Split::Label)
            }
        }
    }
}

impl Split {
    /// The name of what is split by: `root`, `file`, or the key of the label.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Split::Root => "root",
            Split::File => "file",
            Split::Label(key) => key,
        }
    }

    /// The word from which this was parsed; for a label it starts with `label:`.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Split::Root | Split::File => self.key().to_owned(),
            Split::Label(key) => format!("label:{key}"),
        }
    }

    /// A message that no line has the label, if `root`, the root of all stacks, shows that.
    #[must_use]
    pub fn hint_of_only_root(&self, root: &[u8]) -> Option<String> {
        let Split::Label(key) = self else { return None };
        let mut absent = Vec::new();
        append_label_frame(key.as_bytes(), None, &mut absent);
        (absent == root).then(|| no_label(key))
    }
}

/// A message that no line has a label with this key.
#[must_use]
pub fn no_label(key: &str) -> String {
    format!("no line has a label '{key}', as 'stack-parse --labels {key}' writes it")
}

/// The root frame of a file, which [`Split::File`] puts above its stacks.
#[must_use]
pub fn root_of_file(path: &Path) -> Vec<u8> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { STDIN.as_bytes() } else { path.as_os_str().as_encoded_bytes() };
    let mut root = Vec::new();
    clean_frame(name, &mut root);
    root
}

/// Puts roots above the stacks of one input.
pub(super) struct Roots<'a> {
    /// What the roots are, if stacks get any.
    split: Option<&'a Split>,
    /// The root of the file and a `;`, and then maybe a stack.
    buffer: Vec<u8>,
    /// Where the stack starts in the buffer.
    start: usize,
}

impl<'a> Roots<'a> {
    pub(super) fn of(split: Option<&'a Split>, input: &Input) -> Roots<'a> {
        let mut buffer = Vec::new();
        if split == Some(&Split::File) {
            buffer = root_of_file(input.path().unwrap_or(Path::new("-")));
            buffer.push(b';');
        }
        let split = split.filter(|split| **split != Split::Root);
        Roots { split, start: buffer.len(), buffer }
    }

    /// The stack of a line with these labels, below its root.
    #[inline]
    pub(super) fn put_above<'b>(&'b mut self, stack: &'b [u8], labels: Labels<'_>) -> &'b [u8] {
        let Some(split) = self.split else { return stack };
        self.buffer.truncate(self.start);
        if let Split::Label(key) = split {
            append_label_frame(key.as_bytes(), labels.get(key.as_bytes()), &mut self.buffer);
            self.buffer.push(b';');
        }
        self.buffer.extend_from_slice(stack);
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_are_no_labels_and_any_key_is_one_after_its_word() {
        let label = |key: &str| Ok(Split::Label(key.to_owned()));
        assert_eq!("root".parse(), Ok(Split::Root));
        assert_eq!("file".parse(), Ok(Split::File));
        assert_eq!("label:root".parse(), label("root"));
        assert_eq!("label:file".parse(), label("file"));
        assert_eq!("label:tid".parse(), label("tid"));
        assert_eq!("label:label:x".parse(), label("label:x"));
        assert_eq!("trace.id".parse(), label("trace.id"));
        for text in ["", "a b", "9", "label:", "tid,pid"] {
            assert!(text.parse::<Split>().is_err(), "{text:?}");
        }
        for word in ["root", "file", "label:file", "label:tid"] {
            assert_eq!(word.parse::<Split>().expect("a word").word(), word);
        }
    }

    #[test]
    fn the_value_of_a_label_is_the_root() {
        let split = Split::Label("comm".to_owned());
        let mut roots = Roots::of(Some(&split), &Input::from_reader("x", &b""[..]));
        for (labels, expected) in [
            ("tid=1\tcomm=a;b\t", "a:b;main;f"),
            ("comm=\t", ";main;f"),
            ("tid=1\t", "[no comm];main;f"),
        ] {
            let labels = Labels::of_text(labels.as_bytes());
            assert_eq!(roots.put_above(b"main;f", labels), expected.as_bytes());
        }
    }
}
