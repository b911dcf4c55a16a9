//! Draws the picture: inferno draws the boxes, and everything else is added.

use std::io;

use common::{FrameId, FrameTable, fitted, fitted_with, grouped};
use inferno::flamegraph::color::Color;
use inferno::flamegraph::{self, Direction, Options};

use crate::colors::{self, Colors};
use crate::embed::{self, Columns, Embedded, hex};
use crate::escape::{parseable, shown};
use crate::footer::Footer;
use crate::kind::Kind;
use crate::look::{LETTER_WIDTH, Look};
use crate::numbers::{change, percent};
use crate::postprocess::{self, Additions, Caption};
use crate::profile::{LeftOut, Node, Profile};

/// What the picture shows, and its looks.
pub(crate) struct Picture<'a> {
    pub(crate) kind: Kind,
    pub(crate) look: &'a Look,
    pub(crate) frames: &'a FrameTable,
    /// Every frame, for the script; `None` for a picture without one.
    pub(crate) script_data: Option<&'a Profile>,
    /// What `--max-frames` left out, also of what the script has.
    pub(crate) cut: LeftOut,
    /// The frames that are drawn without the script; it lacks those that are too deep.
    pub(crate) drawn: &'a Profile,
    /// The frames that are too narrow to be drawn without it.
    pub(crate) narrow: LeftOut,
    pub(crate) command: String,
}

impl Picture<'_> {
    /// Draws it.
    ///
    /// # Errors
    ///
    /// An error of inferno's, which is not expected.
    pub(crate) fn draw(&self) -> io::Result<Vec<u8>> {
        let ids = embed::names_by_use(self.script_data.unwrap_or(self.drawn), self.frames);
        let colors = self.look.colors.of_names(&ids, self.frames)?;
        let mut by_name = vec![colors::WHOLE; self.frames.len()];
        for (&id, &color) in ids.iter().zip(&colors) {
            by_name[id as usize] = color;
        }
        let svg = self.boxes()?;
        let mut drawn: Vec<&Node> = self.drawn.nodes.iter().collect();
        // In the order of inferno: by where they end, then the lowest first.
        drawn.sort_by_key(|node| (node.end(), node.depth));
        let embedded = self.script_data.map(|profile| {
            let columns = Columns { gaps: self.kind.chart, before: self.kind.diff };
            let mut embedded = Embedded::new(profile, columns, self.frames, &ids, &colors);
            (embedded.facts, embedded.legend) = (self.facts(), self.legend(&ids));
            embedded
        });
        let additions = Additions {
            captions: drawn.into_iter().map(|node| self.caption(node, &by_name)),
            attributes: self.look.attributes(),
            title: self.look.title(self.kind),
            description: "Each box is a frame; the wider it is, the more it weighs.".to_owned(),
            footer: self.footer(&ids),
            embedded,
        };
        postprocess::postprocess(&svg, additions)
    }

    /// The boxes as inferno draws them.
    fn boxes(&self) -> io::Result<Vec<u8>> {
        let lines = lines(self.drawn, self.frames);
        let look = self.look;
        let mut options = Options::default();
        options.deterministic = true;
        options.title = look.title(self.kind);
        options.subtitle = look.subtitle();
        options.image_width = look.width();
        options.font_size = look.font_size as usize;
        options.frame_height = look.frame_height() as usize;
        options.font_width = LETTER_WIDTH;
        options.direction = if look.inverted { Direction::Inverted } else { Direction::Straight };
        // Narrow frames were left out before, and the footer says so.
        options.min_width = 0.0;
        options.flame_chart = true;
        let mut svg = Vec::new();
        flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut svg)?;
        Ok(svg)
    }

    /// The text of a box. Inferno's own text would show the name as in the lines
    /// that it was given, and weights over 2^53 rounded.
    fn caption(&self, node: &Node, colors: &[Color]) -> Caption {
        let name = node.frame.map_or_else(|| "all".to_owned(), |id| shown(self.frames.name(id)));
        let share = node.weight as f64 / self.drawn.total() as f64;
        let width = share * self.look.frames_width() as f64;
        // A margin of three pixels on each side.
        let letters = ((width - 6.0) / (f64::from(self.look.font_size) * LETTER_WIDTH)) as usize;
        let (title, label) = if self.kind.diff {
            let change = change(node.before, node.after());
            (self.two_weights(&name, node, &change), fitted_with(&name, &change, letters))
        } else {
            let counted = self.look.counted(node.weight);
            (format!("{name} ({counted}, {:.2}%)", share * 100.0), fitted(&name, letters))
        };
        let color = match node.frame {
            _ if self.kind.diff => colors::of_change(node.before, node.after()),
            Some(id) => colors[id as usize],
            None => colors::WHOLE,
        };
        Caption { weight: node.weight, title, label, fill: hex(color), is_wide: width >= 3.0 }
    }

    /// `f (100 counts before, 50 after: -50.0%)`.
    fn two_weights(&self, name: &str, node: &Node, change: &str) -> String {
        let before = self.look.counted(node.before);
        format!("{name} ({before} before, {} after: {change})", grouped(node.after()))
    }

    /// The lines below the boxes: what the picture shows and leaves out.
    fn footer(&self, ids: &[FrameId]) -> Footer {
        let mut footer = Footer::new(self.look.font_size, self.look.frames_width());
        if self.kind.chart {
            footer.push_axis(self.drawn.total());
        }
        footer.push_legend(self.legend(ids).into_iter());
        footer.push_line(&self.totals());
        let hint = if self.script_data.is_some() { "; zoom shows them in a browser" } else { "" };
        for (left_out, why) in [(self.narrow, "narrow"), (self.drawn.left_out, "deep")] {
            if left_out.frames > 0 {
                let frames_are = self.frames_are(left_out);
                footer.push_line(&format!("{frames_are} too {why} to draw{hint}"));
            }
        }
        if let Some(cut) = self.cut_words() {
            footer.push_line(&cut);
        }
        footer.push_line(&self.command);
        footer
    }

    fn totals(&self) -> String {
        let root = &self.drawn.nodes[0];
        let total = match self.look.count_name {
            Some(_) => format!("total {}", self.look.counted(root.weight)),
            None => format!("total weight {}", grouped(root.weight)),
        };
        if self.kind.diff {
            let (before, after) = (grouped(root.before), grouped(root.after()));
            let change = change(root.before, root.after());
            return format!("{total}: {before} before, {after} after, {change}");
        }
        total
    }

    fn cut_words(&self) -> Option<String> {
        let words = || {
            let frames = self.frames_are(self.cut);
            format!("{frames} cut by --max-frames; their callers have what they weigh")
        };
        (self.cut.frames > 0).then(words)
    }

    /// `4 frames (0.7% of the weight) are`.
    fn frames_are(&self, frames: LeftOut) -> String {
        let (noun, verb) = if frames.frames == 1 { ("frame", "is") } else { ("frames", "are") };
        let share = percent(frames.weight, self.drawn.total());
        format!("{} {noun} ({share} of the weight) {verb}", grouped(frames.frames))
    }

    /// What the colours of these names mean.
    fn legend(&self, ids: &[FrameId]) -> Vec<(Color, String)> {
        let owned = |(color, word): (Color, &str)| (color, word.to_owned());
        if self.kind.diff {
            return colors::CHANGE_LEGEND.into_iter().map(owned).collect();
        }
        match self.look.colors {
            Colors::Kind => {
                let names = ids.iter().map(|&id| self.frames.name(id));
                colors::legend(names).map(owned).collect()
            }
            Colors::Module | Colors::Inferno(_) => Vec::new(),
        }
    }

    /// What the script must know besides the frames.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let Kind { reverse, chart, diff } = self.kind;
        let flag = |on: bool| if on { "1" } else { "" }.to_owned();
        let changes = colors::CHANGES.map(hex).join(" ");
        vec![
            ("data-chart", flag(chart)),
            ("data-diff", flag(diff)),
            ("data-changes", if diff { changes } else { String::new() }),
            ("data-whole", hex(colors::WHOLE)),
            ("data-view", if reverse { "bottom-up" } else { "flame" }.to_owned()),
            ("data-inverted", flag(self.look.inverted)),
            ("data-title", self.look.given_title()),
            ("data-subtitle", self.look.subtitle().unwrap_or_default()),
            ("data-unit", self.look.unit()),
            ("data-width", self.look.width().map_or_else(String::new, |width| width.to_string())),
            ("data-letter", self.look.font_size.to_string()),
            ("data-row", self.look.frame_height().to_string()),
            ("data-totals", self.totals()),
            ("data-cut", self.cut_words().unwrap_or_default()),
            ("data-command", self.command.clone()),
        ]
    }
}

/// The folded lines that make inferno draw exactly our boxes, the last line
/// first, as it wants them for a flame chart.
///
/// In a flame chart inferno keeps the order of the lines. Otherwise it would sort
/// `a`, `a b;c`, `a;d` as bytes, and draw `a` twice.
fn lines(profile: &Profile, frames: &FrameTable) -> Vec<String> {
    let mut stack = Stack { open: Vec::new(), text: String::new(), now: 0, lines: Vec::new() };
    for node in &profile.nodes {
        stack.close(node.depth);
        stack.advance(node.start);
        let name = node.frame.map(|id| parseable(frames.name(id)));
        stack.open(node, name);
    }
    stack.close(0);
    let mut lines = stack.lines;
    lines.reverse();
    lines
}

/// The boxes that have begun and not ended, while lines are made.
struct Stack {
    /// For each box, where it ends, and the length of `text` with its name.
    open: Vec<(u64, usize)>,
    text: String,
    /// The weight of all lines so far.
    now: u64,
    lines: Vec<String>,
}

impl Stack {
    /// Adds a line for the weight from `now` to `to`, which the innermost open
    /// box does not share with a child.
    fn advance(&mut self, to: u64) {
        if to > self.now {
            let stack = if self.text.is_empty() { postprocess::GAP } else { &self.text };
            self.lines.push(format!("{stack} {}", to - self.now));
            self.now = to;
        }
    }

    fn open(&mut self, node: &Node, name: Option<String>) {
        if let Some(name) = name {
            if !self.text.is_empty() {
                self.text.push(';');
            }
            self.text.push_str(&name);
        }
        self.open.push((node.end(), self.text.len()));
    }

    /// Ends all boxes at this depth and deeper.
    fn close(&mut self, depth: usize) {
        while self.open.len() > depth
            && let Some((end, _)) = self.open.last()
        {
            self.advance(*end);
            self.open.pop();
            self.text.truncate(self.open.last().map_or(0, |(_, length)| *length));
        }
    }
}
