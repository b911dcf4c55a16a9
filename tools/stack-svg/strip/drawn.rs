//! The strip in the static picture.

use std::fmt::Write;

use common::heat::{COLORS, SHADES, Shades, least_round};
use common::names::shortened;
use common::numbers::{grouped, seconds};
use quick_xml::escape::escape;

use crate::look::{LETTER_WIDTH, Look, SIDES};

use super::Strip;

/// How many lanes are drawn; with more, the last one is the sum of the rest.
const MOST_DRAWN: usize = 8;

/// Names get the width divided by this, and at most [`LETTERS`] letters.
const NAMES: usize = 8;
const LETTERS: usize = 24;

/// The least width of a cell, and the least distance of times, in pixels.
const LEAST_CELL: usize = 2;
const MARK_WIDTH: usize = 90;

/// Some lanes, and each with the weights of its cells.
struct Row {
    name: String,
    is_rest: bool,
    cells: Vec<u64>,
}

impl Strip {
    /// The height of the strip in pixels.
    pub(crate) fn height(&self, look: &Look) -> u32 {
        // A row of times, and some room.
        (self.lanes.len().min(MOST_DRAWN) as u32 + 2) * row_height(look)
    }

    /// The strip as SVG, from `top` on.
    pub(crate) fn draw(&self, look: &Look, top: u32) -> String {
        let left = SIDES / 2 + look.frames_width() / NAMES;
        let width = look.frames_width() - look.frames_width() / NAMES;
        let per_cell = (self.steps as usize * LEAST_CELL).div_ceil(width.max(1)).max(1);
        let rows = self.rows(per_cell);
        let height = row_height(look);
        let mut svg = String::from("\n<svg class=\"strip\">");
        let (count, steps) = (rows.len(), self.steps);
        let _ = write!(
            svg,
            "<desc>{}</desc><svg x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{}\" \
             viewBox=\"0 0 {steps} {count}\" preserveAspectRatio=\"none\" \
             shape-rendering=\"crispEdges\"><rect width=\"100%\" height=\"100%\" \
             fill=\"#f5f6f8\" class=\"ground\"/>",
            escape(self.summary()),
            count as u32 * height,
        );
        for (shade, path) in self.paths(&rows, per_cell).iter().enumerate() {
            if !path.is_empty() {
                let (class, fill) = (shade + 1, COLORS[shade]);
                let _ = write!(svg, "\n<path class=\"s{class}\" fill=\"{fill}\" d=\"{path}\"/>");
            }
        }
        svg.push_str("</svg>");
        let letters = (left as f64 / (f64::from(look.font_size) * LETTER_WIDTH)) as usize;
        for (row, y) in rows.iter().zip((1..).map(|row| top + row * height - height / 4)) {
            let name = shortened(&row.name, letters.saturating_sub(2).min(LETTERS));
            push_text(left - 6, y, "end", &name, &mut svg);
        }
        self.push_times(left, width, top + (count as u32 + 1) * height - height / 4, &mut svg);
        svg.push_str("</svg>");
        svg
    }

    /// What the strip shows, in words.
    fn summary(&self) -> String {
        let end = self.length();
        format!("what ran in {} s, a step is {} s", seconds(end), seconds(self.width))
    }

    /// The heaviest lanes, and the sum of the rest.
    fn rows(&self, per_cell: usize) -> Vec<Row> {
        let named = if self.lanes.len() > MOST_DRAWN { MOST_DRAWN - 1 } else { self.lanes.len() };
        let cells = (self.steps as usize).div_ceil(per_cell);
        let row = |name: String, is_rest: bool, from: usize, to: usize| {
            let mut sums = vec![0; cells];
            for &(step, weight) in self.lanes[from..to].iter().flat_map(|lane| &lane.steps) {
                sums[step as usize / per_cell] += weight;
            }
            Row { name, is_rest, cells: sums }
        };
        let lanes = (0..named).map(|at| row(self.lanes[at].name.clone(), false, at, at + 1));
        let mut rows: Vec<Row> = lanes.collect();
        let all = self.lanes.len() + self.others.saturating_sub(1);
        if all > named {
            let name = format!("{} others", grouped((all - named) as u64));
            rows.push(row(name, true, named, self.lanes.len()));
        }
        rows
    }

    /// The cells of each shade as one path, in which a step is 1 wide and a lane 1 high.
    fn paths(&self, rows: &[Row], per_cell: usize) -> Vec<String> {
        // The row for the rest is left out: it could be so dark that all named rows are pale.
        let named = rows.iter().filter(|row| !row.is_rest);
        let shades = Shades::of(named.flat_map(|row| &row.cells).copied().collect());
        let mut paths = vec![String::new(); SHADES];
        for (y, row) in rows.iter().enumerate() {
            let cells: Vec<usize> = row.cells.iter().map(|&cell| shades.of_weight(cell)).collect();
            let mut at = 0;
            for run in cells.chunk_by(|one, other| one == other) {
                let (from, to) = (at * per_cell, (at + run.len()) * per_cell);
                let width = to.min(self.steps as usize) - from;
                if run[0] > 0 {
                    let _ = write!(paths[run[0] - 1], "M{from} {y}h{width}v1h-{width}z");
                }
                at += run.len();
            }
        }
        paths
    }

    fn push_times(&self, left: usize, width: usize, y: u32, svg: &mut String) {
        let end = self.length();
        let most = (width / MARK_WIDTH).max(1) as u64;
        let step = least_round(|step| end / step < most);
        for time in (0..end).step_by(step as usize) {
            let x = left + (u128::from(time) * width as u128 / u128::from(end)) as usize;
            let text = format!("{} s", seconds(time));
            if x + text.len() * 8 <= left + width {
                push_text(x, y, "start", &text, svg);
            }
        }
    }
}

/// As high as a letter and some room.
fn row_height(look: &Look) -> u32 {
    look.font_size * 4 / 3
}

fn push_text(x: usize, y: u32, anchor: &str, text: &str, svg: &mut String) {
    let text = escape(text);
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" class=\"note\" fill=\"#59636e\" \
         text-anchor=\"{anchor}\">{text}</text>"
    );
}
