//! The boxes of a flame graph. Only their coordinates show which box is on top of which.

use std::cmp::Ordering;
use std::ops::Range;
use std::slice::from_ref;

use bstr::ByteSlice;
use common::{Result, numbers::decimal, stacks::FrameId};
use quick_xml::events::BytesStart;

use super::title::Title;
use crate::read::decimal::scaled;
use crate::read::nodes::{self, Node, note_excess};
use crate::read::xml::attribute;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

/// How many boxes at one position are tried as a parent. There are more only in damaged pictures,
/// and where boxes are narrower than a tenth of a pixel.
const TRIED: usize = 256;

/// The boxes of a picture.
#[derive(Default)]
pub(super) struct Boxes {
    boxes: Vec<Frame>,
    /// The unit of the weights, from the box of the whole picture.
    unit: Vec<u8>,
    /// Whether titles show other numbers than the attributes: `--factor`.
    is_scaled: bool,
    /// How many boxes have no count, neither in their title nor in their attributes.
    uncounted: u64,
    /// The weight by which boxes exceed the boxes below them.
    excess: u128,
    /// The weight of the whole picture, where it says that in a place of its own.
    stated: Option<u64>,
    /// Whether its script says that the roots are at the top.
    is_inverted: bool,
}

/// A box. Coordinates are in samples, or in units of 1/10,000 of a pixel or percent.
#[derive(Clone, Copy, Debug)]
struct Frame {
    y: i64,
    left: i64,
    right: i64,
    /// Whether the picture has a count for it. If not, its total is that of the boxes on top of it.
    is_counted: bool,
    total: u64,
    /// The weight that is in no box on top of it.
    own: u64,
    name: FrameId,
    /// The box below it.
    parent: Option<u32>,
    likeness: Likeness,
}

/// How likely it is that a box is the whole picture, which is not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    None,
    /// It has the name `all`.
    Named,
    /// It has the name `all`, or `all samples` as in 2012, and `100%`.
    Sure,
}

impl Boxes {
    /// Adds a box. Some titles have no count, such as those that `--nameattr` of inferno and
    /// flamegraph.pl replaces: then the whole title is the name.
    pub(super) fn add(&mut self, title: &[u8], rect: &BytesStart<'_>, samples: &mut Samples<'_>) {
        let parsed = Title::parse(title);
        let is_title_counted = parsed.is_some();
        let title = parsed.unwrap_or(Title { name: title, ..Title::default() });
        let place = |name: &str| fixed(&attribute(rect, name.as_bytes()));
        let count = |name: &str| decimal(&attribute(rect, name.as_bytes()));
        let exact = count("fg:x").zip(count("fg:w"));
        let (left, width) = match exact {
            Some((left, width)) => (saturated(left), saturated(width)),
            None => (place("x"), place("width")),
        };
        let total = match exact {
            Some((_, width)) if !title.has_two_counts => width,
            _ => title.total,
        };
        let likeness = match title.name {
            b"all" | b"all samples" if title.is_whole => Likeness::Sure,
            b"all" => Likeness::Named,
            _ => Likeness::None,
        };
        let is_counted = is_title_counted || exact.is_some();
        self.uncounted += u64::from(!is_counted);
        self.is_scaled |= is_title_counted && total != title.total;
        if likeness > Likeness::None {
            self.unit = title.unit.to_vec();
        }
        self.boxes.push(Frame {
            y: place("y"),
            left,
            right: left.saturating_add(width),
            is_counted,
            total,
            own: total,
            name: samples.frame(title.name),
            parent: None,
            likeness,
        });
    }

    /// Notes the weight in `<g id="frames" total_samples="188">`.
    pub(super) fn note_frames(&mut self, group: &BytesStart<'_>) {
        self.stated = self.stated.or_else(|| decimal(&attribute(group, b"total_samples")));
    }

    /// Notes what the script says: `var inverted = true;`.
    pub(super) fn note_script(&mut self, script: &[u8]) {
        self.is_inverted |= script.contains_str("inverted = true");
    }

    /// Adds the stacks, each with the weight that is in no box on top of its last one.
    pub(super) fn add_all(mut self, samples: &mut Samples<'_>) -> Result<()> {
        let has_whole = self.arrange();
        let unit: &[u8] = if self.is_scaled { b"" } else { &self.unit };
        samples.events.set_measures(&[Measure { name: b"", unit }]);
        let node = |number: usize| {
            let Frame { name, own, parent, .. } = &self.boxes[number];
            Node { frames: from_ref(name), own: from_ref(own), parent: *parent }
        };
        nodes::add(self.boxes.len(), usize::from(has_whole), node, &Sample::default(), samples)?;
        self.report(samples);
        Ok(())
    }

    /// Sorts the boxes, lower ones first, and finds their parents. Returns whether the first is the
    /// whole picture.
    fn arrange(&mut self) -> bool {
        let lowest_first = self.stands_on_bottom();
        let level = |frame: &Frame| if lowest_first { frame.y.saturating_neg() } else { frame.y };
        self.boxes.sort_by_key(|frame| (level(frame), frame.left, frame.right));
        let mut below = 0..0;
        while below.end < self.boxes.len() {
            let y = self.boxes[below.end].y;
            let length = self.boxes[below.end..].partition_point(|frame| {
                level(frame) <= if lowest_first { y.saturating_neg() } else { y }
            });
            let here = below.end..below.end + length;
            self.find_parents(below, here.clone());
            below = here;
        }
        self.count_uncounted();
        self.boxes.first().is_some_and(|first| {
            first.likeness > Likeness::None
                && self.boxes.get(1).is_none_or(|next| next.y != first.y)
        })
    }

    /// Whether the roots are at the bottom, as in a flame graph; in an icicle graph they are at the
    /// top. Deno draws no box of the whole picture, so the row with more weight is that of the roots.
    fn stands_on_bottom(&self) -> bool {
        let row = |y: Option<i64>| {
            let boxes: Vec<_> = self.boxes.iter().filter(|frame| Some(frame.y) == y).collect();
            let likeness = if let [only] = boxes[..] { only.likeness } else { Likeness::None };
            let total: u128 = boxes.iter().map(|frame| u128::from(frame.total)).sum();
            let width = |frame: &&Frame| i128::from(frame.right) - i128::from(frame.left);
            (likeness, total, boxes.iter().map(width).sum::<i128>())
        };
        let ys = || self.boxes.iter().map(|frame| frame.y);
        match row(ys().max()).cmp(&row(ys().min())) {
            Ordering::Equal => !self.is_inverted,
            order => order == Ordering::Greater,
        }
    }

    /// Finds the parents of the boxes `here` among the boxes directly below.
    fn find_parents(&mut self, below: Range<usize>, here: Range<usize>) {
        let mut first = below.start;
        for number in here {
            let child = self.boxes[number];
            while first < below.end && self.boxes[first].right < child.left {
                first += 1;
            }
            let tried = self.boxes[first..below.end].iter().enumerate().take(TRIED);
            let under = tried
                .take_while(|(_, it)| it.left <= child.left)
                .filter(|(_, it)| child.right <= it.right);
            // At an edge a box may fit on two: then its parent is the one with enough weight left.
            let fits = under.clone().find(|(_, it)| !it.is_counted || it.own >= child.total);
            let Some((offset, _)) = fits.or_else(|| under.clone().next()) else { continue };
            self.boxes[number].parent = u32::try_from(first + offset).ok();
            self.take_from(first + offset, child.total);
        }
    }

    /// Subtracts the weight of a box from its parent's own weight, or adds it to the total of a
    /// parent without a count.
    fn take_from(&mut self, parent: usize, total: u64) {
        let parent = &mut self.boxes[parent];
        if parent.is_counted {
            self.excess += u128::from(total.saturating_sub(parent.own));
            parent.own = parent.own.saturating_sub(total);
        } else {
            parent.total = parent.total.saturating_add(total);
        }
    }

    /// Adds the totals of boxes without a count to their parents. Boxes on top of others come later
    /// in the list, so this goes backwards.
    fn count_uncounted(&mut self) {
        for number in (0..self.boxes.len()).rev() {
            let Frame { is_counted, total, parent, .. } = self.boxes[number];
            if let (false, Some(parent)) = (is_counted, parent) {
                self.take_from(parent as usize, total);
            }
        }
    }

    fn report(&self, samples: &mut Samples<'_>) {
        let Boxes { uncounted, excess, is_scaled, .. } = self;
        let what = "boxes have no count: their weight stays with their callers";
        samples.note_count(*uncounted, what);
        if *is_scaled {
            samples.note("titles show multiples of the counts: the counts themselves are taken");
        }
        note_excess(*excess, samples);
        let roots = self.boxes.iter().filter(|it| it.parent.is_none());
        let drawn: u128 = roots.map(|it| u128::from(it.total)).sum();
        if let Some(stated) = self.stated.filter(|&stated| u128::from(stated) != drawn) {
            samples.note(format_args!(
                "the picture says that it has {stated} samples, and has boxes for {drawn}"
            ));
        }
    }
}

/// `12.3`, `12.3456%`: in units of 1/10,000; 0 if it is not a number.
fn fixed(text: &[u8]) -> i64 {
    let number = scaled(text.strip_suffix(b"%").unwrap_or(text), 4);
    number.and_then(|number| i64::try_from(number).ok()).unwrap_or_default()
}

fn saturated(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
