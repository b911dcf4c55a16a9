//! The data that stack-svg writes for its script: names, one per line, and frames as numbers.

use common::{Error, Result, numbers::hexadecimal, stacks::FrameId};
use quick_xml::events::BytesStart;

use crate::read::xml::attribute;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

/// The data in the picture.
#[derive(Default)]
pub(super) struct Embedded {
    /// The names of frames, with escapes such as `\xAD`.
    pub(super) names: Vec<u8>,
    /// The frames, parents before their children. Each is stored as: four times the index of its
    /// name, plus 2 if the next number is there, plus 1 if the one after it is; how many levels its
    /// parent is above the frame before; its own weight; and the numbers that the flags below add.
    /// The first is the whole picture and has only weights.
    pub(super) frames: Vec<u8>,
    /// Whether each frame is stored as version 0.3 did: how many levels its parent is above the
    /// frame before, the index of its name, its own weight, and further numbers as above.
    pub(super) is_old: bool,
    unit: Vec<u8>,
    /// Whether every frame except the first has a number for where it begins.
    is_chart: bool,
    /// Whether frames have a number for the part of the weight that is of the first of two
    /// profiles.
    is_diff: bool,
    /// A text that says what was left out.
    cut: Vec<u8>,
}

impl Embedded {
    pub(super) fn set_facts(&mut self, tag: &BytesStart<'_>) {
        let fact = |name: &str| attribute(tag, name.as_bytes()).into_owned();
        self.unit = fact("data-unit");
        self.is_chart = !fact("data-chart").is_empty();
        self.is_diff = !fact("data-diff").is_empty();
        self.cut = fact("data-cut");
    }

    pub(super) fn is_there(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Adds the stacks, each with the own weight of its last frame.
    pub(super) fn add(&self, name: &str, samples: &mut Samples<'_>) -> Result<()> {
        if !self.cut.is_empty() {
            samples.note(String::from_utf8_lossy(&self.cut));
        }
        let [after, before] =
            [b"after", b"before".as_slice()].map(|name| Measure { name, unit: &self.unit });
        match self.is_diff {
            true => samples.events.set_measures(&[after, before]),
            false => samples.events.set_measures(&[Measure { name: b"", unit: &self.unit }]),
        };
        let names = self.names.split(|&byte| byte == b'\n').map(unescaped);
        let names: Vec<FrameId> = names.map(|name| samples.frame(&name)).collect();
        let mut numbers = Numbers { text: &self.frames, at: 0 };
        let mut stack = Vec::new();
        while numbers.at < self.frames.len() {
            let start = numbers.at;
            let Some(weights) = self.next_frame(&names, &mut numbers, &mut stack) else {
                let what = format!(
                    "frame data, byte {start}: expected a frame below the ones before; \
                     what came before is kept"
                );
                return Err(Error::Unknown { name: name.to_owned(), what });
            };
            let weights = if self.is_diff { &weights[..] } else { &weights[..1] };
            if weights.iter().any(|&weight| weight > 0) {
                samples.add(&Sample { weights, ..Sample::default() }, &stack)?;
            }
        }
        Ok(())
    }

    /// Reads a frame: changes `stack` to that of the frame, and returns its own weights, that of
    /// the last profile first. `None` if it is damaged.
    fn next_frame(
        &self,
        names: &[FrameId],
        numbers: &mut Numbers<'_>,
        stack: &mut Vec<FrameId>,
    ) -> Option<[u64; 2]> {
        let is_first = numbers.at == 0;
        let [up, name, own] = match (is_first, self.is_old) {
            (true, _) => [0, 0, numbers.next()?],
            (false, true) => [numbers.next()?, numbers.next()?, numbers.next()?],
            (false, false) => {
                let code = numbers.next()?;
                let up = if code & 2 > 0 { numbers.next()? } else { 0 };
                [up, code >> 2, if code & 1 > 0 { numbers.next()? } else { 0 }]
            }
        };
        if !is_first {
            stack.truncate(stack.len().checked_sub(usize::try_from(up).ok()?)?);
            stack.push(*names.get(usize::try_from(name).ok()?)?);
        }
        if self.is_chart && !is_first {
            numbers.next()?;
        }
        let before = if self.is_diff { numbers.next()? } else { 0 };
        Some([own.checked_sub(before)?, before])
    }
}

/// Numbers in base 32, the lowest digit first. Only the last digit of a number is below 32, which
/// marks its end.
struct Numbers<'a> {
    text: &'a [u8],
    at: usize,
}

impl Numbers<'_> {
    /// `None` where a number is cut short or does not fit.
    fn next(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u128, 0);
        loop {
            let digit = digit(*self.text.get(self.at)?)?;
            self.at += 1;
            number |= u128::from(digit & 31) << shift;
            shift += 5;
            match digit {
                ..32 => return u64::try_from(number).ok(),
                _ if shift > 64 => return None,
                _ => {}
            }
        }
    }
}

fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'z' => byte - b'a' + 10,
        b'A'..=b'Z' => byte - b'A' + 36,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

/// The bytes of a name: `\xAD` stands for a byte that could not be shown.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        let byte = escaped_byte(rest);
        name.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &rest[4..] } else { behind };
    }
    name
}

/// The byte of an escape sequence at the start of a text.
fn escaped_byte(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"\\x")?.get(..2)?;
    let is_escape = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'A'..=b'F'));
    if is_escape { u8::try_from(hexadecimal(digits)?).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_by_themselves() {
        let read = |text: &str| {
            let mut numbers = Numbers { text: text.as_bytes(), at: 0 };
            std::iter::from_fn(|| numbers.next()).collect::<Vec<_>>()
        };
        assert_eq!(read("0vw1_v____________f"), [0, 31, 32, 1023, u64::MAX]);
        for text in ["", "w", "____________g", "_____________f", "!", "\u{e9}"] {
            assert!(read(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn escapes_are_bytes() {
        for (text, name) in [
            (r"caml\xADTree", &b"caml\xadTree"[..]),
            (r"a\x5CxADb\x", br"a\xADb\x"),
            (r"\\xAD\xad", b"\\\xad\\xad"),
            (r"\xA", br"\xA"),
        ] {
            assert_eq!(unescaped(text.as_bytes()), name, "{text}");
        }
    }
}
