//! The header lines of several inputs.

use super::{KEYS, Key, Merge, Part, SAMPLES, header_line, key, noted_samples, of_today};
use super::{parse_header, samples_line, samples_of_two};
use crate::names::printable;

/// The header lines of several inputs, and what they say together.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// The lines of each input that has any, without those that add up; equal groups once.
    inputs: Vec<Vec<Vec<u8>>>,
    /// How many inputs have weight or header lines.
    count: usize,
    /// Whether an input has weight and no header lines.
    has_bare: bool,
    samples: Samples,
    /// What the inputs say together, for each of [`KEYS`].
    parts: [Sum; KEYS.len()],
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

/// The sum of the parts that inputs name: `None` if no input was added, `Some(None)` if an input
/// with weight does not name its part.
type Sum = Option<Option<Part>>;

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
    /// makes unknown what adds up; one without weight changes nothing that it does not name.
    pub fn add(&mut self, mut lines: Vec<Vec<u8>>, weight: u128) {
        self.count += usize::from(weight > 0 || !lines.is_empty());
        self.has_bare |= weight > 0 && lines.is_empty();
        self.samples.add(samples_of(&lines, weight), weight);
        for (key, sum) in KEYS.iter().zip(&mut self.parts) {
            let part = values(&lines, key.name).map(Part::parse).reduce(plus);
            if key.merge == Merge::Parts && (weight > 0 || part.is_some()) {
                *sum = sum.take().into_iter().chain([part.flatten()]).reduce(plus);
            }
        }
        lines.retain(|line| !adds_up(line));
        lines.iter_mut().for_each(|line| *line = of_today(line));
        let distinct = distinct(lines);
        if !distinct.is_empty() && !self.inputs.contains(&distinct) {
            self.inputs.push(distinct);
        }
    }

    /// Adds only the weight of an input, and the number of samples that it says it has.
    pub fn add_samples(&mut self, samples: Option<u64>, weight: u128) {
        self.samples.add(samples, weight);
    }

    /// The lines that are true of all inputs together.
    #[must_use]
    pub fn lines(&self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for (key, sum) in KEYS.iter().zip(&self.parts) {
            lines.extend(self.agreed(key).into_iter().map(<[u8]>::to_vec));
            match (key.merge, sum) {
                (Merge::Samples, _) => lines.extend(self.samples().map(samples_line)),
                (Merge::Parts, Some(Some(part))) => {
                    lines.push(header_line(key.name, &part.text()));
                }
                _ => {}
            }
        }
        lines
    }

    /// The value of a key on which all inputs with a header agree.
    pub(crate) fn value(&self, key: &str) -> Option<&[u8]> {
        let key = KEYS.iter().find(|known| known.name == key)?;
        self.agreed(key).first().and_then(|line| parse_header(line)).map(|(_, value)| value)
    }

    /// How many of all have a property, such as `lost`, in all inputs together; `None` if that is
    /// unknown.
    pub(crate) fn part(&self, key: &str) -> Option<&Part> {
        let at = KEYS.iter().position(|known| known.name == key)?;
        self.parts.get(at)?.as_ref()?.as_ref()
    }

    /// How many samples two profiles in one file have, before and after.
    pub(crate) fn samples_of_two(&self) -> Option<[u64; 2]> {
        samples_of_two(self.value(SAMPLES)?)
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

    /// The headers of some of the stacks: without what is about all of them.
    #[must_use]
    pub fn of_some_stacks(mut self) -> Headers {
        self = self.with_samples(None);
        self.parts = Default::default();
        for lines in &mut self.inputs {
            lines.retain(|line| key(line).is_some_and(|(key, _)| !key.is_of_all));
        }
        self
    }

    /// How many samples the input that was added last has, if it says so.
    pub(crate) fn samples_of_last(&self) -> Option<u64> {
        self.samples.last
    }

    /// The values that the inputs have for `key`, each once.
    #[must_use]
    pub fn all(&self, key: &str) -> Vec<&[u8]> {
        distinct(self.inputs.iter().flat_map(|lines| values(lines, key)))
    }

    /// For each key that says what is counted and on which the inputs differ, a message with their
    /// different lines.
    #[must_use]
    pub fn differences(&self) -> Vec<String> {
        let named = KEYS.iter().filter(|key| key.merge == Merge::Named);
        let said = named.map(|key| (key.name, self.groups(key)));
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

    /// The lines of a key that are the same in all inputs with a header, if they are true of all
    /// inputs together.
    fn agreed(&self, key: &Key) -> Vec<&[u8]> {
        let has_one_value = || self.all(key.name).len() == 1;
        let is_true = match key.merge {
            Merge::Named | Merge::Samples => true,
            Merge::Equal => !self.has_bare && has_one_value(),
            Merge::Single => self.count <= 1 && has_one_value(),
            Merge::Parts => false,
        };
        match &self.groups(key)[..] {
            [lines] if is_true => lines.clone(),
            _ => Vec::new(),
        }
    }

    /// The different groups of lines that inputs have for `key`; a group may be empty or have
    /// several lines.
    fn groups(&self, key: &Key) -> Vec<Vec<&[u8]>> {
        let of_key = |line: &&[u8]| parse_header(line).is_some_and(|(found, _)| found == key.name);
        let inputs = self.inputs.iter().map(|lines| lines.iter().map(Vec::as_slice));
        distinct(inputs.map(|lines| lines.filter(of_key).collect()))
    }
}

/// Each item once.
fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// The values of the lines of a key.
fn values<'l>(lines: &'l [Vec<u8>], key: &str) -> impl Iterator<Item = &'l [u8]> {
    let parsed = lines.iter().filter_map(|line| parse_header(line));
    parsed.filter(move |(found, _)| *found == key).map(|(_, value)| value)
}

/// How many samples an input has. Where it has several lines with numbers, such as what `cat`
/// makes of two files, their sum is right only if every sample weighs one.
fn samples_of(lines: &[Vec<u8>], weight: u128) -> Option<u64> {
    let numbers: Vec<u64> = lines.iter().filter_map(|line| noted_samples(line)).collect();
    let sum = || numbers.iter().try_fold(0u64, |sum, number| sum.checked_add(*number));
    match numbers[..] {
        [] => None,
        [only] => Some(only),
        _ => sum().filter(|sum| u128::from(*sum) == weight),
    }
}

/// The sum of two parts; `None` if one is unknown, or they do not add up.
fn plus(sum: Option<Part>, part: Option<Part>) -> Option<Part> {
    sum?.plus(&part?)
}

/// Whether the sum of all inputs takes the place of this line. Two numbers of samples are those of
/// two profiles in one file, which do not add up.
fn adds_up(line: &[u8]) -> bool {
    match key(line) {
        Some((Key { merge: Merge::Parts, .. }, _)) => true,
        Some((Key { merge: Merge::Samples, .. }, value)) => samples_of_two(value).is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    fn headers(inputs: &[(&[&str], u128)]) -> Headers {
        let mut headers = Headers::default();
        for (lines, weight) in inputs {
            headers.add(lines.iter().map(|line| line.as_bytes().to_vec()).collect(), *weight);
        }
        headers
    }

    /// The lines that are true of all inputs together.
    fn merged(inputs: &[(&[&str], u128)]) -> Vec<String> {
        let lines = headers(inputs).lines();
        lines.into_iter().map(|line| String::from_utf8(line).expect("UTF-8")).collect()
    }

    #[test]
    fn what_all_say_is_kept_once_and_the_rest_is_named() {
        let same: &[&str] = &["# event: cycles", "# unit: samples"];
        let other: &[&str] = &["# event: cpu-clock", "# unit: samples"];
        assert_eq!(merged(&[(same, 1), (&[], 1), (same, 1)]), same);
        let differing = headers(&[(same, 1), (other, 1)]);
        assert_eq!(differing.lines(), [b"# unit: samples"]);
        assert_eq!(differing.all("event"), [&b"cycles"[..], b"cpu-clock"]);
        assert_eq!(
            differing.differences(),
            ["inputs differ in '# event:', it is left out: # event: cycles; # event: cpu-clock"]
        );
        assert!(merged(&[]).is_empty());
    }

    #[test]
    fn lines_may_come_in_any_order_and_twice() {
        let lines = &["# rate: 99 Hz", "# unit: ns", "# event: b", "# event: a", "# unit: ns"];
        assert_eq!(
            merged(&[(lines, 1)]),
            ["# event: b", "# event: a", "# unit: ns", "# rate: 99 Hz"]
        );
    }

    #[test]
    fn lines_of_older_versions_become_those_of_today() {
        let old: &[&str] = &["# event: cpu-clock nanoseconds", "# unit: nanoseconds"];
        let new: &[&str] = &["# event: cpu-clock ns", "# unit: ns"];
        assert_eq!(merged(&[(old, 1), (new, 1)]), new);
        assert_eq!(merged(&[(&["# event: x 7"], 1)]), ["# event: x 7 (event)"]);
    }

    #[test]
    fn samples_of_inputs_add_up_if_all_are_known() {
        let samples = |inputs: &[(&str, u128)]| {
            let inputs: Vec<([&str; 1], u128)> =
                inputs.iter().map(|(line, weight)| ([*line], *weight)).collect();
            let inputs: Vec<(&[&str], u128)> =
                inputs.iter().map(|(lines, weight)| (&lines[..], *weight)).collect();
            headers(&inputs).samples()
        };
        assert_eq!(samples(&[("# samples: 7 samples", 70)]), Some(7));
        assert_eq!(samples(&[("# samples: 7", 70), ("# samples: 3 samples", 30)]), Some(10));
        // 9 samples that weigh 1 together matter little beside one that weighs 91.
        assert_eq!(samples(&[("# samples: 9", 9), ("# samples: 1", 91)]), Some(1));
        assert_eq!(samples(&[("# samples: 7", 70), ("# unit: ns", 30)]), None);
        assert_eq!(samples(&[("# samples: 7", 70), ("# unit: ns", 0)]), Some(7));
        assert_eq!(samples(&[("# samples: 0", 70)]), None);
    }

    #[test]
    fn samples_of_two_files_in_one_input_add_up_where_each_weighs_one() {
        let twice: &[&str] = &["# samples: 7 samples", "# samples: 3 samples"];
        assert_eq!(headers(&[(twice, 10)]).samples(), Some(10));
        assert_eq!(headers(&[(twice, 11)]).samples(), None);
    }

    #[test]
    fn parts_add_up_and_unknown_with_known_is_unknown() {
        let lost: &[&str] = &["# lost: 12 of 900 samples"];
        let more: &[&str] = &["# lost: 1 of 1,100 samples"];
        let (zero, other): (&[&str], &[&str]) =
            (&["# lost: 0 of 10 samples"], &["# lost: 1 of 9 frames"]);
        assert_eq!(merged(&[(lost, 9)]), lost);
        assert_eq!(merged(&[(lost, 9), (more, 9)]), ["# lost: 13 of 2,000 samples"]);
        assert_eq!(merged(&[(zero, 9), (zero, 9)]), ["# lost: 0 of 20 samples"]);
        // Also those of one input, such as what `cat` makes.
        let both = &[lost, more].concat();
        assert_eq!(merged(&[(both, 9)]), ["# lost: 13 of 2,000 samples"]);
        for unknown in [&[][..], &["# unit: ns"], other, &["# lost: many"]] {
            for inputs in [[(lost, 9), (unknown, 9)], [(unknown, 9), (lost, 9)]] {
                let merged = merged(&inputs);
                assert!(merged.iter().all(|line| !line.starts_with("# lost")), "{unknown:?}");
            }
        }
        // Nothing is missing in an input without stacks.
        assert_eq!(merged(&[(lost, 9), (&[], 0)]), lost);
        // All stacks may be lost.
        assert_eq!(merged(&[(more, 0), (lost, 9)]), ["# lost: 13 of 2,000 samples"]);
    }

    #[test]
    fn what_is_about_one_recording_is_unknown_for_several() {
        let one: &[&str] = &["# program: app", "# seconds: 9.57 s", "# threads: 4 threads"];
        let rest: &[&str] = &["# processors: 2 processors", "# rate: 999 Hz"];
        let all = [one, rest].concat();
        assert_eq!(merged(&[(&all, 5)]), all);
        let kept = [&one[..1], rest].concat();
        assert_eq!(merged(&[(&all, 5), (&all, 5)]), kept);
        let other = [&["# program: b"], &one[1..], rest].concat();
        assert_eq!(merged(&[(&all, 5), (&other, 5)]), rest);
        assert!(headers(&[(&all, 5), (&other, 5)]).differences().is_empty());
        assert!(merged(&[(&all, 5), (&[], 5)]).is_empty(), "an input that says nothing");
        // Two files that `cat` joined.
        let joined = [&one[..2], &["# seconds: 3 s"]].concat();
        assert_eq!(merged(&[(&joined, 5)]), one[..1]);
    }

    #[test]
    fn some_stacks_have_no_number_of_all() {
        let lines: &[&str] =
            &["# unit: ns", "# samples: 7", "# lost: 0 of 7 samples", "# threads: 1 thread"];
        assert_eq!(headers(&[(lines, 7)]).of_some_stacks().lines(), [b"# unit: ns"]);
    }

    #[test]
    fn two_profiles_in_one_file_have_two_numbers() {
        for line in ["# samples: 4021 3990", "# samples: 4,021 and 3,990 samples"] {
            let headers = headers(&[(&[line], 8000)]);
            assert_eq!(headers.samples_of_two(), Some([4021, 3990]), "{line}");
            assert_eq!(headers.samples(), None, "{line}");
            assert_eq!(headers.lines()[0].as_bstr(), "# samples: 4,021 and 3,990 samples");
        }
    }
}
