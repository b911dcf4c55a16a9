//! An SVG picture of frames, read as XML.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A box of a picture.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Box {
    /// Where it starts, in counts, as precisely as its coordinates allow.
    pub(crate) start: u64,
    /// Its weight, from its title.
    pub(crate) weight: u64,
    /// Where it starts, as a share of the whole.
    left: Share,
    /// Its row: rows are numbered from below, that of the whole is 0.
    pub(crate) row: i64,
    pub(crate) fill: String,
    pub(crate) title: String,
    pub(crate) label: String,
}

/// A share in 1/1,000,000 of the whole, the precision of four decimals of a percent.
type Share = u64;

const WHOLE: Share = 1_000_000;

impl Box {
    /// The number in `f (1,204 samples, 5.60%)`, or the sum of the two in
    /// `f (100 counts before, 50 after: -50.0%)`.
    fn weight_in_title(&self) -> u64 {
        let numbers = self.title.rsplit_once(" (").expect("a weight in parentheses").1;
        let number = |text: &str| -> u64 {
            let digits = text.split(' ').next().expect("a first word").replace(',', "");
            digits.parse().expect("a number")
        };
        let after = numbers.split_once(" before, ").map_or(0, |(_, after)| number(after));
        number(numbers) + after
    }

    pub(crate) fn name(&self) -> &str {
        self.title.rsplit_once(" (").expect("a weight in parentheses").0
    }
}

/// The content of a picture.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    pub(crate) boxes: Vec<Box>,
    /// The texts outside of boxes.
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
        let weights: Vec<u64> = picture.boxes.iter().map(Box::weight_in_title).collect();
        let whole = u128::from(weights.iter().copied().max().unwrap_or(0));
        let most = u128::from(WHOLE);
        for (one, weight) in picture.boxes.iter_mut().zip(weights) {
            one.weight = weight;
            one.start = ((u128::from(one.left) * whole + most / 2) / most) as u64;
            let above = edges.binary_search(&one.row).expect("one of them");
            one.row = (edges.len() - 1 - above) as i64;
        }
        picture.boxes.sort();
        picture
    }

    fn open(&mut self, name: &str, path: &[String], attributes: &BTreeMap<String, String>) {
        match name {
            "svg" if path.is_empty() => {
                self.width = attributes["width"].clone();
                self.height = attributes["height"].parse().expect("pixels");
            }
            "g" => self.boxes.push(Box {
                start: 0,
                weight: 0,
                left: 0,
                row: 0,
                fill: String::new(),
                title: String::new(),
                label: String::new(),
            }),
            "rect" if path.ends_with(&["g".to_owned()]) => {
                let one = self.boxes.last_mut().expect("a box");
                let decimals = attributes["x"].strip_suffix('%').expect("a percentage");
                one.left = decimals.replace('.', "").parse().expect("digits");
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

    /// All frames except the whole, as (name, row, start, weight).
    pub(crate) fn frames(&self) -> Vec<(String, i64, u64, u64)> {
        let frames = self.boxes.iter().filter(|one| one.row > 0);
        frames.map(|one| (one.name().to_owned(), one.row, one.start, one.weight)).collect()
    }
}
