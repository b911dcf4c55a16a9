//! Lines before the stacks that say what was counted.
//!
//! ```text
//! # event: cycles
//! # unit: samples
//! # source: perf-script
//! ```

use bstr::ByteSlice;

use crate::printable;

/// The keys of header lines, in the order in which they are written.
pub const HEADER_KEYS: [&str; 3] = ["event", "unit", "source"];

/// Returns the key and the value of a header line: `event` and `cycles` of
/// `# event: cycles`. `None` for other lines.
#[must_use]
pub fn parse_header(line: &[u8]) -> Option<(&'static str, &[u8])> {
    let (key, value) = line.strip_prefix(b"# ")?.split_once_str(": ")?;
    let key = HEADER_KEYS.into_iter().find(|known| known.as_bytes() == key)?;
    Some((key, value))
}

/// Makes a header line, without the LF.
#[must_use]
pub fn header_line(key: &str, value: &[u8]) -> Vec<u8> {
    let mut line = format!("# {key}: ").into_bytes();
    line.extend(value.iter().map(|byte| if byte.is_ascii_control() { b' ' } else { *byte }));
    line
}

/// The header lines of several inputs, of which those are kept that all of
/// these inputs have.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// The header of each input that has one; equal ones once.
    inputs: Vec<Vec<Vec<u8>>>,
}

impl Headers {
    /// Adds the header lines of one input. An input without any changes nothing.
    pub fn add(&mut self, lines: Vec<Vec<u8>>) {
        if !lines.is_empty() && !self.inputs.contains(&lines) {
            self.inputs.push(lines);
        }
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

    /// What the lines of any input say of `key`, each once.
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

    /// For each key on which the inputs differ, a message that names what they
    /// say.
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

    /// The distinct things that inputs say of `key`; each may be of several
    /// lines, or of none.
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
            headers.add(lines.iter().map(|line| line.as_bytes().to_vec()).collect());
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
}
