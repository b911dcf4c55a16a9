//! Labels before a stack: when, who and where.
//!
//! ```text
//! since=12.304122000<TAB>tid=4711<TAB>main;parse;read 14
//! ```
//!
//! man/folded-stack.5 is the grammar.

use std::cmp::Ordering;
use std::collections::HashSet;

use memchr::memchr;

use super::{Malformed, clean_frame};

/// The keys that come first where labels are sorted.
const FIRST: [&[u8]; 2] = [b"since", b"time"];

/// The labels of a line, as they were read: each `key=value` and a tab, no key twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels<'a> {
    text: &'a [u8],
}

/// A label: what is known of the samples of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// What it is called: `tid`.
    pub key: &'a [u8],
    /// Any bytes but control bytes; may be empty.
    pub value: &'a [u8],
}

impl<'a> Labels<'a> {
    /// Splits a line, or a line without its count, into its labels and the rest. The labels end at
    /// the first field that is not a label; the last field always belongs to the rest.
    ///
    /// # Errors
    ///
    /// [`Malformed::KeyTwice`].
    pub fn split(line: &'a [u8]) -> Result<(Labels<'a>, &'a [u8]), Malformed> {
        let (mut keys, mut end) = (Keys::default(), 0);
        while let Some((label, length)) = Label::at_start(&line[end..]) {
            if !keys.insert(label.key) {
                return Err(Malformed::KeyTwice);
            }
            end += length;
        }
        let (text, rest) = line.split_at(end);
        Ok((Labels { text }, rest))
    }

    /// The labels of a text that [`as_bytes`](Labels::as_bytes) returned, or that consists of
    /// what [`append_label`] appended.
    #[must_use]
    pub fn of_text(text: &'a [u8]) -> Labels<'a> {
        Labels { text }
    }

    /// The labels in the order in which they were read.
    pub fn iter(self) -> impl Iterator<Item = Label<'a>> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            let equals = memchr(b'=', rest)?;
            let (key, value) = (&rest[..equals], &rest[equals + 1..]);
            let (value, after) = value.split_at(memchr(b'\t', value)?);
            rest = &after[1..];
            Some(Label { key, value })
        })
    }

    /// The value of the label with this key.
    #[must_use]
    pub fn get(self, key: &[u8]) -> Option<&'a [u8]> {
        self.iter().find(|label| label.key == key).map(|label| label.value)
    }

    /// As they were read, with the tab after each.
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.text
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    /// Appends the labels whose keys are `wanted` in the order of [`sort_labels`]: equal sets of
    /// labels then become equal bytes.
    pub fn append_sorted(self, wanted: impl Fn(&[u8]) -> bool, out: &mut Vec<u8>) {
        let mut labels: Vec<Label<'_>> = self.iter().filter(|label| wanted(label.key)).collect();
        sort_labels(&mut labels);
        labels.iter().for_each(|label| append_label(*label, out));
    }
}

/// The keys that a line has so far.
#[derive(Default)]
struct Keys<'a> {
    first: [&'a [u8]; Keys::FEW],
    count: usize,
    /// All of them, if they are more than a few.
    many: HashSet<&'a [u8]>,
}

impl<'a> Keys<'a> {
    const FEW: usize = 8;

    /// Adds a key; returns false if the line has it already.
    #[inline]
    fn insert(&mut self, key: &'a [u8]) -> bool {
        let known = &self.first[..self.count];
        if self.count == Keys::FEW {
            self.many.extend(known);
            return self.many.insert(key);
        }
        if known.contains(&key) {
            return false;
        }
        self.first[self.count] = key;
        self.count += 1;
        true
    }
}

impl<'a> Label<'a> {
    /// The label at the start of a text, and its length including the tab after it.
    #[inline]
    fn at_start(text: &'a [u8]) -> Option<(Label<'a>, usize)> {
        let equals = text.iter().position(|&byte| !is_in_key(byte))?;
        let is_key = text[equals] == b'=' && equals > 0 && is_key_start(text[0]);
        let value = if is_key { &text[equals + 1..] } else { return None };
        // The first control byte after a value must be the tab.
        let length = value.iter().position(u8::is_ascii_control)?;
        let label = Label { key: &text[..equals], value: &value[..length] };
        (value[length] == b'\t').then_some((label, equals + 1 + length + 1))
    }
}

/// Sorts labels by the bytes of their keys, but `since` and `time` first: the order in which tools
/// that sum lines write them.
pub fn sort_labels(labels: &mut [Label<'_>]) {
    labels.sort_by(order);
}

fn order(a: &Label<'_>, b: &Label<'_>) -> Ordering {
    let rank = |key: &[u8]| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
    rank(a.key).cmp(&rank(b.key)).then_with(|| a.key.cmp(b.key))
}

/// Appends a label and its tab. A space takes the place of each control byte in its value, and
/// `_` that of each byte in its key that a key cannot hold.
pub fn append_label(label: Label<'_>, out: &mut Vec<u8>) {
    append_key(label.key, out);
    out.push(b'=');
    let in_value = |&byte: &u8| if byte.is_ascii_control() { b' ' } else { byte };
    out.extend(label.value.iter().map(in_value));
    out.push(b'\t');
}

/// The key as a label can have it: `_` takes the place of each byte that a key cannot hold.
#[must_use]
pub fn clean_label_key(key: &[u8]) -> Vec<u8> {
    let mut clean = Vec::new();
    append_key(key, &mut clean);
    clean
}

fn append_key(key: &[u8], out: &mut Vec<u8>) {
    if !key.first().is_some_and(|&first| is_key_start(first)) {
        out.push(b'_');
    }
    out.extend(key.iter().map(|&byte| if is_in_key(byte) { byte } else { b'_' }));
}

/// Appends the root frame for the value of the label `key`: the value, or `[no KEY]` if there is
/// none.
pub fn append_label_frame(key: &[u8], value: Option<&[u8]>, out: &mut Vec<u8>) {
    match value {
        Some(value) => clean_frame(value, out),
        None => clean_frame(&[b"[no ", key, b"]"].concat(), out),
    }
}

/// Whether `key` can be the key of a label: `[A-Za-z_][A-Za-z0-9_.:/-]*`.
fn is_label_key(key: &[u8]) -> bool {
    key.first().is_some_and(|&first| is_key_start(first)) && key.iter().all(|&byte| is_in_key(byte))
}

fn is_key_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_in_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'/' | b'-')
}

/// Which labels are kept: the value of `--labels`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LabelKeys {
    /// All of them.
    #[default]
    All,
    /// Those with these keys; no label if there is no key.
    Only(Vec<Vec<u8>>),
}

impl LabelKeys {
    /// Whether labels with this key are kept.
    #[must_use]
    pub fn has(&self, key: &[u8]) -> bool {
        match self {
            LabelKeys::All => true,
            LabelKeys::Only(keys) => keys.iter().any(|known| known == key),
        }
    }

    /// Whether no label is kept.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, LabelKeys::Only(keys) if keys.is_empty())
    }

    /// Parses `all`, `none`, or keys with commas between them.
    ///
    /// # Errors
    ///
    /// A message that says what a key consists of.
    pub fn parse(text: &str) -> Result<LabelKeys, String> {
        match text {
            "all" => return Ok(LabelKeys::All),
            "none" => return Ok(LabelKeys::Only(Vec::new())),
            _ => {}
        }
        let keys = text.split(',').map(|key| match key {
            "all" | "none" => Err(format!("expected keys, or {key} alone")),
            key => parse_label_key(key).map(String::into_bytes),
        });
        keys.collect::<Result<_, _>>().map(LabelKeys::Only)
    }
}

/// Parses the key of a label, as an argument.
///
/// # Errors
///
/// A message that says what a key consists of.
pub fn parse_label_key(key: &str) -> Result<String, String> {
    if is_label_key(key.as_bytes()) {
        return Ok(key.to_owned());
    }
    Err("expected the key of a label, such as tid: a letter or _, then letters, digits and _.:/-"
        .to_owned())
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    /// The keys and values of a line, and what follows its labels.
    type SplitLine<'a> = (Vec<(&'a str, &'a str)>, &'a str);

    fn split(line: &str) -> Result<SplitLine<'_>, Malformed> {
        let text = |bytes| std::str::from_utf8(bytes).expect("ascii in, ascii out");
        let (labels, rest) = Labels::split(line.as_bytes())?;
        Ok((labels.iter().map(|it| (text(it.key), text(it.value))).collect(), text(rest)))
    }

    #[test]
    fn labels_end_at_the_first_field_that_is_none() {
        for (line, labels, rest) in [
            ("main;f 1", &[][..], "main;f 1"),
            ("a=b 1", &[], "a=b 1"),
            ("tid=1\tmain 1", &[("tid", "1")], "main 1"),
            ("tid=1\ta=b 1", &[("tid", "1")], "a=b 1"),
            ("tid=1\t 3", &[("tid", "1")], " 3"),
            ("tid=\tx.y:/-9_=a;b=c d\tf", &[("tid", ""), ("x.y:/-9_", "a;b=c d")], "f"),
            ("tid=1\tmain\tpid=2\tf", &[("tid", "1")], "main\tpid=2\tf"),
            ("9a=1\tmain", &[], "9a=1\tmain"),
            ("a b=1\tmain", &[], "a b=1\tmain"),
            ("=1\tmain", &[], "=1\tmain"),
            ("a=\x1b[1m\tmain", &[], "a=\x1b[1m\tmain"),
            ("# a=1\tmain", &[], "# a=1\tmain"),
            ("a=1\t", &[("a", "1")], ""),
            ("", &[], ""),
        ] {
            assert_eq!(split(line), Ok((labels.to_vec(), rest)), "{line:?}");
        }
    }

    #[test]
    fn a_key_twice_is_malformed_however_many_there_are() {
        let many: String = (0..20).map(|number| format!("k{number}=\t")).collect();
        for line in ["a=1\ta=1\tf", "a=1\tb=2\ta=3\tf", &format!("{many}k7=1\tf")] {
            assert_eq!(split(line), Err(Malformed::KeyTwice), "{line:?}");
        }
        assert_eq!(split(&many).expect("all differ").0.len(), 20);
        assert!(split("a=1\tA=1\tf").is_ok());
    }

    #[test]
    fn labels_that_mean_the_same_are_sorted_to_the_same_bytes() {
        let sorted = |text: &str, keys: &str| {
            let (labels, _) = Labels::split(text.as_bytes()).expect("no key twice");
            let keys = LabelKeys::parse(keys).expect("keys");
            let mut out = Vec::new();
            labels.append_sorted(|key| keys.has(key), &mut out);
            out.to_str_lossy().into_owned()
        };
        let expected = "since=2\ttime=1\tB=5\ta=3\tcpu=4\t";
        assert_eq!(sorted("cpu=4\ta=3\ttime=1\tB=5\tsince=2\t", "all"), expected);
        assert_eq!(sorted(expected, "all"), expected);
        assert_eq!(sorted(expected, "cpu,since,x"), "since=2\tcpu=4\t");
        assert_eq!(sorted(expected, "none"), "");
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (key, value, expected) in [
            ("comm", "a\tb\x1b", "comm=a b \t"),
            ("trace id", "7", "trace_id=7\t"),
            ("9", "", "_9=\t"),
            ("", "x", "_=x\t"),
            ("é", "é", "___=é\t"),
        ] {
            let mut out = Vec::new();
            let (key, value) = (key.as_bytes(), value.as_bytes());
            append_label(Label { key, value }, &mut out);
            assert_eq!(out.as_bstr(), expected, "{key:?}");
            let (labels, rest) = Labels::split(&out).expect("one label");
            assert_eq!((labels.as_bytes(), rest), (&out[..], &b""[..]));
        }
    }

    #[test]
    fn keys_on_the_command_line_are_checked() {
        assert_eq!(LabelKeys::parse("all"), Ok(LabelKeys::All));
        assert!(LabelKeys::parse("none").expect("a word").is_none());
        assert!(LabelKeys::parse("tid,,pid").is_err() && LabelKeys::parse("a b").is_err());
    }
}
