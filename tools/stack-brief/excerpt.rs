//! Lines of source with what is charged to them.

use common::sources::{Source, Sources};

use crate::rows::{Line, Row};

/// How many lines an excerpt has at least, if the source is known, and at most.
const FEWEST: usize = 5;
const MOST: usize = 8;

/// A line with less, in percent of what its function is charged with, is not shown for itself.
const LEAST: u128 = 3;

/// The lines of a row that are shown, in the order of their numbers: the heaviest, and others around
/// them.
pub(crate) fn lines<'p>(row: &Row<'p>, sources: &Sources) -> Vec<Line<'p>> {
    let source = sources.get(row.file);
    let of_file = row.lines.iter().filter(|line| line.path == row.file);
    let heavy: Vec<&Line<'p>> = of_file.filter(|line| is_heavy(line, row)).take(MOST).collect();
    let mut numbers: Vec<u32> = heavy.iter().map(|line| line.number).collect();
    if let Some(source) = source {
        // Around the heaviest first: nearer lines before lines that are further away.
        let around = (1..FEWEST as u32).flat_map(|by| {
            heavy.iter().flat_map(move |line| [line.number.saturating_sub(by), line.number + by])
        });
        for number in around {
            // A brace alone says nothing.
            let says = |text: &[u8]| text.iter().any(u8::is_ascii_alphanumeric);
            let is_text = source.line(number).is_some_and(says);
            if numbers.len() < FEWEST && !numbers.contains(&number) && is_text {
                numbers.push(number);
            }
        }
    }
    numbers.sort_unstable();
    let nothing = vec![0; row.charged.weights.len()];
    let line = |number: u32| {
        let known = row.lines.iter().find(|line| line.number == number && line.path == row.file);
        known.cloned().unwrap_or(Line { path: row.file, number, rank: 0, weights: nothing.clone() })
    };
    numbers.into_iter().map(line).collect()
}

/// Whether a line has enough of what is charged to its function, in any column.
fn is_heavy(line: &Line<'_>, row: &Row<'_>) -> bool {
    let is_much =
        |part: u64, whole: u64| part > 0 && u128::from(part) * 100 >= u128::from(whole) * LEAST;
    let mut columns = line.weights.iter().zip(&row.charged.weights);
    is_much(line.rank, row.charged.rank) || columns.any(|(part, whole)| is_much(*part, *whole))
}

/// The text of a line without what all of these are indented by; `None` if the source is not known.
pub(crate) fn texts(lines: &[Line<'_>], source: Option<&Source>) -> Vec<Option<String>> {
    let readable = |line: &Line<'_>| {
        source.and_then(|source| source.line(line.number)).map(common::sources::readable)
    };
    let texts: Vec<Option<String>> = lines.iter().map(readable).collect();
    let indents = texts.iter().flatten().filter(|text| !text.trim().is_empty());
    let indent = indents.map(|text| text.len() - text.trim_start().len()).min().unwrap_or_default();
    texts.into_iter().map(|text| Some(text?.get(indent..).unwrap_or_default().to_owned())).collect()
}
