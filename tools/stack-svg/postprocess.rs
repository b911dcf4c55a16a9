//! The last rewriter on what inferno drew: our words and colours on its boxes, our
//! style and script in place of its own, the lines below the boxes, and
//! nothing that would be fetched from the network.
//!
//! The picture is rewritten as XML events, so that no text is taken for markup.

use std::io;

use bstr::ByteSlice;
use quick_xml::events::{BytesCData, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};

use crate::embed::Embedded;
use crate::footer::Footer;
use crate::viewer::{SCRIPT, STYLE};

/// The name of the boxes that keep a place free: weight that no root frame has
/// belongs to the whole, and inferno knows no weight of the whole itself. No
/// frame has this name for inferno.
pub(crate) const GAP: &str = "\\gap";

/// What inferno's own script would show and hear.
const CONTROLS: [&[u8]; 4] = [b"details", b"unzoom", b"search", b"matched"];

/// What a box says: all of it to who points at it, and what fits on it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Caption {
    /// What the box must weigh.
    pub(crate) weight: u64,
    pub(crate) title: String,
    pub(crate) label: String,
    pub(crate) fill: String,
    /// True if and only if there is room for an edge.
    pub(crate) is_wide: bool,
}

/// What is to be done to a picture.
pub(crate) struct Additions<C> {
    /// For each box in inferno's order.
    pub(crate) captions: C,
    /// More attributes of the whole.
    pub(crate) attributes: Vec<(&'static str, String)>,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) footer: Footer,
    /// With it the picture gets a script.
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
            // It names a file on a server that a viewer might ask for; and
            // inferno's notes are about its own controls.
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

/// The picture on its way.
struct Rewriter<C> {
    additions: Additions<C>,
    writer: Writer<Vec<u8>>,
    /// Where the whole picture ends, once known.
    bottom: Option<u32>,
    /// All frames are a picture in the picture.
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

    /// Opens the whole, which inferno made for its own script, and says what
    /// it is.
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

    /// A text of ours, as it stands.
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
        // Opaque, as a page around the picture may be dark and its letters are not.
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
                self.constant("script", SCRIPT)?;
            }
        }
        self.writer.write_event(Event::End(tag))
    }

    /// Copies a box to its end, with our words and colour in place of
    /// inferno's; one that keeps a place free is left out.
    fn copy_box(&mut self, mut tag: BytesStart<'_>, reader: &mut Reader<&[u8]>) -> io::Result<()> {
        let Some((rectangle, text)) = parts(reader)? else { return Ok(()) };
        let caption = self.additions.captions.next().ok_or_else(|| unexpected("a box too many"))?;
        let rectangle = filled(&rectangle, &caption)?;
        if caption.is_wide {
            tag.push_attribute(("class", "wide"));
        }
        // A box a line, for diff and grep.
        self.writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
        self.writer.write_event(Event::Start(tag))?;
        let title = BytesText::new(&caption.title);
        self.writer.create_element("title").write_text_content(title)?;
        self.writer.write_event(Event::Empty(rectangle))?;
        self.writer.write_event(Event::Start(text))?;
        self.writer.write_event(Event::Text(BytesText::new(&caption.label)))?;
        self.writer.write_event(Event::End(BytesEnd::new("text")))?;
        self.writer.write_event(Event::End(BytesEnd::new("g")))
    }
}

/// What a box is made of, read to its end: its rectangle and the tag of its
/// text; nothing if it keeps a place free.
fn parts<'a>(
    reader: &mut Reader<&'a [u8]>,
) -> io::Result<Option<(BytesStart<'a>, BytesStart<'a>)>> {
    let (mut is_gap, mut rectangle, mut text) = (None, None, None);
    loop {
        match reader.read_event().map_err(io::Error::other)? {
            // The title, which the name starts.
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

/// Reads on behind the end of an element.
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

/// A rectangle in its colour, if it weighs what it must.
fn filled(rectangle: &BytesStart<'_>, caption: &Caption) -> io::Result<BytesStart<'static>> {
    // Room for as much text at once.
    let mut filled = rectangle.to_owned();
    filled.clear_attributes();
    let mut weight = None;
    // There are very many, and inferno gives no attribute twice.
    for attribute in rectangle.attributes().with_checks(false) {
        let attribute = attribute.map_err(io::Error::other)?;
        match attribute.key.as_ref() {
            b"fill" => filled.push_attribute(("fill", caption.fill.as_str())),
            b"fg:w" => {
                weight = attribute.value.to_str().ok().and_then(|weight| weight.parse().ok());
                filled.push_attribute(attribute);
            }
            _ => filled.push_attribute(attribute),
        }
    }
    if weight != Some(caption.weight) {
        return Err(unexpected("a box of another weight"));
    }
    Ok(filled)
}

/// A line of text that begins where the boxes do.
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

/// A tag that is higher by so many pixels, and its height.
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
