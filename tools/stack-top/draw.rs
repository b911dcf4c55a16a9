//! The flame graph in the terminal: a row of cells for each depth, the roots at the
//! bottom.

use std::collections::HashMap;

use common::io::{Screen, Total, terminal_color};
use common::names::{CodeKind, FrameParts, code_kinds, fitted, printable_name, shortened};
use common::numbers::counted;
use common::stacks::{FrameId, shared_prefix};

use crate::Answer;
use crate::profile::Profile;

/// A frame that is at least one cell wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bar {
    frame: FrameId,
    /// The first cell, and the one after the last.
    start: usize,
    end: usize,
}

/// The bars of each depth, the roots first, from left to right.
struct Bars {
    rows: Vec<Vec<Bar>>,
}

impl Bars {
    /// A frame starts and ends at the nearest cell, so no edge is more than half a cell off, and a
    /// frame is exactly on top of its caller.
    fn of(profile: &Profile, columns: usize) -> Bars {
        let whole = u128::from(profile.total);
        let cell = |weight: u64| {
            ((u128::from(weight) * columns as u128 * 2 + whole) / (whole * 2)) as usize
        };
        let mut bars = Bars { rows: Vec::new() };
        let mut last: &[FrameId] = &[];
        // The frames of the last stack, and the weight to the left of each.
        let mut open: Vec<(FrameId, u64)> = Vec::new();
        let mut now = 0;
        for stack in profile.stacks.iter().filter(|stack| stack.weight > 0) {
            let shared = shared_prefix(last, stack.frames);
            bars.close(&mut open, shared, cell(now), cell);
            open.extend(stack.frames[shared..].iter().map(|&frame| (frame, now)));
            now += stack.weight;
            last = stack.frames;
        }
        bars.close(&mut open, 0, cell(now), cell);
        bars
    }

    /// Ends the open frames from this depth on.
    fn close(
        &mut self,
        open: &mut Vec<(FrameId, u64)>,
        depth: usize,
        end: usize,
        cell: impl Fn(u64) -> usize,
    ) {
        for (&(frame, start), row) in open[depth..].iter().zip(depth..) {
            let start = cell(start);
            if start < end {
                if self.rows.len() <= row {
                    self.rows.resize_with(row + 1, Vec::new);
                }
                self.rows[row].push(Bar { frame, start, end });
            }
        }
        open.truncate(depth);
    }
}

/// The picture, as large as the screen, and in a line at the bottom the whole.
pub(crate) fn draw(profile: &Profile, screen: &Screen) -> Answer {
    let columns = screen.width_of_drawing();
    let bars = Bars::of(profile, columns);
    let names = bars.rows.iter().flatten().map(|bar| profile.name(bar.frame));
    let kinds: HashMap<&[u8], CodeKind> = names.clone().zip(code_kinds(names)).collect();
    let mut lines = Vec::new();
    let rows = rows_to_draw(&bars, profile, screen);
    let more = (bars.rows.len() - rows.len()) as u64;
    if more > 0 {
        lines.push(counted(more, "more levels").into_bytes());
    }
    for row in rows.iter().rev() {
        let mut line = Vec::new();
        let mut column = 0;
        for bar in row {
            line.resize(line.len() + bar.start - column, b' ');
            append_bar(bar, profile, kinds[profile.name(bar.frame)], screen, &mut line);
            column = bar.end;
        }
        lines.push(line);
    }
    let whole = format!("all: {}", profile.unit.words(profile.total));
    lines.push(shortened(&whole, columns).into_bytes());
    let mut text = lines.join(&b'\n');
    text.push(b'\n');
    let frames = bars.rows.iter().map(Vec::len).sum::<usize>() as u64;
    Answer::new(text, Total { lines: frames, weight: profile.total.into() })
}

/// The levels for which there is room, up to the last one with a name: above it there are only
/// thin towers. All of them if no bar has room for its name.
fn rows_to_draw<'a>(bars: &'a Bars, profile: &Profile, screen: &Screen) -> &'a [Vec<Bar>] {
    let has_name = |row: &Vec<Bar>| row.iter().any(|bar| !label(bar, profile).is_empty());
    let all = bars.rows.len();
    let named = bars.rows.iter().rposition(has_name).map_or(all, |last| last + 1);
    // The prompt and the whole take a line each.
    let room = screen.rows.map_or(usize::MAX, |rows| rows.saturating_sub(2).max(1));
    // So does the number of levels that are missing.
    let shown = if named.min(room) == all { all } else { named.min(room - 1) };
    &bars.rows[..shown]
}

/// What a bar has room to say.
fn label(bar: &Bar, profile: &Profile) -> String {
    let name = FrameParts::of(profile.name(bar.frame)).name;
    fitted(&printable_name(name), bar.end - bar.start - 1)
}

/// In colours a bar begins with a thin line, so that neighbours of one colour are
/// told apart; without, `|main_____` shows where it ends, too.
fn append_bar(bar: &Bar, profile: &Profile, kind: CodeKind, screen: &Screen, out: &mut Vec<u8>) {
    let room = bar.end - bar.start - 1;
    let name = profile.name(bar.frame);
    let text = label(bar, profile);
    let fill = room.saturating_sub(console::measure_text_width(&text));
    if screen.has_colors {
        let color = terminal_color(kind.color(name));
        let bar = format!("\x1b[38;5;16;48;5;{color}m\u{258f}{text}{:fill$}\x1b[0m", "");
        out.extend_from_slice(bar.as_bytes());
    } else {
        out.extend_from_slice(format!("|{text}{:_<fill$}", "").as_bytes());
    }
}
