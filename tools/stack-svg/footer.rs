//! The lines below the boxes: what the picture shows, what it leaves out, and
//! what its colours mean.

use std::io;

use inferno::flamegraph::color::Color;
use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};

use crate::look::LETTER_WIDTH;

/// A grey that is dark enough to be read.
const INK: &str = "rgb(96,96,96)";

/// The left edge, which is also that of the boxes, in pixels.
const LEFT: f64 = 10.0;

/// The least distance between two weights of an axis, in pixels.
const MARK_WIDTH: f64 = 90.0;

/// How wide a legend may be in a wide picture: the window may show less of it.
const LEGEND_WIDTH: f64 = 560.0;

/// Rows of text.
pub(crate) struct Footer {
    rows: Vec<Vec<Note>>,
    font_size: f64,
    /// Where the rows must end, in pixels from the left.
    right: f64,
}

/// Some words, and the colour that they explain.
struct Note {
    x: f64,
    color: Option<Color>,
    text: String,
    /// What a pointer over it shows, if anything.
    more: Option<String>,
}

impl Footer {
    /// A footer without rows, below frames that are `pixels` wide together.
    pub(crate) fn new(font_size: u32, pixels: usize) -> Footer {
        let right = LEFT + pixels as f64;
        Footer { rows: Vec::new(), font_size: f64::from(font_size), right }
    }

    /// Adds a row of words, or several if the picture is too narrow for one.
    pub(crate) fn push_line(&mut self, text: &str) {
        let letters = (self.right - LEFT) / (self.font_size * LETTER_WIDTH);
        for text in wrapped(text, letters as usize) {
            self.rows.push(vec![Note { x: LEFT, color: None, text, more: None }]);
        }
    }

    /// Adds a row of words, or several, over which a pointer shows more.
    pub(crate) fn push_note(&mut self, text: &str, more: &str) {
        let first = self.rows.len();
        self.push_line(text);
        self.rows[first..].iter_mut().flatten().for_each(|note| note.more = Some(more.to_owned()));
    }

    /// Adds a row of weights or times from 0 to `total`, as the axis of a flame chart.
    pub(crate) fn push_axis(&mut self, total: u64, words: impl Fn(u64) -> String) {
        let mut row = Vec::new();
        let pixels = self.right - LEFT;
        for weight in (0..u128::from(total)).step_by(step_of(total, pixels)) {
            let text = words(weight as u64);
            let x = LEFT + pixels * (weight as f64 / total as f64);
            if x + text.len() as f64 * self.font_size * LETTER_WIDTH <= self.right {
                row.push(Note { x, color: None, text, more: None });
            }
        }
        self.rows.push(row);
    }

    /// Adds rows of colours and what they mean.
    pub(crate) fn push_legend(&mut self, entries: impl Iterator<Item = (Color, String)>) {
        let mut row = Vec::new();
        let mut x = LEFT;
        for (color, text) in entries {
            // The square takes two letters, and the space after the words two more.
            let letter = self.font_size * LETTER_WIDTH;
            let width = (text.len() as f64 + 2.0) * letter;
            if x + width > self.right.min(LEGEND_WIDTH) && !row.is_empty() {
                self.rows.push(std::mem::take(&mut row));
                x = LEFT;
            }
            row.push(Note { x, color: Some(color), text, more: None });
            x += width + 2.0 * letter;
        }
        if !row.is_empty() {
            self.rows.push(row);
        }
    }

    /// The height of all rows in pixels.
    pub(crate) fn height(&self) -> u32 {
        self.step() * self.rows.len() as u32
    }

    /// The height of a row in pixels.
    fn step(&self) -> u32 {
        (self.font_size * 1.5) as u32
    }

    /// Writes the rows so that they end at the `bottom` of the picture.
    pub(crate) fn write(&self, bottom: u32, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let mut y = f64::from(bottom - self.height());
        for row in &self.rows {
            for note in row {
                self.write_note(note, y, writer)?;
            }
            y += f64::from(self.step());
        }
        Ok(())
    }

    fn write_note(&self, note: &Note, y: f64, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let mut x = note.x;
        if let Some(Color { r, g, b }) = note.color {
            let size = (self.font_size * 0.8).round();
            let square = [
                ("x", format!("{x:.0}")),
                ("y", format!("{:.0}", y - size + 1.0)),
                ("width", format!("{size}")),
                ("height", format!("{size}")),
                ("fill", format!("rgb({r},{g},{b})")),
            ];
            let square = square.iter().map(|(key, value)| (*key, value.as_str()));
            writer.create_element("rect").with_attributes(square).write_empty()?;
            x += 2.0 * self.font_size * LETTER_WIDTH;
        }
        let place = [
            ("x", &*format!("{x:.0}")),
            ("y", &*format!("{y:.0}")),
            ("fill", INK),
            ("class", "note"),
        ];
        let words = writer.create_element("text").with_attributes(place);
        let Some(more) = &note.more else {
            words.write_text_content(BytesText::new(&note.text))?;
            return Ok(());
        };
        words.write_inner_content(|writer| {
            let title = writer.create_element("title");
            title.write_text_content(BytesText::new(more))?;
            writer.write_event(Event::Text(BytesText::new(&note.text)))
        })?;
        Ok(())
    }
}

/// The step between two weights of an axis: 1, 2 or 5 times a power of ten.
fn step_of(total: u64, pixels: f64) -> usize {
    let least = total as f64 / pixels * MARK_WIDTH;
    let powers = (0..20).map(|power| 10_usize.saturating_pow(power));
    let mut steps = powers.flat_map(|power| [1, 2, 5].map(|one| power.saturating_mul(one)));
    steps.find(|&step| step as f64 >= least).unwrap_or(usize::MAX)
}

/// The text in lines of at most `letters` letters, cut between words, or within a word that is
/// longer than a line.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let letters = letters.max(1);
    let mut lines = vec![String::new()];
    let mut left = letters;
    for word in text.split_inclusive(' ') {
        // The space at the end of a line needs no room.
        if word.trim_end().chars().count() > left && left < letters {
            lines.push(String::new());
            left = letters;
        }
        for letter in word.chars() {
            if left == 0 && letter != ' ' {
                lines.push(String::new());
                left = letters;
            }
            lines.last_mut().expect("there is a line").push(letter);
            left = left.saturating_sub(1);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use common::numbers::grouped;

    use super::*;

    #[test]
    fn a_long_legend_goes_on_in_the_next_row() {
        let grey = Color { r: 9, g: 9, b: 9 };
        // Each takes eight letters of 7.26 pixels, and two to the next.
        for (pixels, rows) in [(1180, &[7, 7, 6][..]), (280, &[4, 4, 4, 4, 4]), (80, &[1; 20])] {
            let mut footer = Footer::new(12, pixels);
            footer.push_legend(std::iter::repeat_n((grey, "native".to_owned()), 20));
            assert_eq!(footer.rows.iter().map(Vec::len).collect::<Vec<_>>(), rows);
            assert_eq!(footer.height(), rows.len() as u32 * 18);
            footer.push_legend(std::iter::empty());
            assert_eq!(footer.rows.len(), rows.len());
        }
    }

    #[test]
    fn a_long_line_goes_on_in_the_next_row() {
        let table: [(&str, usize, &[&str]); 6] = [
            ("total weight 5", 14, &["total weight 5"]),
            ("total weight 5", 13, &["total weight", "5"]),
            ("total weight 5", 12, &["total weight", "5"]),
            ("total weight 5", 4, &["tota", "l", "weig", "ht 5"]),
            ("größe", 2, &["gr", "öß", "e"]),
            ("", 0, &[""]),
        ];
        for (text, letters, lines) in table {
            assert_eq!(wrapped(text, letters), lines, "{text} {letters}");
        }
        let mut footer = Footer::new(12, 80);
        footer.push_line("total weight 5");
        assert_eq!(footer.rows.len(), 2);
    }

    #[test]
    fn an_axis_has_round_numbers_that_end_before_the_frames() {
        let axis = |total, pixels| {
            let mut footer = Footer::new(12, pixels);
            footer.push_axis(total, grouped);
            footer.rows[0].iter().map(|note| (note.x, note.text.clone())).collect::<Vec<_>>()
        };
        let named = |x: f64, text: &str| (x, text.to_owned());
        assert_eq!(
            axis(4110, 411),
            [named(10.0, "0"), named(110.0, "1,000"), named(210.0, "2,000"), named(310.0, "3,000")]
        );
        assert_eq!(axis(1, 1180), [named(10.0, "0")]);
        assert_eq!(axis(u64::MAX, 400).len(), 2);
    }
}
