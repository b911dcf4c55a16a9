//! The map in letters: each cell is a letter, darker for more weight.

use common::heat::{SHADES, terminal_shade};
use common::io::Screen;
use common::numbers::{Unit, grouped, seconds};

use crate::by::By;
use crate::heat::Heat;

/// From no weight to the darkest shade, in a pipe and on a terminal without colours.
const ASCII: [char; SHADES + 1] = [' ', '.', ':', '-', '=', '+', '*', '#', '@'];
const BLOCKS: [char; SHADES + 1] = [
    ' ', '\u{2591}', '\u{2591}', '\u{2592}', '\u{2592}', '\u{2593}', '\u{2593}', '\u{2588}',
    '\u{2588}',
];

/// How wide names, and starts of fractions, may be.
const NAME: usize = 24;
const FRACTION: usize = 10;

/// The lines below the map, and the prompt.
const BELOW: usize = 4;

/// The room for a time below the map.
const MARK: usize = 12;

/// How many columns fit beside the names.
pub(crate) fn most_columns(screen: &Screen, by: Option<&By>) -> u64 {
    let gutter = if by.is_some() { NAME } else { FRACTION } + 2;
    screen.width_of_drawing().saturating_sub(gutter).max(MARK) as u64
}

/// How many rows fit. The map may have a half, a fifth or a tenth of them.
pub(crate) fn most_rows(screen: &Screen) -> u32 {
    let room = screen.rows.map_or(usize::MAX, |rows| rows.saturating_sub(BELOW));
    [20, 10].into_iter().find(|&rows| rows as usize <= room).unwrap_or(5)
}

/// The map, the times below it, and what the letters mean.
pub(crate) fn draw(heat: &Heat, unit: &str, screen: &Screen) -> Vec<u8> {
    let names = names(heat);
    let gutter = names.iter().map(|name| console::measure_text_width(name)).max().unwrap_or(0);
    let mut text = String::new();
    // Fractions grow upwards, as on every axis; of names the first is on top.
    let mut order: Vec<usize> = (0..heat.lines.len()).collect();
    if heat.by.is_none() {
        order.reverse();
    }
    for line in order {
        let fill = gutter - console::measure_text_width(&names[line]);
        let (before, after) = if heat.by.is_some() { (0, fill) } else { (fill, 0) };
        text.push_str(&format!("{:before$}{}{:after$} |", "", names[line], ""));
        let weights = heat.lines[line].weights(heat.columns);
        let shades = weights.iter().map(|&weight| heat.shades.of_weight(weight));
        let cells: Vec<usize> = shades.collect();
        // No blanks at the end of a line, as editors and diff would show them.
        let end = cells.iter().rposition(|&shade| shade > 0).map_or(0, |last| last + 1);
        push_cells(&cells[..end], screen, &mut text);
        text.push('\n');
    }
    push_marks(heat, gutter, &mut text);
    push_legend(heat, &Unit::named(unit), screen, &mut text);
    text.into_bytes()
}

/// The text before each row.
fn names(heat: &Heat) -> Vec<String> {
    let rows = 0..heat.lines.len();
    rows.map(|row| heat.name(row, NAME).unwrap_or_default()).collect()
}

fn push_cells(cells: &[usize], screen: &Screen, text: &mut String) {
    for run in cells.chunk_by(|one, other| one == other) {
        match run[0] {
            shade @ 1.. if screen.has_colors => {
                let color = terminal_shade(shade);
                text.push_str(&format!("\x1b[48;5;{color}m{:1$}\x1b[0m", "", run.len()));
            }
            shade => text.extend(std::iter::repeat_n(letter(shade, screen), run.len())),
        }
    }
}

fn letter(shade: usize, screen: &Screen) -> char {
    (if screen.columns.is_some() { BLOCKS } else { ASCII })[shade]
}

/// The times below the columns.
fn push_marks(heat: &Heat, gutter: usize, text: &mut String) {
    let mut line = " ".repeat(gutter + 2);
    for (column, time) in heat.marks(heat.columns / MARK) {
        let at = gutter + 2 + column as usize;
        line.extend(std::iter::repeat_n(' ', at.saturating_sub(line.len())));
        line.push_str(&format!("{} s", seconds(time)));
    }
    text.push_str(&line);
    text.push('\n');
}

fn push_legend(heat: &Heat, unit: &Unit, screen: &Screen, text: &mut String) {
    text.push_str(&format!("a column is {} s", seconds(heat.width)));
    if heat.by.is_none() {
        text.push_str(&format!(", {} rows of it", heat.per_column));
    }
    text.push_str(&format!(", all {}\n", unit.words(heat.total)));
    const HEAD: &str = "cells: ";
    text.push_str(HEAD);
    let mut room = screen.width_of_drawing().saturating_sub(HEAD.len());
    for (shade, least, most) in heat.shades.legend() {
        let range = match unit {
            _ if least == most => unit.number(most),
            Unit::Things(_) | Unit::Unknown => format!("{}-{}", grouped(least), grouped(most)),
            _ => format!("to {}", unit.number(most)),
        };
        // Two letters and three spaces.
        let width = range.len() + 5;
        if width > room {
            text.truncate(text.trim_end().len());
            text.push('\n');
            room = screen.width_of_drawing();
        }
        room = room.saturating_sub(width);
        push_cells(&[shade, shade], screen, text);
        text.push_str(&format!(" {range}  "));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
}
