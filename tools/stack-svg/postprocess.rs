//! Rewrites the SVG that inferno drew: our words and colours on its boxes, our
//! style and script in place of its own, the lines below the boxes, and nothing
//! that a viewer would fetch from the network.
//!
//! It works on XML events, so that no text is taken for markup.

use std::io;

use bstr::ByteSlice;
use quick_xml::events::{BytesCData, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};

use crate::embed::Embedded;
use crate::footer::Footer;
use crate::viewer::{SCRIPT, STYLE};

/// The name of a box that keeps room for weight of the whole itself, which is in
/// no root frame: inferno has no such weight. No frame gets this name from
/// [`crate::escape::parseable`].
pub(crate) const GAP: &str = "\\gap";

/// The elements of inferno's own script.
const CONTROLS: [&[u8]; 4] = [b"details", b"unzoom", b"search", b"matched"];

/// The text and colour of a box.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Caption {
    /// The weight that inferno's box must have.
    pub(crate) weight: u64,
    /// The whole text, shown for the box under the mouse.
    pub(crate) title: String,
    /// The part of the name that fits into the box.
    pub(crate) label: String,
    pub(crate) fill: String,
    /// Whether the box has room for an edge.
    pub(crate) is_wide: bool,
}

/// What is put into the picture.
pub(crate) struct Additions<C> {
    /// One for each box, in inferno's order.
    pub(crate) captions: C,
    /// Further attributes of the outermost element.
    pub(crate) attributes: Vec<(&'static str, String)>,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) footer: Footer,
    /// The data for the script; without it there is no script.
    pub(crate) embedded: Option<Embedded>,
}

/// Rewrites a picture.
///
/// # Errors
///
/// When the picture is not as inferno 0.12 draws it.
pub(crate) fn postprocess<C>(svg: &[u8], additions: Additions<C>) -> io::Result<Vec<u8>>
where
    C: Iterator<Item = Caption>,
{
    let writer = Writer::new(Vec::with_capacity(2 * svg.len()));
    let mut rewriter = Rewriter { additions, writer, bottom: None, open_pictures: 0 };
    let mut reader = Reader::from_reader(svg);
    loop {
        match reader.read_event().map_err(io::Error::other)? {
            Event::Eof => break,
            // The document type names a file on a server, which a viewer might
            // fetch; the comments are about inferno's own controls.
            Event::DocType(_) | Event::Comment(_) => {}
            Event::Start(tag) => rewriter.start(tag, &mut reader)?,
            Event::End(tag) if tag.name().as_ref() == b"svg" => rewriter.close_picture(tag)?,
            Event::Empty(tag) if is_background(&tag) => rewriter.background(&tag)?,
            other => rewriter.writer.write_event(other)?,
        }
    }
    if rewriter.additions.captions.next().is_some() {
        return Err(unexpected("a box is missing"));
    }
    let mut svg = rewriter.writer.into_inner();
    svg.push(b'\n');
    Ok(svg)
}

/// The picture that is being written.
struct Rewriter<C> {
    additions: Additions<C>,
    writer: Writer<Vec<u8>>,
    /// The lower end of the picture in pixels, once it is known.
    bottom: Option<u32>,
    /// How many `svg` elements are open: inferno puts the frames into one of
    /// their own.
    open_pictures: usize,
}

impl<C: Iterator<Item = Caption>> Rewriter<C> {
    fn start(&mut self, tag: BytesStart<'_>, reader: &mut Reader<&[u8]>) -> io::Result<()> {
        let name = tag.name();
        match name.as_ref() {
            b"svg" if self.open_pictures == 0 => self.open_whole(&tag),
            b"svg" => {
                self.open_pictures += 1;
                self.writer.write_event(Event::Start(tag))
            }
            b"g" => self.copy_box(tag, reader),
            b"script" | b"style" | b"defs" => skip(&tag, reader),
            b"text" if CONTROLS.contains(&&*id(&tag)) => skip(&tag, reader),
            b"text" if matches!(&*id(&tag), b"title" | b"subtitle") => {
                self.writer.write_event(Event::Start(aligned(&tag)?))
            }
            _ => self.writer.write_event(Event::Start(tag)),
        }
    }

    /// Opens the outermost element, without what inferno's script needs, and
    /// writes title, description and style.
    fn open_whole(&mut self, tag: &BytesStart<'_>) -> io::Result<()> {
        self.open_pictures = 1;
        let (higher, bottom) = stretched(tag, self.additions.footer.height())?;
        self.bottom = Some(bottom);
        let mut whole = BytesStart::new("svg");
        for attribute in higher.attributes() {
            let attribute = attribute.map_err(io::Error::other)?;
            if !matches!(attribute.key.as_ref(), b"onload" | b"xmlns:xlink") {
                whole.push_attribute(attribute);
            }
        }
        for (key, value) in &self.additions.attributes {
            whole.push_attribute((*key, value.as_str()));
        }
        self.writer.write_event(Event::Start(whole))?;
        for (name, text) in
            [("title", &self.additions.title), ("desc", &self.additions.description)]
        {
            self.writer.create_element(name).write_text_content(BytesText::new(text))?;
        }
        self.constant("style", STYLE)
    }

    /// Writes our script or style, which needs no escapes.
    fn constant(&mut self, element: &str, text: &str) -> io::Result<()> {
        let element = self.writer.create_element(element);
        element.write_cdata_content(BytesCData::new(text)).map(drop)
    }

    fn background(&mut self, tag: &BytesStart<'_>) -> io::Result<()> {
        let (tag, _) = stretched(tag, self.additions.footer.height())?;
        let mut background = BytesStart::new("rect");
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(io::Error::other)?;
            if attribute.key.as_ref() != b"fill" {
                background.push_attribute(attribute);
            }
        }
        // Opaque: the letters are dark, and so may be the page around the picture.
        background.push_attribute(("fill", "#ffffff"));
        background.push_attribute(("class", "background"));
        self.writer.write_event(Event::Empty(background))
    }

    fn close_picture(&mut self, tag: BytesEnd<'_>) -> io::Result<()> {
        self.open_pictures -= 1;
        if self.open_pictures == 0 {
            self.additions.footer.write(self.bottom.unwrap_or_default(), &mut self.writer)?;
            if let Some(embedded) = self.additions.embedded.take() {
                embedded.write(&mut self.writer)?;
                self.constant("script", &SCRIPT)?;
            }
        }
        self.writer.write_event(Event::End(tag))
    }

    /// Copies a box, with our words and colour in place of inferno's; a [`GAP`]
    /// is left out.
    fn copy_box(&mut self, mut tag: BytesStart<'_>, reader: &mut Reader<&[u8]>) -> io::Result<()> {
        let Some((rectangle, text)) = parts(reader)? else { return Ok(()) };
        let caption = self.additions.captions.next().ok_or_else(|| unexpected("a box too many"))?;
        let rectangle = filled(&rectangle, &caption, self.additions.embedded.is_none())?;
        if caption.is_wide {
            tag.push_attribute(("class", "wide"));
        }
        // Each box on a line of its own, for diff and grep.
        self.writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
        self.writer.write_event(Event::Start(tag))?;
        let title = BytesText::new(&caption.title);
        self.writer.create_element("title").write_text_content(title)?;
        self.writer.write_event(Event::Empty(rectangle))?;
        if !caption.label.is_empty() {
            self.writer.write_event(Event::Start(text))?;
            self.writer.write_event(Event::Text(BytesText::new(&caption.label)))?;
            self.writer.write_event(Event::End(BytesEnd::new("text")))?;
        }
        self.writer.write_event(Event::End(BytesEnd::new("g")))
    }
}

/// Reads a box to its end, and returns its rectangle and the tag of its text;
/// `None` for a [`GAP`].
fn parts<'a>(
    reader: &mut Reader<&'a [u8]>,
) -> io::Result<Option<(BytesStart<'a>, BytesStart<'a>)>> {
    let (mut is_gap, mut rectangle, mut text) = (None, None, None);
    loop {
        match reader.read_event().map_err(io::Error::other)? {
            // The title starts with the name: `\gap (4 samples, 40.00%)`.
            Event::Text(words) if is_gap.is_none() => {
                let behind = words.strip_prefix(GAP.as_bytes());
                is_gap = Some(behind.is_some_and(|behind| behind.starts_with(b" (")));
            }
            Event::Empty(tag) if tag.name().as_ref() == b"rect" => rectangle = Some(tag),
            Event::Start(tag) if tag.name().as_ref() == b"text" => text = Some(tag),
            Event::End(tag) if tag.name().as_ref() == b"g" => break,
            Event::Eof => return Err(unexpected("a box without an end")),
            _ => {}
        }
    }
    match (rectangle, text) {
        _ if is_gap == Some(true) => Ok(None),
        (Some(rectangle), Some(text)) => Ok(Some((rectangle, text))),
        _ => Err(unexpected("a box without a rectangle or a text")),
    }
}

/// Skips an element and all that is in it.
fn skip(tag: &BytesStart<'_>, reader: &mut Reader<&[u8]>) -> io::Result<()> {
    reader.read_to_end(tag.name()).map(drop).map_err(io::Error::other)
}

fn id(tag: &BytesStart<'_>) -> Vec<u8> {
    let id = tag.try_get_attribute("id").ok().flatten();
    id.map(|id| id.value.into_owned()).unwrap_or_default()
}

fn is_background(tag: &BytesStart<'_>) -> bool {
    let fill = tag.try_get_attribute("fill").ok().flatten();
    fill.is_some_and(|fill| fill.value.as_ref() == b"url(#background)")
}

/// The rectangle with its colour; an error if its weight is not the expected one.
/// Its place in weights is exact, and only needed where no script has the frames.
fn filled(
    rectangle: &BytesStart<'_>,
    caption: &Caption,
    needs_weights: bool,
) -> io::Result<BytesStart<'static>> {
    // A copy has room for all attributes at once.
    let mut filled = rectangle.to_owned();
    filled.clear_attributes();
    let mut weight = None;
    // Without checks, as there may be millions, and inferno writes none twice.
    for attribute in rectangle.attributes().with_checks(false) {
        let attribute = attribute.map_err(io::Error::other)?;
        match attribute.key.as_ref() {
            b"fill" => filled.push_attribute(("fill", caption.fill.as_str())),
            b"fg:w" => {
                weight = attribute.value.to_str().ok().and_then(|weight| weight.parse().ok());
                if needs_weights {
                    filled.push_attribute(attribute);
                }
            }
            b"fg:x" if !needs_weights => {}
            _ => filled.push_attribute(attribute),
        }
    }
    if weight != Some(caption.weight) {
        return Err(unexpected("a box of another weight"));
    }
    Ok(filled)
}

/// The tag of a text, moved to the left edge of the boxes.
fn aligned(tag: &BytesStart<'_>) -> io::Result<BytesStart<'static>> {
    let mut aligned = BytesStart::new("text");
    for attribute in tag.attributes() {
        let mut attribute = attribute.map_err(io::Error::other)?;
        if attribute.key.as_ref() == b"x" {
            attribute.value = b"10"[..].into();
        }
        aligned.push_attribute(attribute);
    }
    Ok(aligned)
}

/// The tag with its height increased by so many pixels, and that height.
fn stretched(tag: &BytesStart<'_>, by: u32) -> io::Result<(BytesStart<'static>, u32)> {
    let mut higher = tag.to_owned();
    higher.clear_attributes();
    let mut height = None;
    for attribute in tag.attributes() {
        let mut attribute = attribute.map_err(io::Error::other)?;
        // `height="410"`, and `viewBox="0 0 1200 410"`.
        if matches!(attribute.key.as_ref(), b"height" | b"viewBox") {
            let start = attribute.value.rfind_byte(b' ').map_or(0, |space| space + 1);
            let (before, last) = attribute.value.split_at(start);
            let last: Option<u32> = last.to_str().ok().and_then(|last| last.parse().ok());
            let sum = last.ok_or_else(|| unexpected("no height"))? + by;
            height = Some(sum);
            attribute.value = [before, sum.to_string().as_bytes()].concat().into();
        }
        higher.push_attribute(attribute);
    }
    Ok((higher, height.ok_or_else(|| unexpected("no height"))?))
}

fn unexpected(what: &str) -> io::Error {
    io::Error::other(format!("inferno's picture: {what}"))
}
