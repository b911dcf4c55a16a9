//! The strip in the static picture.

use std::fmt::Write;

use common::heat::{least_round, usual_most};
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
const LEAST_CELL: usize = 4;
const MARK_WIDTH: usize = 90;

/// The height of a row in the units of its curve, and the least height of a column: however little
/// ran, it is visible.
const ROW: u64 = 100;
const LEAST_HEIGHT: u64 = 6;

/// Some lanes, and each with the weights of its cells.
struct Row {
    name: String,
    /// How many lanes it shows together; 1 for one that has a name.
    lanes: u64,
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
        let units = count as u64 * ROW;
        let _ = write!(
            svg,
            "<desc>{}</desc><svg x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{}\" \
             viewBox=\"0 0 {steps} {units}\" preserveAspectRatio=\"none\" \
             shape-rendering=\"crispEdges\"><rect width=\"100%\" height=\"100%\" \
             fill=\"#f5f6f8\" class=\"ground\"/>",
            escape(self.summary()),
            count as u32 * height,
        );
        for path in self.curves(&rows, per_cell) {
            let _ = write!(svg, "\n<path class=\"curve\" fill=\"#8494a8\" d=\"{path}\"/>");
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
        let row = |name: String, lanes: u64, from: usize, to: usize| {
            let mut sums = vec![0; cells];
            for &(step, weight) in self.lanes[from..to].iter().flat_map(|lane| &lane.steps) {
                sums[step as usize / per_cell] += weight;
            }
            Row { name, lanes, cells: sums }
        };
        let lanes = (0..named).map(|at| row(self.lanes[at].name.clone(), 1, at, at + 1));
        let mut rows: Vec<Row> = lanes.collect();
        let all = self.lanes.len() + self.others.saturating_sub(1);
        if all > named {
            let others = (all - named) as u64;
            let name = format!("{} others", grouped(others));
            rows.push(row(name, others, named, self.lanes.len()));
        }
        rows
    }

    /// Each row as a curve of columns, in which a step is 1 wide. The row for the rest shows what one
    /// of them is on average, so that it is as high as the others.
    fn curves(&self, rows: &[Row], per_cell: usize) -> Vec<String> {
        let named = rows.iter().filter(|row| row.lanes == 1).flat_map(|row| &row.cells);
        let mut weights: Vec<u64> = named.copied().filter(|weight| *weight > 0).collect();
        weights.sort_unstable();
        let most = usual_most(&weights);
        let height_of = |weight: u64, lanes: u64| {
            let part = u128::from(weight / lanes) * u128::from(ROW) / u128::from(most);
            if weight == 0 { 0 } else { part.clamp(LEAST_HEIGHT.into(), ROW.into()) as u64 }
        };
        let curve = |(floor, row): (u64, &Row)| {
            let heights: Vec<u64> =
                row.cells.iter().map(|cell| height_of(*cell, row.lanes)).collect();
            let (mut path, mut at) = (format!("M0 {floor}"), 0);
            for run in heights.chunk_by(|one, other| one == other) {
                at += run.len();
                let end = (at * per_cell).min(self.steps as usize);
                let _ = write!(path, "V{}H{end}", floor - run[0]);
            }
            path + &format!("V{floor}z")
        };
        (1..).map(|row| row * ROW).zip(rows).map(curve).collect()
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
