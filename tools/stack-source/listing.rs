//! The lines of a source that are listed: those that weigh something, and some around them.

use common::FrameWeights;

use crate::count::{Line, Part};
use crate::find::Source;

/// A row of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row<'a> {
    /// A line; its text is `None` where the source was not found or has no such line.
    Line { line: Line, text: Option<&'a [u8]> },
    /// Lines that are left out.
    Gap,
}

/// The lines of a part that weigh something, and if there is a source so many lines before and
/// after each. Where one line alone would be left out, it is listed.
pub(crate) fn rows<'a>(part: &Part, source: Option<&'a Source>, context: u32) -> Vec<Row<'a>> {
    let last = source.map_or(0, Source::len);
    let window = |line: &Line| match line.number {
        number if number == 0 || number > last => (number, number),
        number => (number.saturating_sub(context).max(1), number.saturating_add(context).min(last)),
    };
    let mut lines = part.lines.iter().copied().peekable();
    let mut rows = Vec::new();
    // The line after the last row, if that is one of the source.
    let mut next: Option<u32> = None;
    for (first, last) in part.lines.iter().map(window) {
        let first = match next {
            Some(next) if source.is_some() && first <= next.saturating_add(1) => next,
            _ => first,
        };
        let is_gap = source.is_some() && next.is_some_and(|next| first > next);
        rows.extend(is_gap.then_some(Row::Gap));
        for number in first..=last {
            let nothing = Line { number, weights: FrameWeights::default() };
            let line = lines.next_if(|line| line.number == number).unwrap_or(nothing);
            rows.push(Row::Line { line, text: source.and_then(|source| source.line(number)) });
        }
        next = next.max(Some(last.saturating_add(1)).filter(|_| last > 0));
    }
    rows
}

#[cfg(test)]
mod tests {
    use std::fs;

    use bstr::ByteSlice;

    use super::*;

    /// The numbers of the rows, with a star where the line weighs something.
    fn listed(numbers: &[u32], of: Option<u32>, context: u32) -> String {
        let weights = FrameWeights { self_weight: 1, total: 1 };
        let part = Part {
            function: Vec::new(),
            path: Vec::new(),
            weights,
            lines: numbers.iter().map(|&number| Line { number, weights }).collect(),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let source = of.map(|lines| {
            let text: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
            fs::write(folder.path().join("source"), text).expect("a file");
            Source::read(folder.path().join("source")).expect("a source")
        });
        let shown = |row: Row<'_>| match row {
            Row::Gap => "...".to_owned(),
            Row::Line { line, text } => {
                let expected = format!("line {}", line.number);
                let has_text = line.number > 0 && Some(line.number) <= of;
                assert_eq!(
                    text.map(ByteSlice::as_bstr),
                    has_text.then_some(expected.as_str().into())
                );
                let star = if line.weights.total > 0 { "*" } else { "" };
                format!("{}{star}", line.number)
            }
        };
        rows(&part, source.as_ref(), context).into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_around_are_listed_and_gaps_are_shown() {
        for (numbers, of, context, expected) in [
            (&[5][..], Some(9), 2, "3 4 5* 6 7"),
            (&[1, 9], Some(9), 2, "1* 2 3 ... 7 8 9*"),
            (&[1, 3], Some(9), 0, "1* 2 3*"),
            (&[1, 4], Some(9), 0, "1* ... 4*"),
            (&[2, 4, 5], Some(9), 1, "1 2* 3 4* 5* 6"),
            (&[0, 5], Some(9), 1, "0* 4 5* 6"),
            (&[9, 12], Some(9), 1, "8 9* ... 12*"),
            (&[5], Some(9), u32::MAX, "1 2 3 4 5* 6 7 8 9"),
            (&[0, 1, 3, 7], None, 2, "0* 1* 3* 7*"),
        ] {
            assert_eq!(listed(numbers, of, context), expected, "{numbers:?} {context}");
        }
    }
}
