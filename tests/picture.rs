//! An SVG picture of frames, read as XML.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A box of a picture.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Box {
    /// Where it starts, and what it weighs, in counts.
    pub(crate) start: u64,
    pub(crate) weight: u64,
    /// Its upper edge, where rows are numbered from below, the whole is 0.
    pub(crate) row: i64,
    pub(crate) fill: String,
    pub(crate) title: String,
    pub(crate) label: String,
}

impl Box {
    pub(crate) fn name(&self) -> &str {
        self.title.rsplit_once(" (").expect("a weight in parentheses").0
    }
}

/// What a picture says.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    pub(crate) boxes: Vec<Box>,
    /// The text that is no part of a box.
    pub(crate) texts: Vec<String>,
    /// How often each element occurs.
    pub(crate) elements: BTreeMap<String, usize>,
    pub(crate) width: String,
    pub(crate) height: i64,
}

fn attributes_of(tag: &BytesStart<'_>) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let attributes = tag.attributes().map(|attribute| attribute.expect("a well-formed attribute"));
    attributes.map(|one| (text(one.key.as_ref()), text(&one.value))).collect()
}

impl Picture {
    pub(crate) fn of(svg: impl AsRef<[u8]>) -> Picture {
        let mut reader = Reader::from_reader(svg.as_ref());
        let mut picture = Picture::default();
        let mut path: Vec<String> = Vec::new();
        let mut text = String::new();
        loop {
            let event = reader.read_event().expect("well-formed XML");
            match event {
                Event::Eof => break,
                Event::Start(ref tag) | Event::Empty(ref tag) => {
                    let name = String::from_utf8(tag.name().as_ref().to_vec()).expect("a name");
                    let attributes = attributes_of(tag);
                    *picture.elements.entry(name.clone()).or_default() += 1;
                    picture.open(&name, &path, &attributes);
                    text.clear();
                    if matches!(event, Event::Start(_)) {
                        path.push(name);
                    }
                }
                Event::Text(part) => text.push_str(&part.decode().expect("UTF-8")),
                Event::GeneralRef(part) => {
                    let name = part.decode().expect("UTF-8");
                    text.push_str(match &*name {
                        "lt" => "<",
                        "gt" => ">",
                        "amp" => "&",
                        "quot" => "\"",
                        "apos" => "'",
                        other => panic!("an entity &{other};"),
                    });
                }
                Event::End(_) => picture.close(&path.pop().expect("an open element"), &path, &text),
                Event::DocType(_) => panic!("a reference to a server"),
                _ => {}
            }
        }
        assert!(path.is_empty());
        let mut edges: Vec<i64> = picture.boxes.iter().map(|one| one.row).collect();
        edges.sort_unstable();
        edges.dedup();
        for one in &mut picture.boxes {
            let above = edges.binary_search(&one.row).expect("one of them");
            one.row = (edges.len() - 1 - above) as i64;
        }
        picture.boxes.sort();
        picture
    }

    fn open(&mut self, name: &str, path: &[String], attributes: &BTreeMap<String, String>) {
        let number = |key: &str| attributes[key].parse().expect("a number");
        match name {
            "svg" if path.is_empty() => {
                self.width = attributes["width"].clone();
                self.height = attributes["height"].parse().expect("pixels");
            }
            "g" => self.boxes.push(Box {
                start: 0,
                weight: 0,
                row: 0,
                fill: String::new(),
                title: String::new(),
                label: String::new(),
            }),
            "rect" if path.ends_with(&["g".to_owned()]) => {
                let one = self.boxes.last_mut().expect("a box");
                one.start = number("fg:x");
                one.weight = number("fg:w");
                one.row = attributes["y"].parse().expect("pixels");
                one.fill = attributes["fill"].clone();
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, path: &[String], text: &str) {
        let in_box = path.last().is_some_and(|parent| parent == "g");
        match (name, self.boxes.last_mut()) {
            ("title", Some(one)) if in_box => one.title = text.to_owned(),
            ("text", Some(one)) if in_box => one.label = text.to_owned(),
            ("text", _) => self.texts.push(text.to_owned()),
            _ => {}
        }
    }

    pub(crate) fn named(&self, name: &str) -> Vec<&Box> {
        self.boxes.iter().filter(|one| one.name() == name).collect()
    }

    /// The frames but the whole, as (name, row, start, weight).
    pub(crate) fn frames(&self) -> Vec<(String, i64, u64, u64)> {
        let frames = self.boxes.iter().filter(|one| one.row > 0);
        frames.map(|one| (one.name().to_owned(), one.row, one.start, one.weight)).collect()
    }
}
