//! A cache of recent event lines: those of one thread mostly differ only in their times, and the
//! lines of a few threads alternate.

use std::ops::Range;

use super::event_line::EventLine;
use crate::samples::sample::OpenSample;

/// How many lines are kept.
const KEPT: usize = 4;

/// A text whose event line matches one that opened `sample`.
pub(super) struct Known<'a> {
    pub(super) sample: OpenSample,
    /// The time of its event line.
    pub(super) time: &'a [u8],
    /// The text after that line.
    pub(super) body: &'a [u8],
}

/// Event lines and the samples they opened.
#[derive(Default)]
pub(super) struct HeaderCache {
    headers: [Header; KEPT],
    oldest: usize,
}

#[derive(Default)]
struct Header {
    line: Vec<u8>,
    time: Range<usize>,
    sample: Option<OpenSample>,
}

impl HeaderCache {
    /// The sample for `text`, if its first line differs from a cached one only in the digits of the
    /// time.
    #[inline]
    pub(super) fn find<'b>(&self, text: &'b [u8]) -> Option<Known<'b>> {
        self.headers.iter().find_map(|header| header.known(text))
    }

    /// Caches an event line and its sample, in place of the oldest one.
    pub(super) fn keep(&mut self, line: &[u8], event: &EventLine<'_>, sample: OpenSample) {
        let header = &mut self.headers[self.oldest];
        self.oldest = (self.oldest + 1) % KEPT;
        header.line.clear();
        header.line.extend_from_slice(line);
        header.time = event.time_start..event.time_start + event.time.unwrap_or_default().len();
        header.sample = Some(sample);
    }
}

impl Header {
    #[inline]
    fn known<'b>(&self, text: &'b [u8]) -> Option<Known<'b>> {
        let Range { start, end } = self.time;
        // The line must have the same length, so there is no search for its end.
        let (line, rest) = text.split_at_checked(self.line.len())?;
        let body = rest.strip_prefix(b"\n")?;
        let is_same =
            start < end && line[..start] == self.line[..start] && line[end..] == self.line[end..];
        if !is_same {
            return None;
        }
        let (time, ours) = (&line[start..end], &self.line[start..end]);
        let is_alike =
            |(new, old): (&u8, &u8)| new == old || new.is_ascii_digit() && old.is_ascii_digit();
        // All digits are compared, since stopping at the first difference takes longer.
        let is_time = time.iter().zip(ours).fold(true, |all, pair| all & is_alike(pair));
        self.sample.filter(|_| is_time).map(|sample| Known { sample, time, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_may_differ() {
        let mut headers = HeaderCache::default();
        let line = b"V8 Worker 16992   525.936394:    2004008 cpu-clock: ";
        let event = EventLine::parse(line).expect("an event line");
        let sample = OpenSample { base: 3, event: 0, count: 1, weight: 2_004_008 };
        headers.keep(line, &event, sample);
        let text = "V8 Worker 16992   526.000000:    2004008 cpu-clock: \n\t  2734 f (/d)\n";
        let known = headers.find(text.as_bytes()).expect("it is kept");
        assert_eq!((known.sample.base, known.time), (3, &b"526.000000"[..]));
        assert_eq!(known.body, b"\t  2734 f (/d)\n");
        for other in [
            "V8 Worker 16993   526.000000:    2004008 cpu-clock: \n",
            "V8 Worker 16992   526.000000:    2004009 cpu-clock: \n",
            "V8 Worker 16992  1526.000000:    2004008 cpu-clock: \n",
            "V8 Worker 16992   52600000000:    2004008 cpu-clock:\n",
            "V8 Worker 16992   526.00000x:    2004008 cpu-clock: \n",
            "V8 Worker 16992   526.000000:    2004008 cpu-clock:  more\n",
            "V8 Worker 16992   526.000000:    2004008 cpu-clock: ",
            "",
            "\n",
        ] {
            assert!(headers.find(other.as_bytes()).is_none(), "{other}");
        }
    }
}
