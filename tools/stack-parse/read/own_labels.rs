//! The labels that an input has itself: of pprof, of folded lines.

use bstr::ByteSlice;
use common::folded::{Label, clean_label_key};
use common::numbers::{hexadecimal, is_digits, nanoseconds};

use crate::samples::sample::{Sample, Time};

/// The labels of a sample, with the values of each key joined by commas.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnLabels {
    labels: Vec<(Vec<u8>, Vec<u8>)>,
}

impl OwnLabels {
    /// Removes all labels.
    pub(crate) fn clear(&mut self) {
        self.labels.clear();
    }

    /// Adds a label of a format. If its key is one of ours but its value means something else, the
    /// key becomes `FORMAT.KEY`.
    pub(crate) fn add(&mut self, format: &str, key: &[u8], value: &[u8]) {
        let mut key = clean_label_key(key);
        if !has_our_sense(&key, value) {
            key = [format.as_bytes(), b".", &key].concat();
        }
        match self.labels.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => {
                values.push(b',');
                values.extend_from_slice(value);
            }
            None => self.labels.push((key, value.to_vec())),
        }
    }

    /// Adds a label like [`add`](OwnLabels::add), unless its value is empty: not known.
    pub(crate) fn add_known(&mut self, format: &str, key: &str, value: &[u8]) {
        if !value.is_empty() {
            self.add(format, key.as_bytes(), value);
        }
    }

    /// Whether there is a label with this key.
    pub(crate) fn has(&self, key: &[u8]) -> bool {
        self.labels.iter().any(|(known, _)| known == key)
    }

    /// All labels.
    pub(crate) fn list(&self) -> Vec<Label<'_>> {
        self.labels.iter().map(|(key, value)| Label { key, value }).collect()
    }
}

/// The sample with these labels; those of thread, process, processor and time set its fields, too.
pub(crate) fn with_labels<'a>(sample: Sample<'a>, labels: &'a [Label<'a>]) -> Sample<'a> {
    let get = |key: &[u8]| labels.iter().find(|label| label.key == key).map(|label| label.value);
    Sample {
        comm: get(b"comm").unwrap_or(sample.comm),
        pid: get(b"pid").or(sample.pid),
        tid: get(b"tid").or(sample.tid),
        cpu: get(b"cpu").or(sample.cpu),
        since: get(b"since").and_then(signed_nanoseconds).or(sample.since),
        time: get(b"time").map(Time::Text).or(sample.time),
        labels,
        ..sample
    }
}

/// These labels, and that of the leaf's object, if it is known.
pub(crate) fn with_object<'a>(labels: &[Label<'a>], object: &'a [u8]) -> Vec<Label<'a>> {
    let key = b"object";
    let object = Some(Label { key, value: object }).filter(|label| !label.value.is_empty());
    labels.iter().copied().chain(object).collect()
}

/// Whether a value is possible for our meaning of this key; true for keys that are not ours.
fn has_our_sense(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"pid" | b"tid" | b"cpu" => is_digits(value.strip_prefix(b"-").unwrap_or(value)),
        b"since" | b"time" => value.contains(&b'.') && signed_nanoseconds(value).is_some(),
        b"addr" => value.strip_prefix(b"0x").and_then(hexadecimal).is_some(),
        b"build_id" => value.iter().all(u8::is_ascii_hexdigit),
        // The event of a sample comes from its format, never from a label.
        b"event" => false,
        _ => true,
    }
}

/// `-0.5` as -500,000,000.
fn signed_nanoseconds(seconds: &[u8]) -> Option<i64> {
    let (sign, digits) = match seconds.split_first() {
        Some((b'-', digits)) => (-1, digits),
        _ => (1, seconds),
    };
    i64::try_from(nanoseconds(digits.trim_start())?).ok().map(|time| sign * time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_ours_keep_their_sense() {
        for (key, value, expected) in [
            ("tid", "12", "tid"),
            ("tid", "worker", "pprof.tid"),
            ("time", "12.304122000", "time"),
            ("time", "12 ms", "pprof.time"),
            ("addr", "0x1f", "addr"),
            ("addr", "10.0.0.1:80", "pprof.addr"),
            ("cpu", "0", "cpu"),
            ("event", "login", "pprof.event"),
            ("trace id", "x", "trace_id"),
        ] {
            let mut labels = OwnLabels::default();
            labels.add("pprof", key.as_bytes(), value.as_bytes());
            let found = labels.list();
            assert_eq!(found[0].key.as_bstr(), expected, "{key}={value}");
            assert_eq!(found[0].value.as_bstr(), value);
        }
    }

    #[test]
    fn values_of_one_key_are_joined() {
        let mut labels = OwnLabels::default();
        for (key, value) in [("a b", "1"), ("c", "2"), ("a_b", "3")] {
            labels.add("pprof", key.as_bytes(), value.as_bytes());
        }
        let (a, c) = (Label { key: b"a_b", value: b"1,3" }, Label { key: b"c", value: b"2" });
        assert_eq!(labels.list(), [a, c]);
    }

    #[test]
    fn labels_say_who_ran_and_when() {
        let label = |key: &'static str, value: &'static str| Label {
            key: key.as_bytes(),
            value: value.as_bytes(),
        };
        let labels = [label("since", "-0.5"), label("time", "7.25"), label("comm", "demo")];
        let sample = with_labels(Sample { tid: Some(b"3"), ..Sample::default() }, &labels);
        assert_eq!((sample.since, sample.comm), (Some(-500_000_000), &b"demo"[..]));
        assert_eq!(sample.time.and_then(Time::nanoseconds), Some(7_250_000_000));
        assert_eq!(sample.tid, Some(&b"3"[..]));
    }
}
