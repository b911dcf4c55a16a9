//! Colours: by the kind of code, as in the picture, as far as the terminal has them.

use std::env;

use common::{io::terminal_color, names::CodeKind};
use ratatui::style::{Color, Modifier, Style};

/// The colour of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameColor {
    pub(crate) kind: CodeKind,
    rgb: [u8; 3],
}

impl FrameColor {
    pub(crate) fn of(kind: CodeKind, name: &[u8]) -> FrameColor {
        FrameColor { kind, rgb: kind.color(name) }
    }
}

/// How many colours a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Palette {
    None,
    Sixteen,
    Indexed,
    True,
}

/// The whole profile has a colour of its own.
const WHOLE: [u8; 3] = [220, 220, 220];

impl Palette {
    /// What the variables NO_COLOR, COLORTERM and TERM say.
    pub(crate) fn of_terminal() -> Palette {
        let variable = |name| env::var(name).unwrap_or_default();
        let (colors, term) = (variable("COLORTERM"), variable("TERM"));
        if !variable("NO_COLOR").is_empty() {
            Palette::None
        } else if colors.contains("truecolor")
            || colors.contains("24bit")
            || term.ends_with("-direct")
        {
            Palette::True
        } else if term.contains("256") {
            Palette::Indexed
        } else {
            Palette::Sixteen
        }
    }

    /// The style of a frame's box; `None` is the whole. All fills are light enough for black
    /// letters, so a dark and a light terminal show the same.
    pub(crate) fn of_frame(self, color: Option<FrameColor>) -> Style {
        let rgb = color.map_or(WHOLE, |color| color.rgb);
        let fill = match self {
            Palette::None => return Style::new(),
            Palette::True => Color::Rgb(rgb[0], rgb[1], rgb[2]),
            Palette::Indexed => Color::Indexed(terminal_color(rgb)),
            Palette::Sixteen => color.map_or(Color::Gray, |color| basic(color.kind)),
        };
        Style::new()
            .fg(if self == Palette::Sixteen { Color::Black } else { Color::Indexed(16) })
            .bg(fill)
    }

    /// The style of what a search found.
    pub(crate) fn of_hit(self) -> Style {
        match self {
            Palette::None => Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            Palette::Sixteen => Style::new().fg(Color::White).bg(Color::Magenta),
            Palette::Indexed | Palette::True => {
                Style::new().fg(Color::Indexed(231)).bg(Color::Indexed(164))
            }
        }
    }

    /// The style of the frame under the cursor.
    pub(crate) fn of_current(self) -> Style {
        match self {
            Palette::None => Style::new().add_modifier(Modifier::REVERSED),
            _ => Style::new().fg(Color::White).bg(Color::Blue).add_modifier(Modifier::BOLD),
        }
    }

    /// The style of what stays in the background.
    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(crate) fn has_fill(self) -> bool {
        self != Palette::None
    }
}

fn basic(kind: CodeKind) -> Color {
    match kind {
        CodeKind::Own => Color::LightRed,
        CodeKind::Library => Color::LightBlue,
        CodeKind::Runtime => Color::LightCyan,
        CodeKind::Kernel => Color::LightMagenta,
        CodeKind::Nameless => Color::Gray,
        CodeKind::Unknown => Color::LightYellow,
        CodeKind::Waiting => Color::White,
        CodeKind::Runnable => Color::LightGreen,
    }
}
