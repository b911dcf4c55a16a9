//! What the program shows beside the view: what is typed, the menu, messages, where it is
//! scrolled to; and what comes in while it is shown.

use common::names::{module, printable};
use common::stacks::{FrameId, StackCounts};
use common::{Result, numbers::Unit};

use crate::colors::Palette;
use crate::layout::{Layout, layout};
use crate::profile::Profile;
use crate::steps::Step;
use crate::view::{Kind, View};

/// What keys do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Walk,
    Keys,
    Search(String),
    /// The name of a file to write to.
    File(String),
    /// The menu of filters, and which of them is chosen.
    Menu(usize),
}

/// How the program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Quit,
    /// The stacks that are shown go to standard output.
    Write,
    /// They were written to a file.
    Written,
    Interrupted,
}

/// What came in while a recording goes on.
pub(crate) struct Interval {
    pub(crate) all: StackCounts,
    pub(crate) last: StackCounts,
    pub(crate) unit: Unit,
}

/// A recording that goes on.
pub(crate) struct Recording {
    newest: Interval,
    pub(crate) is_paused: bool,
    pub(crate) is_last: bool,
    pub(crate) is_over: bool,
}

pub(crate) struct App {
    pub(crate) view: View,
    pub(crate) mode: Mode,
    pub(crate) message: String,
    pub(crate) palette: Palette,
    /// The columns and rows of the terminal.
    pub(crate) size: [usize; 2],
    /// The first row of boxes or of the table in sight; `None` shows the roots, or the middle of
    /// a sandwich.
    pub(crate) first_row: Option<isize>,
    /// The boxes that were drawn last.
    pub(crate) layout: Layout,
    pub(crate) live: Option<Recording>,
    /// Whether what is written goes to a file, since standard output is a terminal.
    pub(crate) asks_for_file: bool,
    pub(crate) ended: Option<Ended>,
    /// A text for the clipboard.
    pub(crate) copied: Option<String>,
}

/// The lines above the boxes, without the line of the steps, and the lines below them.
const LINES_ABOVE: usize = 2;
const LINES_BELOW: usize = 3;

impl App {
    pub(crate) fn new(profile: Profile, palette: Palette, asks_for_file: bool) -> App {
        App {
            view: View::new(profile),
            mode: Mode::Walk,
            message: String::new(),
            palette,
            size: [80, 24],
            first_row: None,
            layout: Layout::default(),
            live: None,
            asks_for_file,
            ended: None,
            copied: None,
        }
    }

    /// The lines above the boxes.
    pub(crate) fn lines_above(&self) -> usize {
        let wanted = LINES_ABOVE + usize::from(!self.view.steps.is_empty());
        wanted.min(self.size[1].saturating_sub(LINES_BELOW + 1))
    }

    /// How many rows of boxes, or of the table with its head, fit.
    pub(crate) fn room(&self) -> usize {
        self.size[1].saturating_sub(self.lines_above() + LINES_BELOW.min(self.size[1] / 2)).max(1)
    }

    /// Places the boxes anew, for the rows that are in sight.
    pub(crate) fn place(&mut self) {
        if self.view.kind == Kind::Table {
            return;
        }
        let rows = self.first_row.unwrap_or(0).max(0) as usize + self.room() + 1;
        self.layout = layout(&mut self.view, self.size[0], rows);
        self.first_row = Some(self.first_row_in_sight());
    }

    /// The first row, and the one after the last.
    fn rows(&self) -> [isize; 2] {
        [-(self.layout.callers.len() as isize), self.layout.main.len() as isize]
    }

    fn first_row_in_sight(&self) -> isize {
        let room = self.room() as isize;
        let [least, end] = self.rows();
        let wanted = match (self.first_row, self.view.kind) {
            (Some(row), _) => row,
            (None, Kind::Sandwich) => -(room / 2),
            (None, _) => 0,
        };
        let first = wanted.min(end - room).max(least);
        // A sandwich that is not as high as the screen stays in its middle.
        if self.view.kind == Kind::Sandwich && end - least < room {
            least.max(-room / 2)
        } else {
            first
        }
    }

    /// Scrolls so that the current frame is in sight.
    pub(crate) fn reveal(&mut self) {
        let room = self.room() as isize;
        let row = match self.view.kind {
            Kind::Table => self.view.row as isize,
            _ => match self.view.current {
                Some(place) => Layout::row_of(&self.view, place),
                None => return,
            },
        };
        let room = if self.view.kind == Kind::Table { (room - 1).max(1) } else { room };
        let first = self.first_row.unwrap_or(0);
        self.first_row = Some(first.clamp(row - room + 1, row));
    }

    /// The line of the screen for a row of boxes, counted from the first such line.
    pub(crate) fn line_of(&self, row: isize) -> Option<usize> {
        let line = usize::try_from(row - self.first_row.unwrap_or(0)).ok()?;
        let room = self.room();
        (line < room).then(|| if self.goes_up() { room - 1 - line } else { line })
    }

    /// The row of boxes on a line.
    pub(crate) fn row_at(&self, line: usize) -> isize {
        let line = if self.goes_up() { self.room() - 1 - line.min(self.room() - 1) } else { line };
        line as isize + self.first_row.unwrap_or(0)
    }

    /// Whether rows with a higher number are higher up.
    pub(crate) fn goes_up(&self) -> bool {
        (self.view.kind == Kind::Sandwich) == self.view.is_flipped
    }

    /// What the menu offers for a frame.
    pub(crate) fn menu(&self) -> Vec<(String, Step)> {
        let mut menu = Vec::new();
        if let Some(frame) = self.view.current_frame() {
            let name = self.view.profile.function_name(frame).to_vec();
            menu.push(("Only stacks with it".to_owned(), Step::Only(name.clone())));
            menu.push(("Without these stacks".to_owned(), Step::Without(name.clone())));
            menu.push(("Hide it".to_owned(), Step::Hide(name)));
            let its = self.module_of(frame);
            if !its.is_empty() {
                let word = format!("Hide its module, {}", printable(&its));
                menu.push((word, Step::HideModule(its)));
            }
        }
        menu.push(("Fold recursion".to_owned(), Step::FoldRecursion));
        menu
    }

    fn module_of(&self, frame: FrameId) -> Vec<u8> {
        module(self.view.profile.name(frame)).to_vec()
    }

    /// Takes what came in while the recording goes on.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    pub(crate) fn take(&mut self, interval: Interval) -> Result<()> {
        let Some(live) = &mut self.live else { return Ok(()) };
        live.newest = interval;
        if live.is_paused { Ok(()) } else { self.show_newest() }
    }

    /// Shows all that came in, or the last interval.
    ///
    /// # Errors
    ///
    /// Those of [`App::take`].
    pub(crate) fn show_newest(&mut self) -> Result<()> {
        let Some(live) = &self.live else { return Ok(()) };
        let Interval { all, last, unit } = &live.newest;
        let counts = if live.is_last { last } else { all }.clone();
        self.view.renew(Profile::new(counts, unit.clone())?)
    }
}

impl Recording {
    /// A recording whose first interval is over.
    pub(crate) fn new(first: Interval) -> Recording {
        Recording { newest: first, is_paused: false, is_last: false, is_over: false }
    }
}
