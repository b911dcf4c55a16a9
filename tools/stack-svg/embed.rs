//! The profile as text in the picture, for the script: names, one on each line,
//! and frames as numbers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::iter;

use common::names::module;
use common::stacks::{FrameId, FrameTable};
use inferno::flamegraph::color::Color;
use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};

use crate::base32::push_number;
use crate::escape::embedded;
use crate::profile::{Node, Profile};
use crate::strip::Strip;

/// The data for the script.
pub(crate) struct Embedded<'a> {
    /// Words and switches, as attributes: `data-unit="ns"`.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// The colours and what they mean.
    pub(crate) legend: Vec<(Color, String)>,
    /// What ran when, if lines say it.
    pub(crate) strip: Option<&'a Strip>,
    names: String,
    /// The distinct colours, each with the number of its class; the colours of the classes; and for
    /// each name, the number of its colour: a line for each of the three.
    colors: String,
    /// For each name, the number of its module, and on the next lines the modules.
    modules: String,
    frames: String,
}

/// Which further numbers each frame has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The distance from the end of its left sibling, or from its parent's start.
    pub(crate) gaps: bool,
    /// The part of its self weight that is of the first of two profiles.
    pub(crate) before: bool,
}

/// The distinct names of a profile. The most frequent come first and so get the
/// shortest numbers.
pub(crate) fn names_by_use(profile: &Profile, frames: &FrameTable) -> Vec<FrameId> {
    let mut uses = vec![0u32; frames.len()];
    for id in profile.nodes.iter().filter_map(Node::frame) {
        uses[id as usize] += 1;
    }
    let used = |&id: &FrameId| uses[id as usize] > 0;
    let mut ids: Vec<FrameId> = (0..frames.len() as FrameId).filter(used).collect();
    // Ids depend on the order of the lines, on which the picture must not depend.
    ids.sort_unstable_by(|&one, &other| {
        let by_use = uses[other as usize].cmp(&uses[one as usize]);
        by_use.then_with(|| frames.name(one).cmp(frames.name(other)))
    });
    ids
}

impl Embedded<'_> {
    /// `ids` are the distinct names, and `colors` their colours and those of their kinds
    /// or modules, in the same order.
    pub(crate) fn new(
        profile: &Profile,
        columns: Columns,
        frames: &FrameTable,
        ids: &[FrameId],
        colors: &[(Color, Color)],
    ) -> Self {
        let mut numbers = vec![0; frames.len()];
        for (number, &id) in (0u64..).zip(ids) {
            numbers[id as usize] = number;
        }
        let number = |id: FrameId| numbers[id as usize];
        Embedded {
            facts: Vec::new(),
            legend: Vec::new(),
            strip: None,
            names: lines(ids.iter().map(|&id| embedded(frames.name(id)))),
            colors: color_text(colors),
            modules: module_text(ids.iter().map(|&id| frames.name(id))),
            frames: frame_text(profile, columns, number),
        }
    }

    /// Writes the data in `metadata` elements, which viewers do not show.
    pub(crate) fn write(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let facts = self.facts.iter().map(|(key, value)| (*key, value.as_str()));
        let facts = iter::once(("id", "facts")).chain(facts);
        writer.create_element("metadata").with_attributes(facts).write_empty()?;
        let legend = self.legend.iter().map(|(color, word)| format!("{} {word}", hex(*color)));
        let legend = lines(legend);
        let texts = [
            ("legend", BytesText::new(&legend)),
            ("names", BytesText::new(&self.names)),
            ("colors", BytesText::from_escaped(&self.colors)),
            ("modules", BytesText::new(&self.modules)),
            ("tree", BytesText::from_escaped(&self.frames)),
        ];
        for (id, text) in texts {
            writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
            let element = writer.create_element("metadata").with_attribute(("id", id));
            element.write_text_content(text)?;
        }
        match self.strip {
            Some(strip) => write_strip(strip, writer),
            None => Ok(()),
        }
    }
}

fn write_strip(strip: &Strip, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let facts = strip.facts();
    let facts = facts.iter().map(|(key, value)| (*key, value.as_str()));
    writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
    let element = writer.create_element("metadata").with_attributes(facts);
    element.write_text_content(BytesText::new(&strip.lanes_text()))?;
    writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
    let element = writer.create_element("metadata").with_attribute(("id", "strip-data"));
    element.write_text_content(BytesText::from_escaped(&strip.entries))?;
    if let Some(chart) = &strip.chart {
        writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
        let element = writer.create_element("metadata").with_attribute(("id", "chart-data"));
        element.write_text_content(BytesText::from_escaped(&chart.text))?;
    }
    Ok(())
}

/// The texts as lines; the last one has no line end.
fn lines(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}

/// The numbers of every frame, a parent before its children: four times the number of its name, plus
/// 2 if its parent is not the frame before, plus 1 if it has self weight; how many levels up from
/// the frame before its parent is, and its self weight, each if it is not 0; and the numbers in
/// `columns`. The first, the whole, has its weights only. Most frames take one number, and browsers
/// read a long text slowly.
fn frame_text(profile: &Profile, columns: Columns, number: impl Fn(FrameId) -> u64) -> String {
    let mut text = String::with_capacity(profile.nodes.len() * 6);
    let mut levels = 0;
    // For each open frame, where its next child starts if there is no gap.
    let mut next: Vec<u64> = Vec::new();
    for (index, node) in profile.nodes.iter().enumerate() {
        let depth = node.depth as usize;
        if let Some(id) = node.frame() {
            let (up, own) = ((levels - depth) as u64, node.self_weight);
            push_number(4 * number(id) + 2 * u64::from(up > 0) + u64::from(own > 0), &mut text);
            [up, own].into_iter().filter(|it| *it > 0).for_each(|it| push_number(it, &mut text));
        } else {
            push_number(node.self_weight, &mut text);
        }
        levels = depth + 1;
        if columns.gaps {
            next.truncate(depth);
            if let Some(left) = next.last_mut() {
                push_number(node.start - *left, &mut text);
                *left = node.end();
            }
            next.push(node.start);
        }
        if columns.before {
            push_number(profile.before(index).self_weight, &mut text);
        }
    }
    text
}

fn color_text(colors: &[(Color, Color)]) -> String {
    let pairs = || colors.iter().map(|(color, class)| (rgb(color), rgb(class)));
    let classes = numbered(pairs().map(|(_, class)| class));
    let distinct = numbered(pairs());
    let mut words = Vec::new();
    for &([r, g, b], class) in distinct.keys() {
        let mut word = hex(Color { r, g, b });
        push_number(classes[&class], &mut word);
        words.push(word);
    }
    let class_words = classes.keys().map(|&[r, g, b]| hex(Color { r, g, b }));
    let mut numbers = String::new();
    for pair in pairs() {
        push_number(distinct[&pair], &mut numbers);
    }
    [words.join(" "), class_words.collect::<Vec<_>>().join(" "), numbers].join("\n")
}

/// Each of these things once, with its index among them.
fn numbered<T: Ord>(things: impl Iterator<Item = T>) -> BTreeMap<T, u64> {
    let distinct: BTreeSet<T> = things.collect();
    distinct.into_iter().zip(0..).collect()
}

fn module_text<'a>(names: impl Iterator<Item = &'a [u8]>) -> String {
    let mut numbers = HashMap::new();
    let (mut text, mut modules) = (String::new(), Vec::new());
    for module in names.map(module) {
        let number = *numbers.entry(module).or_insert_with(|| {
            modules.push(embedded(module));
            modules.len() as u64 - 1
        });
        push_number(number, &mut text);
    }
    lines(iter::once(text).chain(modules))
}

fn rgb(&Color { r, g, b }: &Color) -> [u8; 3] {
    [r, g, b]
}

pub(crate) fn hex(Color { r, g, b }: Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_is_a_number_in_a_list() {
        let (red, blue) = (Color { r: 255, g: 0, b: 0 }, Color { r: 0, g: 0, b: 255 });
        let (dark, grey) = (Color { r: 1, g: 1, b: 1 }, Color { r: 9, g: 9, b: 9 });
        let colors = color_text(&[(red, grey), (blue, dark), (red, grey)]);
        assert_eq!(colors, "#0000ff0 #ff00001\n#010101 #090909\n101");
    }

    #[test]
    fn a_module_is_a_number_in_a_list() {
        let names: [&[u8]; 5] = [b"A.f", b"main", b"A.g", b"read_[k]", b"x\xff::f"];
        assert_eq!(module_text(names.into_iter()), "01023\nA\n\n[kernel]\nx\\xFF");
    }

    #[test]
    fn frames_are_ways_from_one_to_the_next() {
        let node = |name, depth, start, weight, self_weight| Node {
            name,
            depth,
            start,
            weight,
            self_weight,
        };
        let nodes =
            [node(0, 0, 0, 9, 1), node(0, 1, 1, 4, 0), node(1, 2, 1, 4, 4), node(2, 1, 5, 4, 4)];
        let profile = Profile::new(nodes.to_vec());
        let text = |columns| frame_text(&profile, columns, u64::from);
        // 0; 4 * 1 + 1 and 4; 4 * 2 + 2 + 1, 2 and 4.
        assert_eq!(text(Columns::default()), "1054b24");
        assert_eq!(text(Columns { gaps: true, before: false }), "101540b240");
        assert_eq!(text(Columns { gaps: false, before: true }), "1000540b240");
    }
}
