//! Options for the looks of the picture.

use clap::Args;
use common::{numbers::counted, picture::Theme};

use crate::colors::{self, Colors};
use crate::escape::visible;
use crate::kind::Kind;

/// The margins on the left and right, together, in pixels.
pub(crate) const SIDES: usize = 20;

/// The width in pixels in viewers that do not run the script; with it, the
/// picture fills the window.
const USUAL_WIDTH: usize = 1200;

/// The width of a monospace letter as a part of its height. A little more than
/// in common fonts: one letter too few is better than one that is cut.
pub(crate) const LETTER_WIDTH: f64 = 0.605;

/// The looks of the picture.
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
    pub(crate) font_size: u32,

    /// What the weights count, such as samples or ns
    #[arg(long, value_name = "WORD", visible_alias = "unit", alias = "countname")]
    pub(crate) count_name: Option<String>,

    /// The palette
    #[arg(long, value_name = "PALETTE", default_value = colors::KIND, value_parser = Colors::parser(), alias = "color")]
    pub(crate) colors: Colors,

    /// Light, dark, or (auto) as the reader's system
    #[arg(long, value_name = "THEME", default_value = "auto")]
    theme: Theme,

    /// Draw the roots on top: an icicle graph
    #[arg(long)]
    pub(crate) inverted: bool,
}

impl Look {
    /// The width in pixels, if the user gave one.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width.map(|width| width as usize)
    }

    /// The width of all frames together in pixels.
    pub(crate) fn frames_width(&self) -> usize {
        self.width().unwrap_or(USUAL_WIDTH) - SIDES
    }

    pub(crate) fn frame_height(&self) -> u32 {
        self.height.unwrap_or(self.font_size * 3 / 2)
    }

    /// Names the picture after what was profiled, unless the user gave a title.
    pub(crate) fn name(&mut self, profile: &str, kind: Kind) {
        self.title.get_or_insert_with(|| format!("{profile}{}", of_kind(kind)));
    }

    /// Says what was sampled, unless the user gave a second line.
    pub(crate) fn describe(&mut self, words: String) {
        self.subtitle.get_or_insert(words);
    }

    /// The user's title, the name of the profile, or what is drawn.
    pub(crate) fn title(&self, kind: Kind) -> String {
        let shape = match (self.inverted, kind.chart) {
            (_, true) => "Flame Chart",
            (true, _) => "Icicle Graph",
            _ => "Flame Graph",
        };
        self.title.as_deref().map_or_else(|| format!("{shape}{}", of_kind(kind)), visible)
    }

    /// The title, or nothing: the script then shows a title of its own.
    pub(crate) fn given_title(&self) -> String {
        self.title.as_deref().map_or_else(String::new, visible)
    }

    pub(crate) fn subtitle(&self) -> Option<String> {
        self.subtitle.as_deref().map(visible)
    }

    pub(crate) fn unit(&self) -> String {
        self.count_name.as_deref().map_or_else(String::new, visible)
    }

    /// A weight in words: `1,204 samples`.
    pub(crate) fn counted(&self, weight: u64) -> String {
        counted(weight, &self.count_name.as_deref().map_or_else(|| "counts".to_owned(), visible))
    }

    /// The attributes of the outermost element.
    pub(crate) fn attributes(&self) -> Vec<(&'static str, String)> {
        vec![
            ("class", self.theme.class("stack-svg")),
            ("font-family", "monospace".to_owned()),
            ("font-size", self.font_size.to_string()),
        ]
    }
}

/// What a title says about the order and number of profiles.
fn of_kind(kind: Kind) -> &'static str {
    match (kind.diff, kind.reverse) {
        (true, true) => ", before and after, merged from the leaves",
        (true, false) => ", before and after",
        (false, true) => ", merged from the leaves",
        (false, false) => "",
    }
}
