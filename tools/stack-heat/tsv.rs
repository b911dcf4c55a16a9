//! The cells of the map for programs: a table with tabs between its columns.

use common::{io::append_row, numbers::seconds};

use crate::by::By;
use crate::heat::Heat;

/// A row for each cell that weighs something, in the order of time.
pub(crate) fn rows(heat: &Heat) -> Vec<u8> {
    let key = heat.by.as_ref().map(By::key);
    let mut text = Vec::new();
    append(["since", "until"], key, "weight", &mut text);
    let mut cells: Vec<(usize, usize, u64)> = Vec::new();
    for (row, line) in heat.lines.iter().enumerate() {
        cells.extend(line.cells.iter().map(|&(column, weight)| (column, row, weight)));
    }
    cells.sort_unstable();
    for (column, row, weight) in cells {
        let (start, end) = (heat.start(column, row), heat.end_of(column, row));
        let times = [seconds(start), seconds(end)];
        let value = key.map(|_| &*heat.lines[row].value);
        append(times.each_ref().map(String::as_str), value, &weight.to_string(), &mut text);
    }
    text
}

fn append(times: [&str; 2], value: Option<&str>, weight: &str, text: &mut Vec<u8>) {
    let fields: Vec<&str> = times.into_iter().chain(value).chain([weight]).collect();
    append_row(&fields, text);
}
