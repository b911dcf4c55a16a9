//! Tab-separated values, as pandas, DuckDB and R read them.

use common::io::push_field;

use super::{Change, Report};

/// The row of the whole, only with --absolute: otherwise it is always 100 %.
const WHOLE: &str = "[whole]";

pub(super) fn lines(report: &Report<'_>) -> Vec<Vec<u8>> {
    let columns = |of: &str| {
        ["before", "after", "diff", "error", "listed"].map(|column| format!("{of}_{column}"))
    };
    let [own, total] = ["self", "total"].map(|of| columns(of).join("\t"));
    let mut lines = vec![format!("function\t{own}\t{total}").into_bytes()];
    if report.comparison.absolute {
        let nothing = "\t".repeat(4);
        let whole = cells(&report.comparison.whole);
        lines.push(format!("{WHOLE}\t{nothing}\t{whole}").into_bytes());
    }
    for function in &report.functions {
        let [own, total] = [function.own, function.total].map(|change| cells(&change));
        let mut line = Vec::new();
        push_field(&report.name_as_text(function), &mut line);
        line.extend_from_slice(format!("\t{own}\t{total}").as_bytes());
        lines.push(line);
    }
    lines
}

fn cells(change: &Change) -> String {
    let numbers = [change.before, change.after, change.difference(), 2.0 * change.error];
    let numbers = numbers.map(|number| format!("{number:.4}")).join("\t");
    format!("{numbers}\t{}", u8::from(change.is_real))
}
