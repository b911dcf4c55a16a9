//! The lines below the picture: what it shows, what it leaves out, and what
//! its colours mean.

use std::io;

use inferno::flamegraph::color::Color;
use quick_xml::Writer;
use quick_xml::events::BytesText;

use crate::look::LETTER_WIDTH;
use crate::numbers::grouped;

/// Grey, yet dark enough to be read.
const INK: &str = "rgb(96,96,96)";

/// Where the frames begin, too.
const LEFT: f64 = 10.0;

/// A legend goes on in the next row here, as a window may be narrow.
const LEGEND_WIDTH: f64 = 560.0;

/// Rows of text.
pub(crate) struct Footer {
    rows: Vec<Vec<Note>>,
    font_size: f64,
}

/// Some words, and the colour they explain.
struct Note {
    x: f64,
    color: Option<Color>,
    text: String,
}

impl Footer {
    pub(crate) fn new(font_size: u32) -> Footer {
        Footer { rows: Vec::new(), font_size: f64::from(font_size) }
    }

    /// Adds a row of words.
    pub(crate) fn push_line(&mut self, text: String) {
        self.rows.push(vec![Note { x: LEFT, color: None, text }]);
    }

    /// Adds a row of weights: where in `total` the frames above are, which are
    /// so many pixels wide together.
    pub(crate) fn push_axis(&mut self, total: u64, pixels: usize) {
        let mut row = Vec::new();
        for tenth in 0..10 {
            let weight = (u128::from(total) * tenth / 10) as u64;
            let text = grouped(weight);
            let x = LEFT + pixels as f64 * tenth as f64 / 10.0;
            row.push(Note { x, color: None, text });
        }
        self.rows.push(row);
    }

    /// Adds rows of colours and what they mean.
    pub(crate) fn push_legend(&mut self, entries: impl Iterator<Item = (Color, String)>) {
        let mut row = Vec::new();
        let mut x = LEFT;
        for (color, text) in entries {
            // The square, the words, and room to the next square.
            let width = (text.len() as f64 + 4.0) * self.font_size * LETTER_WIDTH;
            if x + width > LEGEND_WIDTH && !row.is_empty() {
                self.rows.push(std::mem::take(&mut row));
                x = LEFT;
            }
            row.push(Note { x, color: Some(color), text });
            x += width;
        }
        if !row.is_empty() {
            self.rows.push(row);
        }
    }

    /// How much room the rows need in pixels.
    pub(crate) fn height(&self) -> u32 {
        self.step() * self.rows.len() as u32
    }

    /// From one row to the next in pixels.
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
        words.write_text_content(BytesText::new(&note.text))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_legend_goes_on_in_the_next_row() {
        let mut footer = Footer::new(12);
        let grey = Color { r: 9, g: 9, b: 9 };
        footer.push_legend(std::iter::repeat_n((grey, "native".to_owned()), 20));
        // Each takes ten letters of 7.26 pixels.
        assert_eq!(footer.rows.iter().map(Vec::len).collect::<Vec<_>>(), [7, 7, 6]);
        assert_eq!(footer.height(), 3 * 18);
        footer.push_legend(std::iter::empty());
        assert_eq!(footer.rows.len(), 3);
    }
}
