//! A table in Markdown, as pull requests show it.

use common::markdown::code;
use common::names::printable_name;

use super::{Change, Report};

pub(super) fn lines(report: &Report<'_>) -> Vec<Vec<u8>> {
    let mut lines = vec![report.summary("\u{2192}")];
    if !report.functions.is_empty() {
        let unit = report.unit.title();
        lines.push(String::new());
        lines.push(format!(
            "| function | self{unit} before | after | change | total{unit} before | after | change |"
        ));
        lines.push("|---|--:|--:|--:|--:|--:|--:|".to_owned());
    }
    for function in &report.functions {
        let name = code_in_cell(&printable_name(report.name(function)));
        let [own, total] = [function.own, function.total].map(|change| cells(report, &change));
        lines.push(format!("| {name} | {own} | {total} |"));
    }
    lines.into_iter().map(String::into_bytes).collect()
}

/// A change, with the difference in bold where noise does not explain it.
fn cells(report: &Report<'_>, change: &Change) -> String {
    if change.is_of_nothing() {
        return "| | ".to_owned();
    }
    let unit = &report.unit;
    let [before, after] = [change.before, change.after].map(|value| unit.number(value));
    let bold = if change.is_real { "**" } else { "" };
    let difference = unit.signed(change.difference());
    let error = unit.number(2.0 * change.error);
    format!("{before} | {after} | {bold}{difference}{bold} \u{b1}{error}")
}

/// A name as code in a cell, which a `|` would end: it has a backslash.
fn code_in_cell(name: &str) -> String {
    code(name).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_its_cell_or_its_code() {
        assert_eq!(code_in_cell("a"), "`a`");
        assert_eq!(code_in_cell("operator||"), "`operator\\|\\|`");
        assert_eq!(code_in_cell("<b>*x*"), "`<b>*x*`");
        assert_eq!(code_in_cell("a``b`"), "``` a``b` ```");
    }
}
