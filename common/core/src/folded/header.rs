//! Lines before the stacks that say what was counted.
//!
//! ```text
//! # event: cycles
//! # unit: samples
//! # source: perf-script
//! # samples: 4021
//! ```
//!
//! `samples` is how many samples of equal weight would vary as much as the weights do: if all
//! samples weigh the same, their number; else (Σw)²/Σw², where w is what each of them weighs. The
//! line is missing where the unit is samples.

use bstr::ByteSlice;

use crate::names::printable;
use crate::numbers::decimal;

/// The keys of header lines, in the order in which they are written.
pub const HEADER_KEYS: [&str; 4] = ["event", "unit", "source", SAMPLES];

const SAMPLES: &str = "samples";

/// Returns the key and the value of a header line: `event` and `cycles` of
/// `# event: cycles`. `None` for other lines.
#[must_use]
pub fn parse_header(line: &[u8]) -> Option<(&'static str, &[u8])> {
    let (key, value) = line.strip_prefix(b"# ")?.split_once_str(": ")?;
    let key = HEADER_KEYS.into_iter().find(|known| known.as_bytes() == key)?;
    Some((key, value))
}

/// The number of a header line `# samples: 4021`; `None` for other lines.
#[must_use]
pub fn noted_samples(line: &[u8]) -> Option<u64> {
    decimal(samples_of(line)?).filter(|samples| *samples > 0)
}

/// The value of a header line `# samples: …`, also if it is not a number; `None` for other lines.
pub(crate) fn samples_of(line: &[u8]) -> Option<&[u8]> {
    parse_header(line).filter(|(key, _)| *key == SAMPLES).map(|(_, value)| value)
}

/// Whether weights of this unit are numbers of samples, so that no header line has to say how many
/// there are.
#[must_use]
pub fn counts_samples(unit: &[u8]) -> bool {
    matches!(unit, b"samples" | b"sample")
}

/// Makes a header line, without the LF.
#[must_use]
pub fn header_line(key: &str, value: &[u8]) -> Vec<u8> {
    let mut line = format!("# {key}: ").into_bytes();
    line.extend(value.iter().map(|byte| if byte.is_ascii_control() { b' ' } else { *byte }));
    line
}

/// The header lines of several inputs. Those that are the same in all inputs with a header are
/// kept.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// The header of each input that has one; equal ones once.
    inputs: Vec<Vec<Vec<u8>>>,
    samples: Samples,
}

/// How many samples inputs have together.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    /// What the inputs weigh.
    weight: f64,
    /// The squares of what the samples weigh, summed: an input that weighs W and has N samples
    /// adds W²/N.
    squares: f64,
    /// Whether an input with a weight does not say how many samples it has.
    is_unknown: bool,
    /// The number of samples of the input that was added last, if it says so.
    last: Option<u64>,
}

impl Samples {
    fn add(&mut self, samples: Option<u64>, weight: u128) {
        self.last = samples;
        let weight = weight as f64;
        if weight > 0.0 {
            self.is_unknown |= samples.is_none();
            self.weight += weight;
            self.squares += samples.map_or(0.0, |samples| weight * weight / samples as f64);
        }
    }

    fn all(&self) -> Option<u64> {
        let is_known = !self.is_unknown && self.squares > 0.0;
        is_known.then(|| (self.weight * self.weight / self.squares).round() as u64)
    }
}

impl Headers {
    /// Adds the header lines of one input, and what its stacks weigh. An input without header lines
    /// only makes the number of samples unknown.
    pub fn add(&mut self, mut lines: Vec<Vec<u8>>, weight: u128) {
        self.samples.add(lines.iter().find_map(|line| noted_samples(line)), weight);
        // One number is in `self.samples` already; two numbers are those of two profiles in one
        // file.
        lines.retain(|line| samples_of(line).is_none_or(|value| value.contains(&b' ')));
        if !lines.is_empty() && !self.inputs.contains(&lines) {
            self.inputs.push(lines);
        }
    }

    /// Adds only the weight of an input, and the number of samples that it says it has.
    pub fn add_samples(&mut self, samples: Option<u64>, weight: u128) {
        self.samples.add(samples, weight);
    }

    /// The lines that are the same in all inputs with a header.
    #[must_use]
    pub fn kept(&self) -> Vec<&[u8]> {
        let agreed = HEADER_KEYS.iter().filter_map(|key| match &self.values(key)[..] {
            [lines] => Some(lines.clone()),
            _ => None,
        });
        agreed.flatten().collect()
    }

    /// How many samples all inputs have together, if all that weigh something say so.
    #[must_use]
    pub fn samples(&self) -> Option<u64> {
        self.samples.all()
    }

    /// The same headers with another number of samples; `None` if that is unknown.
    #[must_use]
    pub fn with_samples(mut self, samples: Option<u64>) -> Headers {
        self.samples = Samples::default();
        self.samples.add(samples, 1);
        self
    }

    /// How many samples the input that was added last has, if it says so.
    pub(crate) fn samples_of_last(&self) -> Option<u64> {
        self.samples.last
    }

    /// The values that the inputs have for `key`, each once.
    #[must_use]
    pub fn all(&self, key: &str) -> Vec<&[u8]> {
        let lines = self.inputs.iter().flatten();
        let parsed = lines.filter_map(|line| parse_header(line));
        let mut distinct = Vec::new();
        for (_, value) in parsed.filter(|(found, _)| *found == key) {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        distinct
    }

    /// For each key on which the inputs differ, a message with their different lines.
    #[must_use]
    pub fn differences(&self) -> Vec<String> {
        let said = HEADER_KEYS.iter().map(|key| (key, self.values(key)));
        said.filter(|(_, values)| values.len() > 1)
            .map(|(key, values)| {
                let values: Vec<String> = values
                    .iter()
                    .map(|lines| match &lines[..] {
                        [] => "none".to_owned(),
                        lines => printable(&lines.join(&b", "[..])),
                    })
                    .collect();
                format!("inputs differ in '# {key}:', it is left out: {}", values.join("; "))
            })
            .collect()
    }

    /// The different groups of lines that inputs have for `key`; a group may be empty or have
    /// several lines.
    fn values(&self, key: &str) -> Vec<Vec<&[u8]>> {
        let mut distinct = Vec::new();
        for lines in &self.inputs {
            let of_key = |line: &&[u8]| parse_header(line).is_some_and(|(found, _)| found == key);
            let values: Vec<&[u8]> = lines.iter().map(Vec::as_slice).filter(of_key).collect();
            if !distinct.contains(&values) {
                distinct.push(values);
            }
        }
        distinct
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(inputs: &[&[&str]]) -> Headers {
        let mut headers = Headers::default();
        for lines in inputs {
            headers.add(lines.iter().map(|line| line.as_bytes().to_vec()).collect(), 10);
        }
        headers
    }

    #[test]
    fn a_header_line_has_one_of_our_keys() {
        assert_eq!(parse_header(b"# event: cycles: u"), Some(("event", &b"cycles: u"[..])));
        for line in ["# end 2.5", "# eventful: x", "#event: x", "event: x 1", "# event:x"] {
            assert_eq!(parse_header(line.as_bytes()), None, "{line}");
        }
        assert_eq!(header_line("event", b"a\tb\n"), b"# event: a b ");
    }

    #[test]
    fn what_all_say_is_kept_once_and_the_rest_is_named() {
        let same: &[&str] = &["# event: cycles", "# unit: samples"];
        let other: &[&str] = &["# event: cpu-clock", "# unit: samples"];
        assert_eq!(
            headers(&[same, &[], same]).kept(),
            [&b"# event: cycles"[..], b"# unit: samples"]
        );
        let differing = headers(&[same, other]);
        assert_eq!(differing.kept(), [b"# unit: samples"]);
        assert_eq!(differing.all("event"), [&b"cycles"[..], b"cpu-clock"]);
        assert_eq!(
            differing.differences(),
            ["inputs differ in '# event:', it is left out: # event: cycles; # event: cpu-clock"]
        );
        assert!(headers(&[]).kept().is_empty());
    }

    #[test]
    fn samples_of_inputs_add_up_if_all_are_known() {
        let samples = |inputs: &[(&str, u128)]| {
            let mut headers = Headers::default();
            for (line, weight) in inputs {
                headers.add(vec![line.as_bytes().to_vec()], *weight);
            }
            assert!(headers.kept().iter().all(|line| !line.starts_with(b"# samples")));
            headers.samples()
        };
        assert_eq!(samples(&[("# samples: 7", 70)]), Some(7));
        assert_eq!(samples(&[("# samples: 7", 70), ("# samples: 3", 30)]), Some(10));
        // 9 samples that weigh 1 together matter little beside one that weighs 91.
        assert_eq!(samples(&[("# samples: 9", 9), ("# samples: 1", 91)]), Some(1));
        assert_eq!(samples(&[("# samples: 7", 70), ("# unit: ns", 30)]), None);
        assert_eq!(samples(&[("# samples: 7", 70), ("# unit: ns", 0)]), Some(7));
        assert_eq!(samples(&[("# samples: 0", 70)]), None);
    }
}
