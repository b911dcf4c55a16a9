//! The last hand on what inferno drew: our words on its boxes, the lines below
//! it, and nothing that would be fetched from the network.
//!
//! The picture is rewritten as XML events, so that no text is taken for markup.

use std::io;

use bstr::ByteSlice;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};

use crate::footer::Footer;

/// The name of the box that keeps a place free: root frames that are too
/// narrow leave their weight to the whole, and inferno knows no weight of the
/// whole itself. No frame has this name for inferno.
pub(crate) const GAP: &str = "\\gap";

/// What a box says: all of it to who points at it, and what fits on it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Caption {
    /// What the box must weigh.
    pub(crate) weight: u64,
    pub(crate) title: String,
    pub(crate) label: String,
}

/// What is to be done to a picture.
pub(crate) struct Finish<C> {
    /// For each box in inferno's order, see [`crate::prune::Pruned::by_end`].
    pub(crate) captions: C,
    /// Whether the first box only keeps a place free.
    pub(crate) gap: bool,
    pub(crate) footer: Footer,
}

/// Rewrites a picture.
///
/// # Errors
///
/// When the picture is not as inferno 0.12 draws it.
pub(crate) fn finish<C>(svg: &[u8], finish: Finish<C>) -> io::Result<Vec<u8>>
where
    C: Iterator<Item = Caption>,
{
    let writer = Writer::new(Vec::with_capacity(svg.len()));
    let mut hand = Hand { finish, writer, bottom: None, open_pictures: 0 };
    let mut reader = Reader::from_reader(svg);
    loop {
        match reader.read_event().map_err(io::Error::other)? {
            Event::Eof => break,
            // It names a file on a server that a viewer might ask for.
            Event::DocType(_) => {}
            Event::Start(tag) if tag.name().as_ref() == b"svg" => hand.open_picture(tag)?,
            Event::End(tag) if tag.name().as_ref() == b"svg" => hand.close_picture(tag)?,
            Event::Start(tag) if tag.name().as_ref() == b"g" => hand.copy_box(tag, &mut reader)?,
            Event::Empty(tag) if is_background(&tag) => {
                let (tag, _) = stretched(&tag, hand.finish.footer.height())?;
                hand.writer.write_event(Event::Empty(tag))?;
            }
            other => hand.writer.write_event(other)?,
        }
    }
    if hand.finish.captions.next().is_some() {
        return Err(unexpected("a box is missing"));
    }
    let mut svg = hand.writer.into_inner();
    svg.push(b'\n');
    Ok(svg)
}

/// The picture on its way.
struct Hand<C> {
    finish: Finish<C>,
    writer: Writer<Vec<u8>>,
    /// Where the whole picture ends, once known.
    bottom: Option<u32>,
    /// All frames are a picture in the picture.
    open_pictures: usize,
}

impl<C: Iterator<Item = Caption>> Hand<C> {
    fn open_picture(&mut self, mut tag: BytesStart<'_>) -> io::Result<()> {
        self.open_pictures += 1;
        if self.bottom.is_none() {
            let (higher, bottom) = stretched(&tag, self.finish.footer.height())?;
            (tag, self.bottom) = (higher, Some(bottom));
        }
        self.writer.write_event(Event::Start(tag))
    }

    fn close_picture(&mut self, tag: BytesEnd<'_>) -> io::Result<()> {
        self.open_pictures -= 1;
        if self.open_pictures == 0 {
            self.finish.footer.write(self.bottom.unwrap_or_default(), &mut self.writer)?;
        }
        self.writer.write_event(Event::End(tag))
    }

    /// Copies a box to its end, with our words in place of inferno's.
    fn copy_box(&mut self, tag: BytesStart<'_>, reader: &mut Reader<&[u8]>) -> io::Result<()> {
        if std::mem::take(&mut self.finish.gap) {
            return reader.read_to_end(tag.name()).map(drop).map_err(io::Error::other);
        }
        let caption = self.finish.captions.next().ok_or_else(|| unexpected("a box too many"))?;
        // A box a line, for diff and grep.
        self.writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
        self.writer.write_event(Event::Start(tag))?;
        loop {
            let event = reader.read_event().map_err(io::Error::other)?;
            let words = match &event {
                Event::Text(_) | Event::GeneralRef(_) => continue,
                Event::Eof => return Err(unexpected("a box without an end")),
                Event::End(tag) if tag.name().as_ref() == b"g" => {
                    return self.writer.write_event(event);
                }
                Event::Empty(tag) if weight(tag) != Some(caption.weight) => {
                    return Err(unexpected("a box of another weight"));
                }
                Event::Start(tag) if tag.name().as_ref() == b"title" => &caption.title,
                Event::Start(tag) if tag.name().as_ref() == b"text" => &caption.label,
                _ => "",
            };
            self.writer.write_event(event)?;
            self.writer.write_event(Event::Text(BytesText::new(words)))?;
        }
    }
}

/// What inferno says that a rectangle weighs.
fn weight(tag: &BytesStart<'_>) -> Option<u64> {
    tag.try_get_attribute("fg:w").ok()??.value.to_str().ok()?.parse().ok()
}

fn is_background(tag: &BytesStart<'_>) -> bool {
    let fill = tag.try_get_attribute("fill").ok().flatten();
    fill.is_some_and(|fill| fill.value.as_ref() == b"url(#background)")
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
