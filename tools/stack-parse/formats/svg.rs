//! Flame graphs as SVG, as tools draw them, alone or in a web page:
//!
//! ```text
//! <g><title>read (1,234 samples, 5.60%)</title>
//! <rect x="12.3" y="405" width="66.1" height="15.0" fill="rgb(214,92,9)" rx="2" ry="2" /></g>
//! ```
//!
//! flamegraph.pl and tools with the same output write counts into the titles, rounded coordinates,
//! and boxes in any order. inferno adds exact coordinates: `fg:x="21" fg:w="1234"`. stack-svg
//! writes every frame a second time, as data for its script, at the end of the picture.
//! flamegraph.pl of 2012 had no titles: `<rect ... onmouseover="s('read (7 samples, 5.60%)')" />`.

mod boxes;
mod embedded;
mod title;

use std::io::{self, BufRead, BufReader, Read};

use common::{Error, Result, io::Input};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::xml::{attribute, push_entity};
use crate::samples::Samples;
use boxes::Boxes;
use embedded::Embedded;

pub(super) const FORMAT: Format = Format::new(
    "svg",
    "Flame graphs as pictures: stack-svg, flamegraph.pl, inferno",
    detect,
    parse,
);

/// How much is read at once, in bytes.
const BLOCK: usize = 256 * 1024;

/// Texts that only flame graphs have: stack-svg's class, the name space of the attributes that
/// inferno and Deno add, the comment and a class of flamegraph.pl, and an attribute that each of its
/// boxes had at first.
const SIGNS: [&[u8]; 5] = [
    b"class=\"stack-svg",
    b" xmlns:fg=\"",
    b"Flame graph stack visualization",
    b".func_g:hover",
    b" onmouseover=\"s('",
];

fn detect(head: &Head<'_>) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(head.bytes, word).is_some();
    let text = head.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head.bytes);
    text.trim_ascii_start().starts_with(b"<") && has(b"<svg") && SIGNS.iter().any(|sign| has(sign))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut input = BufReader::with_capacity(BLOCK, input);
    // How many bytes came before the picture.
    let mut before = 0;
    loop {
        let is_found = find_picture(&mut input, &mut before)
            .map_err(|source| Error::Input { name: name.clone(), source })?;
        if !is_found {
            return Ok(());
        }
        let mut picture = Picture::default();
        let read = picture.read(&mut input, &name, &mut before, samples);
        picture.finish(&name, samples)?;
        read?;
    }
}

/// The start of a picture.
const START: &[u8] = b"<svg";

/// Skips to just after the next `<svg`; false if there is none.
fn find_picture(input: &mut impl BufRead, before: &mut u64) -> io::Result<bool> {
    let mut seen = 0;
    while seen < START.len() {
        let buffer = input.fill_buf()?;
        let Some(&byte) = buffer.first() else { return Ok(false) };
        let length = match seen {
            0 => memchr::memchr(START[0], buffer).unwrap_or(buffer.len()).max(1),
            _ => 1,
        };
        seen = match byte {
            _ if length > 1 => 0,
            byte if byte == START[seen] => seen + 1,
            byte if byte == START[0] => 1,
            _ => 0,
        };
        input.consume(length);
        *before += length as u64;
    }
    Ok(true)
}

/// The state while a picture is read.
#[derive(Default)]
struct Picture {
    boxes: Boxes,
    embedded: Embedded,
    /// Whether a group or a link is open: a title in it belongs to a box.
    is_in_group: bool,
    title: Option<Vec<u8>>,
    /// The element whose text is needed.
    wanted: Wanted,
    text: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wanted {
    #[default]
    Nothing,
    Title,
    Names,
    Frames,
}

impl Picture {
    /// Reads to the end of the picture; its first bytes were read before.
    fn read(
        &mut self,
        input: &mut impl BufRead,
        name: &str,
        before: &mut u64,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let start = *before - START.len() as u64;
        let mut reader = Reader::from_reader(START.chain(input));
        reader.config_mut().check_end_names = false;
        let mut buffer = Vec::new();
        let mut depth = 0u64;
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer);
            *before = start + reader.buffer_position();
            let unknown = |what: &str| {
                let what =
                    format!("byte {before}: expected an SVG: {what}; what came before is kept");
                Error::Unknown { name: name.to_owned(), what }
            };
            match event {
                Ok(Event::Eof) => return Err(unknown("the input ends before it")),
                Ok(event) => self.event(&event, &mut depth, samples),
                Err(quick_xml::Error::Io(error)) => {
                    let source = io::Error::new(error.kind(), error.to_string());
                    return Err(Error::Input { name: name.to_owned(), source });
                }
                Err(error) => return Err(unknown(&error.to_string())),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Handles a tag or a text; `depth` is the number of open elements.
    fn event(&mut self, event: &Event<'_>, depth: &mut u64, samples: &mut Samples<'_>) {
        match event {
            Event::Start(tag) => {
                *depth += 1;
                self.open(tag, samples);
            }
            Event::Empty(tag) => {
                self.open(tag, samples);
                self.close(tag.name().as_ref());
            }
            Event::End(tag) => {
                *depth = depth.saturating_sub(1);
                self.close(tag.name().as_ref());
            }
            Event::Text(text) if self.wanted != Wanted::Nothing => {
                self.text.extend_from_slice(text);
            }
            Event::CData(script) => self.boxes.note_script(script),
            Event::GeneralRef(entity) if self.wanted != Wanted::Nothing => {
                push_entity(entity, &mut self.text);
            }
            _ => {}
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>, samples: &mut Samples<'_>) {
        self.text.clear();
        self.wanted = Wanted::Nothing;
        match tag.name().as_ref() {
            b"svg" => self.is_in_group = false,
            b"g" | b"a" => {
                self.boxes.note_frames(tag);
                self.is_in_group = true;
            }
            b"title" if self.is_in_group => self.wanted = Wanted::Title,
            b"rect" => {
                let old = || title::of_handler(&attribute(tag, b"onmouseover"));
                if let Some(title) = self.title.take().or_else(old) {
                    self.boxes.add(&title, tag, samples);
                }
            }
            b"metadata" => match &*attribute(tag, b"id") {
                b"facts" => self.embedded.set_facts(tag),
                b"names" => self.wanted = Wanted::Names,
                b"tree" => self.wanted = Wanted::Frames,
                b"frames-data" => {
                    self.wanted = Wanted::Frames;
                    self.embedded.is_old = true;
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn close(&mut self, name: &[u8]) {
        match name {
            b"g" => {
                self.title = None;
                self.is_in_group = false;
            }
            b"title" if self.wanted == Wanted::Title => {
                self.title = Some(std::mem::take(&mut self.text));
            }
            b"metadata" if self.wanted == Wanted::Names => {
                self.embedded.names = std::mem::take(&mut self.text);
            }
            b"metadata" if self.wanted == Wanted::Frames => {
                self.embedded.frames = std::mem::take(&mut self.text);
            }
            _ => {}
        }
        self.wanted = Wanted::Nothing;
    }

    /// Adds the stacks: those in the data for the script if there is any, since it is complete, and
    /// otherwise those of the boxes.
    fn finish(self, name: &str, samples: &mut Samples<'_>) -> Result<()> {
        if self.embedded.is_there() {
            self.embedded.add(name, samples)
        } else {
            self.boxes.add_all(samples)
        }
    }
}
