//! Says what the picture shows: the words and colours of its boxes and of the lines below
//! them.

use std::collections::HashSet;
use std::io;

use common::names::{FrameParts, LEAST_LETTERS, base_of_place, fitted};
use common::numbers::{Unit, counted, grouped, seconds};
use common::pipe::Split;
use common::stacks::{FrameId, FrameTable};
use common::trust::Trust;
use inferno::flamegraph::color::Color;

use crate::change::{self, Comparison};
use crate::chart::{Block, Drawing, What};
use crate::colors::{self, Colors, Named};
use crate::document::{Caption, Document, PADDING};
use crate::embed::{self, Columns, Embedded, hex};
use crate::escape::shown;
use crate::footer::Footer;
use crate::kind::Kind;
use crate::look::{LETTER_WIDTH, Look};
use crate::profile::{Before, LeftOut, Node, Profile};
use crate::sight::rows_in_sight;
use crate::strip::Strip;

/// Up to this weight, all weights are exact as numbers of the script.
const MOST_OF_A_NUMBER: u64 = 1 << 53;

/// What the picture shows, and its looks.
pub(crate) struct Picture<'a> {
    pub(crate) kind: Kind,
    pub(crate) look: &'a Look,
    pub(crate) frames: &'a FrameTable,
    /// Every frame, for the script; `None` for a picture without one.
    pub(crate) script_data: Option<&'a Profile>,
    /// The frames that `--max-frames` left out, which the script lacks, too.
    pub(crate) cut: LeftOut,
    /// The frames that are drawn without the script; it lacks those that are too deep.
    pub(crate) drawn: &'a Profile,
    /// What ran when, if lines say it.
    pub(crate) strip: Option<&'a Strip>,
    /// The boxes of a flame chart of lines that have a time, in place of `drawn` and the strip.
    pub(crate) chart: Option<&'a Drawing>,
    /// The frames that are too narrow to be drawn without the script.
    pub(crate) narrow: LeftOut,
    pub(crate) comparison: Comparison,
    /// For each frame of `frames`, whether it changed by more than noise explains, and the same for
    /// the whole.
    pub(crate) changed: &'a [bool],
    pub(crate) whole_changed: bool,
    /// How the input was split into profiles, each with its own root frame.
    pub(crate) split: Option<&'a Split>,
    /// How far the profile can be trusted.
    pub(crate) trust: &'a Trust,
    pub(crate) command: String,
}

impl Picture<'_> {
    /// Draws it.
    ///
    /// # Errors
    ///
    /// None is expected: it is drawn in memory.
    pub(crate) fn draw(&self) -> io::Result<Vec<u8>> {
        let ids = embed::names_by_use(self.script_data.unwrap_or(self.drawn), self.frames);
        let roots = match self.kind.reverse {
            true => HashSet::new(),
            false => self.script_data.unwrap_or(self.drawn).only_roots(self.frames.len()),
        };
        let named = self.look.colors.named(&ids, self.frames, self.split, &roots);
        let colors = self.look.colors.of_names(&named)?;
        let legend = self.legend(&ids, &named);
        let mut by_name = vec![colors::WHOLE; self.frames.len()];
        for (&id, &color) in ids.iter().zip(&colors) {
            by_name[id as usize] = color;
        }
        let embedded = self.script_data.map(|profile| {
            let columns = Columns { gaps: self.is_in_order(), before: self.kind.diff };
            let classes = self.look.colors.of_classes(&named, &colors);
            let colors: Vec<_> = colors.iter().copied().zip(classes).collect();
            let mut embedded = Embedded::new(profile, columns, self.frames, &ids, &colors);
            (embedded.facts, embedded.legend) = (self.facts(&ids), legend.clone());
            embedded.strip = self.strip;
            embedded
        });
        let (look, title, footer) = (self.look, self.look.title(self.kind), self.footer(legend));
        let Some(Drawing { blocks, length, .. }) = self.chart else {
            let (boxes, width) = (&*self.drawn.nodes, self.drawn.total());
            let (rows_in_sight, hangs) = (rows_in_sight(boxes), look.inverted);
            let strip = self.strip;
            let document = Document {
                look,
                title,
                strip,
                boxes,
                width,
                hangs,
                rows_in_sight,
                footer,
                embedded,
            };
            return document
                .write(|index, node| self.caption(node, self.drawn.before(index), &by_name));
        };
        let rows_in_sight = blocks.last().map_or(0, |last| last.row as usize);
        let (boxes, width, hangs, strip) = (&**blocks, *length, true, None);
        let document =
            Document { look, title, strip, boxes, width, hangs, rows_in_sight, footer, embedded };
        document.write(|_, block| self.caption_in_chart(block, &by_name))
    }

    /// Whether it is a chart of lines that have no time: frames are in the order of the lines.
    fn is_in_order(&self) -> bool {
        self.kind.chart && self.chart.is_none()
    }

    /// The letters that a box has room for, and whether it is wide.
    fn letters(&self, share: f64) -> (usize, bool) {
        let width = share * self.look.frames_width() as f64;
        let letter = f64::from(self.look.font_size) * LETTER_WIDTH;
        (((width - 2.0 * PADDING as f64) / letter) as usize, width >= 3.0)
    }

    /// The text of a box of a chart.
    fn caption_in_chart(&self, block: &Block, colors: &[Color]) -> Caption {
        let length = self.chart.map_or(1, |chart| chart.length);
        let (letters, is_wide) = self.letters((block.end - block.start) as f64 / length as f64);
        let lanes = self.strip.map_or(&[][..], |strip| &strip.lanes);
        let share = format!("{:.2}%", block.weight as f64 / self.drawn.total() as f64 * 100.0);
        let numbers = format!("{}, {share}", self.look.counted(block.weight));
        let of_frame = |id: FrameId| (shown(self.frames.name(id)), label(self.frames.name(id)));
        let ((name, text), color) = match block.what {
            What::Lane(number) => {
                let name = &lanes[number].name;
                ((name.clone(), format!("{name} ({numbers})")), colors::WHOLE)
            }
            What::Frame(id) => (of_frame(id), colors[id as usize]),
            What::Narrow(count, id) => {
                let (name, text) = of_frame(id);
                let times = if count > 1 { format!("{name}, {count} times") } else { name };
                ((times, text), colors::pale(colors[id as usize]))
            }
            What::Mixed(count, id) => {
                let frames = format!("{} narrow frames", grouped(count));
                ((frames, String::new()), colors::pale(colors[id as usize]))
            }
        };
        let when = match block.what {
            What::Lane(_) => String::new(),
            _ => format!(", {} – {} s", micro(block.start), micro(block.end)),
        };
        let title = format!("{name} ({numbers}{when})");
        Caption { title, label: fitted(&text, letters), fill: hex(color), is_wide }
    }

    /// The text of a box.
    fn caption(&self, node: &Node, before: Before, colors: &[Color]) -> Caption {
        let (before, after) = (before.weight, node.weight - before.weight);
        let frame = node.frame().map_or(&b"all"[..], |id| self.frames.name(id));
        let (name, text) = (shown(frame), label(frame));
        let share = node.weight as f64 / self.drawn.total() as f64;
        let (letters, is_wide) = self.letters(share);
        let (title, label) = if self.kind.diff {
            let change = self.comparison.words(before, after);
            let label = match self.is_changed(node) {
                true => with_change(&text, &change, letters),
                // What noise explains is no change.
                false => fitted(&text, letters),
            };
            (self.two_weights(&name, node, [before, after], &change), label)
        } else {
            let counted = self.look.counted(node.weight);
            (format!("{name} ({counted}, {:.2}%)", share * 100.0), fitted(&text, letters))
        };
        let color = match node.frame() {
            _ if self.kind.diff && !self.is_changed(node) => change::UNCHANGED,
            _ if self.kind.diff => self.comparison.color(before, after),
            Some(id) => colors[id as usize],
            None => colors::WHOLE,
        };
        Caption { title, label, fill: hex(color), is_wide }
    }

    /// Whether the function changed by more than noise explains.
    fn is_changed(&self, node: &Node) -> bool {
        node.frame().map_or(self.whole_changed, |id| self.changed[id as usize])
    }

    /// `f (100 counts before, 50 after: -50.0%)`.
    fn two_weights(
        &self,
        name: &str,
        node: &Node,
        [before, after]: [u64; 2],
        change: &str,
    ) -> String {
        let before = self.look.counted(before);
        let noise = if self.is_changed(node) { "" } else { "; noise explains it" };
        format!("{name} ({before} before, {} after: {change}{noise})", grouped(after))
    }

    /// The numbers of the names that changed by more than noise explains, and `all`, if the whole
    /// did.
    fn changed_names(&self, ids: &[FrameId]) -> String {
        let numbers = ids.iter().zip(0..).filter(|(id, _)| self.changed[**id as usize]);
        let numbers = numbers.map(|(_, number): (_, usize)| number.to_string());
        let whole = self.whole_changed.then(|| "all".to_owned());
        whole.into_iter().chain(numbers).collect::<Vec<_>>().join(" ")
    }

    /// The lines below the boxes: what the picture shows and leaves out.
    fn footer(&self, legend: Vec<(Color, String)>) -> Footer {
        let mut footer = Footer::new(self.look.font_size, self.look.frames_width());
        if let Some(chart) = self.chart {
            footer.push_axis(chart.length, |time| format!("{} s", seconds(time)));
        } else if self.kind.chart {
            footer.push_axis(self.drawn.total(), grouped);
        }
        footer.push_legend(legend.into_iter());
        footer.push_line(&self.totals());
        let hint = |how: &str| match self.script_data {
            Some(_) => format!("; {how} them in a browser"),
            None => String::new(),
        };
        let left_out = match self.chart {
            Some(chart) => chart.notes(self.drawn.total(), &hint("scrolling shows")),
            None => self.notes(&hint("zoom shows")),
        };
        let cut = self.cut.cut_words(self.drawn.total());
        for words in left_out.into_iter().chain(self.comparison_words()).chain(cut) {
            footer.push_line(&words);
        }
        if let Some(trust) = self.trust_words() {
            footer.push_note(&trust, &self.trust.reasons().join("; "));
        }
        footer.push_line(&self.command);
        footer
    }

    /// The frames that are not drawn, and those that are out of sight.
    fn notes(&self, hint: &str) -> Vec<String> {
        let is_any = |(left_out, _): &(LeftOut, &str)| left_out.frames > 0;
        let words = |(left_out, why): (LeftOut, &str)| {
            format!("{} too {why} to draw{hint}", left_out.are(self.drawn.total()))
        };
        let left_out = [(self.narrow, "narrow"), (self.drawn.left_out, "deep")].into_iter();
        left_out.filter(is_any).map(words).chain(self.sight_words(hint)).collect()
    }

    /// What is in the picture and out of sight.
    fn sight_words(&self, hint: &str) -> Option<String> {
        let nodes = &self.drawn.nodes;
        let rows = nodes.iter().map(|node| node.depth as usize).max().unwrap_or(0);
        let out_of_sight = (rows - rows_in_sight(nodes)) as u64;
        let levels = counted(out_of_sight, "levels");
        (out_of_sight > 0).then(|| format!("{levels} more, far from the roots, out of sight{hint}"))
    }

    fn totals(&self) -> String {
        let total = self.drawn.total();
        let unit = Unit::named(&self.look.unit());
        let words = match unit {
            Unit::Unknown => format!("total weight {}", grouped(total)),
            _ => format!("total {}", unit.words(total)),
        };
        if self.kind.diff {
            let before = self.drawn.before(0).weight;
            let after = total - before;
            let change = Comparison::OF_WEIGHTS.words(before, after);
            let (before, after) = (unit.number(before), unit.number(after));
            return format!("{words}: {before} before, {after} after, {change}");
        }
        words
    }

    /// `trust: good for the order and the callers, fair for the sizes`
    fn trust_words(&self) -> Option<String> {
        self.trust.levels().map(|levels| format!("trust: {}", levels.words()))
    }

    fn comparison_words(&self) -> Option<String> {
        let compares_shares = self.kind.diff && !self.comparison.is_of_weights();
        compares_shares.then(|| {
            "changes are those of shares of the whole; --no-normalize compares weights".to_owned()
        })
    }

    /// What the colours of these names mean.
    fn legend(&self, ids: &[FrameId], named: &Named) -> Vec<(Color, String)> {
        let owned = |(color, word): (Color, &str)| (color, word.to_owned());
        if self.kind.diff {
            return change::LEGEND.into_iter().map(owned).collect();
        }
        match self.look.colors {
            Colors::Kind => named.legend().map(owned).collect(),
            Colors::Module => {
                let mut own = vec![0; self.frames.len()];
                for node in &self.script_data.unwrap_or(self.drawn).nodes {
                    if let Some(id) = node.frame() {
                        own[id as usize] += node.self_weight;
                    }
                }
                let weights = ids.iter().map(|&id| (self.frames.name(id), own[id as usize]));
                colors::heaviest_modules(weights)
            }
            Colors::Inferno(_) => Vec::new(),
        }
    }

    /// What the script must know besides the frames.
    fn facts(&self, ids: &[FrameId]) -> Vec<(&'static str, String)> {
        let Kind { reverse, chart, diff } = self.kind;
        let flag = |on: bool| if on { "1" } else { "" }.to_owned();
        let changes = change::COLORS.map(hex).join(" ");
        let view = match self.chart {
            Some(_) => "chart",
            None if reverse => "bottom-up",
            None => "flame",
        };
        vec![
            (
                "data-frames",
                self.script_data.map_or(0, |profile| profile.nodes.len() - 1).to_string(),
            ),
            ("data-large", flag(self.drawn.total() > MOST_OF_A_NUMBER)),
            ("data-chart", flag(chart && self.is_in_order())),
            ("data-diff", flag(diff)),
            ("data-kinds", flag(matches!(self.look.colors, Colors::Kind) && !diff)),
            ("data-split", self.split.map(Split::word).unwrap_or_default()),
            ("data-changes", if diff { changes } else { String::new() }),
            ("data-changed", if diff { self.changed_names(ids) } else { String::new() }),
            ("data-comparison", self.comparison_words().unwrap_or_default()),
            ("data-whole", hex(colors::WHOLE)),
            ("data-hidden", hex(self.look.colors.of_name(b"[hidden]"))),
            ("data-view", view.to_owned()),
            ("data-inverted", flag(self.look.inverted)),
            ("data-title", self.look.given_title()),
            ("data-subtitle", self.look.subtitle().unwrap_or_default()),
            ("data-unit", self.look.unit()),
            ("data-width", self.look.width().map_or_else(String::new, |width| width.to_string())),
            ("data-letter", self.look.font_size.to_string()),
            ("data-row", self.look.frame_height().to_string()),
            ("data-totals", self.totals()),
            ("data-cut", self.cut.cut_words(self.drawn.total()).unwrap_or_default()),
            ("data-trust", self.trust_words().unwrap_or_default()),
            ("data-doubts", self.trust.reasons().join("; ")),
            ("data-command", self.command.clone()),
        ]
    }
}

/// A time in seconds, to the microsecond.
fn micro(time: u64) -> String {
    seconds(time / 1000 * 1000)
}

/// The name, shortened, and after it its change, such as `+50.0%`; only the name if there is no
/// room for both.
fn with_change(name: &str, change: &str, letters: usize) -> String {
    match letters.saturating_sub(change.chars().count() + 1) {
        left @ LEAST_LETTERS.. => format!("{} {change}", fitted(name, left)),
        _ => fitted(name, letters),
    }
}

/// What a box says, as far as there is room: the frame's place comes without the folders, which are
/// in the title of the box.
fn label(frame: &[u8]) -> String {
    let FrameParts { name, place, marks } = FrameParts::of(frame);
    match place {
        b"" => shown(frame),
        _ => shown(&[name, b" (", base_of_place(place), b")", marks].concat()),
    }
}
