//! The lines that are listed: those that weigh something, and some around them.

use common::stacks::FrameWeights;

use crate::count::Line;

/// A row of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Line(Line),
    /// Lines that are left out.
    Gap,
}

/// The lines that weigh something and, if it is known how many lines there are, `context` lines
/// before and after each. Where one line alone would be left out, it is listed.
pub(crate) fn rows(lines: &[Line], last: Option<u32>, context: u32) -> Vec<Row> {
    let window = |line: &Line| match last {
        Some(last) if (1..=last).contains(&line.number) => {
            let first = line.number.saturating_sub(context).max(1);
            (first, line.number.saturating_add(context).min(last))
        }
        _ => (line.number, line.number),
    };
    let mut weighty = lines.iter().copied().peekable();
    let mut rows = Vec::new();
    // The line after the last row, if that is one of the source.
    let mut next: Option<u32> = None;
    for (first, end) in lines.iter().map(window) {
        let first = match next {
            Some(next) if last.is_some() && first <= next.saturating_add(1) => next,
            _ => first,
        };
        let is_gap = last.is_some() && next.is_some_and(|next| first > next);
        rows.extend(is_gap.then_some(Row::Gap));
        for number in first..=end {
            let nothing = Line { number, weights: FrameWeights::default() };
            rows.push(Row::Line(weighty.next_if(|line| line.number == number).unwrap_or(nothing)));
        }
        next = next.max(Some(end.saturating_add(1)).filter(|_| end > 0));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the rows, with a star where the line weighs something.
    fn listed(numbers: &[u32], last: Option<u32>, context: u32) -> String {
        let weights = FrameWeights { self_weight: 1, total: 1 };
        let lines: Vec<Line> = numbers.iter().map(|&number| Line { number, weights }).collect();
        let shown = |row| match row {
            Row::Gap => "...".to_owned(),
            Row::Line(line) if line.weights.total > 0 => format!("{}*", line.number),
            Row::Line(line) => line.number.to_string(),
        };
        rows(&lines, last, context).into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_around_are_listed_and_gaps_are_shown() {
        for (numbers, last, context, expected) in [
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
            assert_eq!(listed(numbers, last, context), expected, "{numbers:?} {context}");
        }
    }
}
