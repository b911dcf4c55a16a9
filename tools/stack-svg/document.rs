//! Writes the picture: title, boxes, the lines below them, and for a browser the data and
//! the script. Nothing in it would make a viewer ask a server.
//!
//! It looks like inferno's flame graphs: the boxes are at the same places.

use std::fmt;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::BytesCData;

use crate::embed::Embedded;
use crate::footer::Footer;
use crate::look::{Look, SIDES};
use crate::profile::Node;
use crate::strip::Strip;
use crate::viewer::{SCRIPT, STYLE};

/// The distance of a text from the left edge of its box, in pixels.
pub(crate) const PADDING: usize = 3;

/// A box with its place.
pub(crate) trait Placed {
    fn place(&self) -> Place;
}

/// The place of a box; `start` and `end` are parts of the whole width.
pub(crate) struct Place {
    pub(crate) row: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) weight: u64,
}

impl Placed for Node {
    fn place(&self) -> Place {
        let (start, weight) = (self.start, self.weight);
        Place { row: self.depth, start, end: start + weight, weight }
    }
}

/// What the picture shows.
pub(crate) struct Document<'a, B> {
    pub(crate) look: &'a Look,
    pub(crate) title: String,
    /// The strip of time above the boxes.
    pub(crate) strip: Option<&'a Strip>,
    /// The boxes, and how wide they are together.
    pub(crate) boxes: &'a [B],
    pub(crate) width: u64,
    /// Whether the first row is on top.
    pub(crate) hangs: bool,
    /// How many rows besides the first are in sight.
    pub(crate) rows_in_sight: usize,
    pub(crate) footer: Footer,
    /// The data for the script; without it there is no script.
    pub(crate) embedded: Option<Embedded<'a>>,
}

/// The text and colour of a box.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Caption {
    /// The whole text, shown for the box under the mouse.
    pub(crate) title: String,
    /// The part of the name that fits into the box.
    pub(crate) label: String,
    pub(crate) fill: String,
    /// Whether the box has room for an edge.
    pub(crate) is_wide: bool,
}

/// Where everything is, in pixels from above.
struct Places {
    /// The upper edge of all boxes.
    top: u32,
    /// How many rows there are besides the first, and how many of them are in sight.
    rows: u32,
    in_sight: u32,
    row_height: u32,
    /// Whether the first row is on top.
    inverted: bool,
    bottom: u32,
}

impl<B: Placed> Document<'_, B> {
    /// Writes it; `caption` gives the text of a box, whose index it gets, too.
    ///
    /// # Errors
    ///
    /// None is expected: it is written to memory.
    pub(crate) fn write(&self, caption: impl Fn(usize, &B) -> Caption) -> io::Result<Vec<u8>> {
        let places = self.places();
        let mut svg =
            common::stacks::with_room(200 * self.boxes.len() + SCRIPT.len() + STYLE.len());
        self.open(&places, &mut svg)?;
        if let Some(strip) = self.strip {
            let top = places.top - strip.height(self.look);
            svg.extend_from_slice(strip.draw(self.look, top).as_bytes());
        }
        self.write_boxes(&places, caption, &mut svg)?;
        let mut writer = Writer::new(svg);
        self.footer.write(places.bottom, &mut writer)?;
        if let Some(embedded) = &self.embedded {
            embedded.write(&mut writer)?;
            let script = writer.create_element("script");
            script.write_cdata_content(BytesCData::new(SCRIPT.as_str()))?;
        }
        let mut svg = writer.into_inner();
        svg.extend_from_slice(b"</svg>\n");
        Ok(svg)
    }

    fn places(&self) -> Places {
        let (font_size, inverted) = (self.look.font_size, self.hangs);
        let row_height = self.look.frame_height();
        let titles = if self.look.subtitle().is_some() { 5 } else { 3 };
        let rows = self.boxes.iter().map(|placed| placed.place().row).max().unwrap_or(0);
        let top = titles * font_size + self.strip.map_or(0, |strip| strip.height(self.look));
        let in_sight = self.rows_in_sight as u32;
        let bottom = top + (in_sight + 1) * row_height + 2 * font_size + self.footer.height();
        Places { top, rows, in_sight, row_height, inverted, bottom }
    }

    /// Writes everything that comes before the boxes.
    fn open(&self, places: &Places, svg: &mut Vec<u8>) -> io::Result<()> {
        let look = self.look;
        let (width, height) = (look.frames_width() + SIDES, places.bottom);
        write!(
            svg,
            "<?xml version=\"1.0\" standalone=\"no\"?><svg version=\"1.1\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             xmlns=\"http://www.w3.org/2000/svg\" xmlns:fg=\"http://github.com/jonhoo/inferno\""
        )?;
        for (key, value) in look.attributes() {
            write!(svg, " {key}=\"{}\"", escape(value))?;
        }
        let title = escape(&self.title);
        write!(
            svg,
            "><title>{title}</title>\
             <desc>Each box is a frame; the wider it is, the more it weighs.</desc>"
        )?;
        let mut writer = Writer::new(&mut *svg);
        writer.create_element("style").write_cdata_content(BytesCData::new(STYLE.as_str()))?;
        // Opaque: the letters are dark, and so may be the page around the picture.
        write!(
            svg,
            "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"{height}\" fill=\"#ffffff\" \
             class=\"background\"/><text id=\"title\" x=\"10\" y=\"{}\">{title}</text>",
            2 * look.font_size
        )?;
        if let Some(subtitle) = look.subtitle() {
            let y = 4 * look.font_size;
            write!(svg, "<text id=\"subtitle\" x=\"10\" y=\"{y}\">{}</text>", escape(subtitle))?;
        }
        Ok(())
    }

    fn write_boxes(
        &self,
        places: &Places,
        caption: impl Fn(usize, &B) -> Caption,
        svg: &mut Vec<u8>,
    ) -> io::Result<()> {
        let width = self.look.frames_width();
        write!(svg, "<svg id=\"frames\" x=\"{}\" width=\"{width}\"", SIDES / 2)?;
        if let Some([y, height]) = places.window() {
            let top = places.top;
            write!(svg, " y=\"{top}\" height=\"{height}\" viewBox=\"0 {y} {width} {height}\"")?;
        }
        svg.push(b'>');
        let padding = share(PADDING as u64, width as u64);
        for (index, placed) in self.boxes.iter().enumerate() {
            let Caption { title, label, fill, is_wide } = caption(index, placed);
            let class = if is_wide { " class=\"wide\"" } else { "" };
            let Place { row, start, end, weight } = placed.place();
            let left = share(start, self.width);
            let (x, width) = (Percent(left), Percent(share(end, self.width) - left));
            let (y, height) = (places.row(row), places.row_height - 1);
            // Each box on a line of its own, for diff and grep.
            write!(
                svg,
                "\n<g{class}><title>{}</title><rect x=\"{x}%\" y=\"{y}\" width=\"{width}%\" \
                 height=\"{height}\" fill=\"{fill}\"",
                escape(title)
            )?;
            // The script has these numbers; without the script they would be missing.
            if self.embedded.is_none() {
                write!(svg, " fg:x=\"{start}\" fg:w=\"{weight}\"")?;
            }
            svg.extend_from_slice(b"/>");
            if !label.is_empty() {
                let (x, y) = (Percent(left + padding), y + (height + 7) / 2);
                write!(svg, "<text x=\"{x}%\" y=\"{y}\">{}</text>", escape(label))?;
            }
            svg.extend_from_slice(b"</g>");
        }
        svg.extend_from_slice(b"</svg>");
        Ok(())
    }
}

impl Places {
    /// The upper edge and the height of the rows in sight, if others are not.
    fn window(&self) -> Option<[u32; 2]> {
        let top_row = if self.inverted { 0 } else { self.in_sight };
        let height = (self.in_sight + 1) * self.row_height;
        (self.in_sight < self.rows).then(|| [self.row(top_row), height])
    }

    /// The upper edge of a row of boxes, from 0.
    fn row(&self, row: u32) -> u32 {
        let above = if self.inverted { row } else { self.rows - row };
        self.top + above * self.row_height
    }
}

/// A share of the whole in millionths, rounded.
fn share(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    ((part * 1_000_000 + whole / 2) / whole) as u64
}

/// Millionths as a number of percents: `12.3456`.
struct Percent(u64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:04}", self.0 / 10_000, self.0 % 10_000)
    }
}
