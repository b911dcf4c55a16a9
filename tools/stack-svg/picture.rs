//! The picture: inferno draws it, from lines that it cannot misread.

use std::collections::BTreeSet;
use std::io;

use clap::Args;
use common::{FrameId, FrameTable};
use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{self, Direction, Options, TextTruncateDirection};

use crate::colors::{self, Colors};
use crate::finish::{self, Caption, Finish};
use crate::footer::Footer;
use crate::names::{fitted, parseable, shown, visible};
use crate::numbers::{grouped, percent};
use crate::prune::{Drawn, Pruned};

/// What inferno leaves free on the left and right together.
const SIDES: usize = 20;

/// The width in viewers that do not run the script, which makes it fluid.
const USUAL_WIDTH: usize = 1200;

/// How wide a monospace letter is, in parts of its height; a little more than
/// those of common fonts, as a letter too few is better than one cut in half.
pub(crate) const LETTER_WIDTH: f64 = 0.605;

/// Opaque, as a page around the picture may be dark and its letters are not.
const WHITE: Color = Color { r: 255, g: 255, b: 255 };

/// What the user says about the looks.
#[derive(Args)]
pub(crate) struct Look {
    /// The text over the picture
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// A second line of text over the picture
    #[arg(long, value_name = "TEXT")]
    subtitle: Option<String>,

    /// The width in pixels; without it the picture fills its window
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(100..=100_000))]
    width: Option<u32>,

    /// The height of a frame in pixels [default: one and a half letters]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(3..=200))]
    height: Option<u32>,

    /// The height of letters in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 12, alias = "fontsize")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=100))]
    font_size: u32,

    /// What the weights count, such as samples or ns
    #[arg(long, value_name = "WORD", visible_alias = "unit", alias = "countname")]
    count_name: Option<String>,

    /// The palette
    #[arg(long, value_name = "PALETTE", default_value = colors::KIND, value_parser = Colors::parser())]
    colors: Colors,

    /// Draw the roots on top: an icicle graph
    #[arg(long)]
    inverted: bool,
}

impl Look {
    fn image_width(&self) -> usize {
        self.width.map_or(USUAL_WIDTH, |width| width as usize)
    }

    /// The width of all frames together in pixels.
    pub(crate) fn frames_width(&self) -> usize {
        self.image_width() - SIDES
    }

    fn title(&self, reverse: bool) -> String {
        let kind = if self.inverted { "Icicle Graph" } else { "Flame Graph" };
        let order = if reverse { ", merged from the leaves" } else { "" };
        self.title.as_deref().map_or_else(|| format!("{kind}{order}"), visible)
    }

    /// A weight in words: `1,204 samples`.
    fn counted(&self, weight: u64) -> String {
        let number = grouped(weight);
        match &self.count_name {
            Some(word) => format!("{number} {}", visible(word)),
            None if weight == 1 => format!("{number} count"),
            None => format!("{number} counts"),
        }
    }
}

/// Draws a pruned tree; `reverse` says that leaves are its roots.
///
/// # Errors
///
/// What inferno says, which has no reason to.
pub(crate) fn draw(
    pruned: &Pruned,
    frames: &FrameTable,
    look: &Look,
    reverse: bool,
) -> io::Result<Vec<u8>> {
    let lines = lines(pruned, frames);
    let mut palette = match look.colors {
        Colors::Kind => Some(kinds(pruned, frames)),
        Colors::Inferno(_) => None,
    };
    let mut options = options(look, reverse);
    options.palette_map = palette.as_mut();
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut svg)?;

    let captions =
        pruned.by_end().into_iter().map(|drawn| caption(&drawn, pruned.total(), frames, look));
    let gap = pruned.boxes[0].self_weight > 0;
    let footer = footer(pruned, frames, look);
    finish::finish(&svg, Finish { captions, gap, footer })
}

/// The lines of folded text that make inferno draw exactly our boxes, last
/// one first: as for a flame chart, where it keeps the order and looks for no
/// other. It would sort `a`, `a b;c`, `a;d` as bytes, and draw `a` twice.
fn lines(pruned: &Pruned, frames: &FrameTable) -> Vec<String> {
    let mut lines = Vec::new();
    let mut stack = String::new();
    let mut ends = Vec::new();
    for drawn in &pruned.boxes {
        let Some(frame) = drawn.frame else {
            if drawn.self_weight > 0 {
                lines.push(format!("{} {}", finish::GAP, drawn.self_weight));
            }
            continue;
        };
        ends.truncate(drawn.depth - 1);
        stack.truncate(ends.last().copied().unwrap_or(0));
        if !ends.is_empty() {
            stack.push(';');
        }
        stack.push_str(&parseable(frames.name(frame)));
        ends.push(stack.len());
        if drawn.self_weight > 0 {
            lines.push(format!("{stack} {}", drawn.self_weight));
        }
    }
    lines.reverse();
    lines
}

/// Our colours, in the form in which inferno takes those of earlier pictures.
fn kinds(pruned: &Pruned, frames: &FrameTable) -> PaletteMap {
    let mut palette = PaletteMap::default();
    palette.insert("", colors::WHOLE);
    for name in names(pruned, frames) {
        palette.insert(parseable(name), colors::of_kind(name));
    }
    palette
}

fn options(look: &Look, reverse: bool) -> Options<'static> {
    let mut options = Options::default();
    if let Colors::Inferno(palette) = look.colors {
        options.colors = palette;
    }
    options.deterministic = true;
    options.bgcolors = Some(BackgroundColor::Flat(WHITE));
    options.title = look.title(reverse);
    options.subtitle = look.subtitle.as_deref().map(visible);
    options.image_width = look.width.map(|width| width as usize);
    options.font_size = look.font_size as usize;
    options.frame_height = look.height.unwrap_or(look.font_size * 3 / 2) as usize;
    options.font_width = LETTER_WIDTH;
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.direction = if look.inverted { Direction::Inverted } else { Direction::Straight };
    // Ours is done, and says what it left out.
    options.min_width = 0.0;
    options.flame_chart = true;
    options
}

/// What a box says of itself. Inferno's own words would show the name as the
/// lines have it, and weights over 2^53 rounded.
fn caption(drawn: &Drawn, total: u64, frames: &FrameTable, look: &Look) -> Caption {
    let name = drawn.frame.map_or_else(|| "all".to_owned(), |frame| shown(frames.name(frame)));
    let share = drawn.weight as f64 / total as f64;
    let title = format!("{name} ({}, {:.2}%)", look.counted(drawn.weight), share * 100.0);
    // Three pixels on each side stay free.
    let width = share * look.frames_width() as f64 - 6.0;
    let letters = width / (f64::from(look.font_size) * LETTER_WIDTH);
    let label = fitted(&name, letters as usize);
    Caption { weight: drawn.weight, title, label }
}

/// What the picture shows and what it leaves out.
fn footer(pruned: &Pruned, frames: &FrameTable, look: &Look) -> Footer {
    let mut footer = Footer::new(look.font_size);
    footer.push_line(match look.count_name {
        Some(_) => format!("total {}", look.counted(pruned.total())),
        None => format!("total weight {}", grouped(pruned.total())),
    });
    if pruned.narrow_frames > 0 {
        let count = grouped(pruned.narrow_frames);
        let (noun, verb) =
            if pruned.narrow_frames == 1 { ("frame", "is") } else { ("frames", "are") };
        let share = percent(pruned.narrow_weight, pruned.total());
        footer
            .push_line(format!("{count} {noun} ({share} of the weight) {verb} too narrow to draw"));
    }
    if let Colors::Kind = look.colors {
        footer.push_legend(colors::legend(names(pruned, frames)));
    }
    footer
}

/// The distinct names that are drawn.
fn names<'a>(pruned: &Pruned, frames: &'a FrameTable) -> impl Iterator<Item = &'a [u8]> {
    let drawn: BTreeSet<FrameId> = pruned.boxes.iter().filter_map(|drawn| drawn.frame).collect();
    drawn.into_iter().map(|frame| frames.name(frame))
}
