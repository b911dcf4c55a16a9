//! Several profiles in one input, and what tells them apart.

use std::str::FromStr;

use crate::Result;
use crate::folded::{FoldedLine, Labels, append_label_frame, parse_label_key};
use crate::io::Files;
use crate::pipe::{Limit, Pipe};
use crate::stacks::{Overflows, StackCounts};

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

    /// The stack of a line, below the value of its label if profiles are split by a label; `buffer`
    /// is for making it.
    pub fn stack_of<'b>(
        &self,
        labels: Labels<'_>,
        stack: &'b [u8],
        buffer: &'b mut Vec<u8>,
    ) -> &'b [u8] {
        let Split::Label(key) = self else { return stack };
        buffer.clear();
        append_label_frame(key.as_bytes(), labels.get(key.as_bytes()), buffer);
        buffer.push(b';');
        buffer.extend_from_slice(stack);
        buffer
    }
}

/// A message that no line has a label with this key.
#[must_use]
pub fn no_label(key: &str) -> String {
    format!("no line has a label '{key}', as 'stack-parse --labels {key}' writes it")
}

impl Pipe {
    /// Calls `each` with every folded line, whose stack is below the value of `split` if there is
    /// one; malformed lines are named.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn for_each_folded_split(
        &mut self,
        files: &Files,
        split: Option<&Split>,
        mut each: impl FnMut(FoldedLine<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut buffer = Vec::new();
        match split {
            Some(Split::File) => self.for_each_folded_by_file(files, each),
            None | Some(Split::Root) => self.for_each_folded(files, each),
            Some(split) => self.for_each_folded(files, |line| {
                let stack = split.stack_of(line.labels, line.stack, &mut buffer);
                each(FoldedLine { stack, ..line })
            }),
        }
    }

    /// Counts every folded line as [`count_folded`](Pipe::count_folded) does, below the value of
    /// `split` if there is one. The sum of all stacks must fit into 64 bits.
    ///
    /// # Errors
    ///
    /// Those of [`for_each_folded`](Pipe::for_each_folded).
    pub fn count_folded_split(
        &mut self,
        files: &Files,
        split: Option<&Split>,
    ) -> Result<StackCounts> {
        self.count_folded_split_seen(files, split, |_| {})
    }

    /// The same, and calls `seen` with every line in that form, also with lines that are left out
    /// because the sum would not fit.
    ///
    /// # Errors
    ///
    /// Those of [`for_each_folded`](Pipe::for_each_folded).
    pub fn count_folded_split_seen(
        &mut self,
        files: &Files,
        split: Option<&Split>,
        mut seen: impl FnMut(FoldedLine<'_>),
    ) -> Result<StackCounts> {
        match split {
            Some(Split::File) => {}
            None | Some(Split::Root) => {
                return self.count_folded_as(files, Limit::AllStacks, |line, _| {
                    seen(line);
                    line.stack
                });
            }
            Some(split) => {
                return self.count_folded_as(files, Limit::AllStacks, |line, buffer| {
                    let stack = split.stack_of(line.labels, line.stack, buffer);
                    seen(FoldedLine { stack, ..line });
                    stack
                });
            }
        }
        let mut counts = StackCounts::default();
        let (mut all, mut overflows) = (0, Overflows::default());
        self.for_each_folded_by_file(files, |line| {
            seen(line);
            if overflows.add(&mut all, line.stack, line.count) {
                counts.add(line.stack, line.count);
            }
            Ok(())
        })?;
        self.leave_out(&overflows);
        Ok(counts)
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
        let mut buffer = Vec::new();
        for (labels, expected) in [
            ("tid=1\tcomm=a;b\t", "a:b;main;f"),
            ("comm=\t", ";main;f"),
            ("tid=1\t", "[no comm];main;f"),
        ] {
            let labels = Labels::of_text(labels.as_bytes());
            let stack = split.stack_of(labels, b"main;f", &mut buffer);
            assert_eq!(stack, expected.as_bytes());
        }
    }
}
