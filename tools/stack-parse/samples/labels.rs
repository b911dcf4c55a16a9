//! The labels of lines: `--labels`.

mod fields;

use std::borrow::Cow;

use common::folded::{Label, LabelKeys, append_label, sort_labels};
use common::{names::printable, pipe::Pipe};

use super::sample::{Sample, append_seconds};
use fields::field;

/// How many digits times have after the point, so that `sort -V` sorts them.
pub(super) const DIGITS: usize = 9;

/// The key of the label with the time that an object was in use.
pub(crate) const LIFETIME: &[u8] = b"lifetime";

/// The keys of times: hardly two samples have the same value.
const TIMES: [&[u8]; 2] = [b"since", b"time"];

/// The other keys that samples of any format may have.
const OF_SAMPLES: [&str; 10] =
    ["comm", "pid", "tid", "cpu", "event", "cgroup", "addr", "object", "build_id", "lifetime"];

/// When a sample was taken, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When {
    /// Since the first sample of its input; may be negative.
    pub(crate) since: i64,
    /// On the clock of its recording, if that is known.
    pub(crate) time: Option<u64>,
}

/// Makes the labels of lines that were asked for.
#[derive(Clone, Debug)]
pub(crate) struct SampleLabels {
    keys: LabelKeys,
    /// The keys that were asked for by name and that no sample had so far.
    missing: Vec<Vec<u8>>,
    text: Vec<u8>,
}

impl SampleLabels {
    pub(crate) fn new(keys: LabelKeys) -> SampleLabels {
        let missing = match &keys {
            LabelKeys::All => Vec::new(),
            LabelKeys::Only(keys) => keys.clone(),
        };
        SampleLabels { keys, missing, text: Vec::new() }
    }

    /// Whether lines get the label with this key, if a sample has it.
    pub(crate) fn has(&self, key: &[u8]) -> bool {
        self.keys.has(key)
    }

    /// Reports the labels that were asked for by name and that no sample has.
    pub(super) fn report_missing(&self, pipe: &mut Pipe) {
        for key in &self.missing {
            pipe.note(format_args!("no sample has the label {}", printable(key)));
        }
    }

    /// Appends the labels of a sample, times first.
    pub(super) fn append(
        &mut self,
        origin: &Sample<'_>,
        event: &[u8],
        when: Option<When>,
        out: &mut Vec<u8>,
    ) {
        if let Some(when) = when.filter(|when| self.has_time(*when)) {
            self.append_times(when, out);
        }
        out.extend_from_slice(self.text(origin, event));
    }

    /// The text of a sample's labels except times, sorted.
    pub(crate) fn text(&mut self, origin: &Sample<'_>, event: &[u8]) -> &[u8] {
        let mut labels: Vec<Label<'_>> =
            known(origin, event).filter(|label| self.keys.has(label.key)).collect();
        if let LabelKeys::Only(keys) = &self.keys
            && !origin.text.is_empty()
        {
            let field = |key| Some(Label { key, value: field_value(key, origin)? });
            labels.extend(keys.iter().map(Vec::as_slice).filter_map(field));
        }
        sort_labels(&mut labels);
        self.text.clear();
        labels.iter().for_each(|label| append_label(*label, &mut self.text));
        self.missing.retain(|key| !labels.iter().any(|label| label.key == &key[..]));
        &self.text
    }

    /// Whether a sample with this time gets a label for it.
    pub(crate) fn has_time(&mut self, when: When) -> bool {
        let known = TIMES.map(|key| self.has(key) && time_of(key, when).is_some());
        for (key, _) in TIMES.iter().zip(known).filter(|(_, is_known)| *is_known) {
            self.missing.retain(|missing| missing != key);
        }
        known.contains(&true)
    }

    /// Appends the labels of those times that were asked for.
    pub(crate) fn append_times(&self, when: When, out: &mut Vec<u8>) {
        for key in TIMES.into_iter().filter(|key| self.has(key)) {
            if let Some(value) = time_of(key, when) {
                append_label(Label { key, value: &value }, out);
            }
        }
    }
}

/// The value of a field of a tracepoint. Labels that all samples may have are none: the `pid` of
/// `sched:sched_waking` is the thread that is woken.
fn field_value<'a>(key: &[u8], origin: &'a Sample<'_>) -> Option<&'a [u8]> {
    let is_of_samples = TIMES.contains(&key) || OF_SAMPLES.iter().any(|it| it.as_bytes() == key);
    if is_of_samples { None } else { field(origin.text, key) }
}

/// All labels of a sample except times and fields of tracepoints.
fn known<'a>(origin: &'a Sample<'_>, event: &'a [u8]) -> impl Iterator<Item = Label<'a>> {
    let fields = [
        (&b"comm"[..], Some(origin.comm).filter(|comm| !comm.is_empty())),
        (b"pid", origin.pid),
        (b"tid", origin.tid),
        // `perf script` writes `[000]`.
        (b"cpu", origin.cpu.map(without_zeros)),
        (b"event", Some(event).filter(|event| !event.is_empty())),
    ];
    let of_format = |key: &[u8]| origin.labels.iter().any(|label| label.key == key);
    let fields = fields
        .into_iter()
        .filter(move |(key, _)| !of_format(key))
        .filter_map(|(key, value)| Some(Label { key, value: value? }));
    let of_format_but_times = origin.labels.iter().filter(|label| !TIMES.contains(&label.key));
    of_format_but_times.copied().chain(fields)
}

/// Strips leading zeros from a number; one zero stays.
fn without_zeros(digits: &[u8]) -> &[u8] {
    let last = digits.len().saturating_sub(1);
    &digits[digits.iter().position(|&digit| digit != b'0').unwrap_or(last)..]
}

/// The value of the label `key`, if the sample has it.
pub(crate) fn value_of<'a>(
    key: &[u8],
    origin: &'a Sample<'_>,
    event: &'a [u8],
    when: Option<When>,
) -> Option<Cow<'a, [u8]>> {
    match known(origin, event).find(|label| label.key == key) {
        Some(label) => Some(Cow::Borrowed(label.value)),
        None => match when.and_then(|when| time_of(key, when)) {
            Some(time) => Some(Cow::Owned(time)),
            None => field_value(key, origin).map(Cow::Borrowed),
        },
    }
}

/// The value of a label with a time, in seconds.
pub(crate) fn seconds_of_label(nanoseconds: impl Into<i128>) -> Vec<u8> {
    let mut seconds = Vec::new();
    append_seconds(nanoseconds.into(), DIGITS, &mut seconds);
    seconds
}

/// The value of a time label, in seconds.
fn time_of(key: &[u8], when: When) -> Option<Vec<u8>> {
    let time = match key {
        b"since" => i128::from(when.since),
        b"time" => i128::from(when.time?),
        _ => return None,
    };
    Some(seconds_of_label(time))
}
