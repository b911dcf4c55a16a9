//! What the tool must know of a format to write it.

use std::io;

use common::io::{Files, Output};
use common::{Error, Result, Status, pipe::Pipe};

use crate::event::ExportedEvent;
use crate::labelled::HeldLabels;
use crate::profile::Profile;

/// A format that can be written.
#[derive(Debug)]
pub(crate) struct Target {
    /// The name as the user writes it.
    pub(crate) name: &'static str,
    /// What opens it; shown by `--help`.
    pub(crate) about: &'static str,
    pub(crate) labels: HeldLabels,
    /// Whether it has fields for files and lines.
    pub(crate) has_places: bool,
    /// Whether names must be UTF-8.
    pub(crate) is_text: bool,
    pub(crate) load: fn(&Profile, &ExportedEvent) -> Load,
    pub(crate) write: Writer,
}

/// How a format is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writer {
    /// Line by line, in the order in which lines come in. The event is the one that the user chose.
    Lines(fn(&Files, Option<&str>, &mut Pipe) -> Result<Status>),
    /// From the sums of equal lines of all events.
    AllEvents(fn(&Profile, &mut Output) -> io::Result<()>),
    /// From the sums of equal lines of one event.
    OneEvent(fn(&Profile, &mut Output) -> io::Result<()>),
}

/// What an event weighs in a format.
pub(crate) struct Load {
    /// The sum of the weights that the format shows.
    pub(crate) weight: u64,
    /// The largest sum that the format can hold.
    pub(crate) most: u64,
}

impl Target {
    /// A text of names and any weights, without labels but the event, and without places.
    pub(crate) const fn plain(name: &'static str, about: &'static str, write: Writer) -> Target {
        Target {
            name,
            about,
            labels: HeldLabels::Event,
            has_places: false,
            is_text: true,
            load: |_, event| Load { weight: event.total, most: u64::MAX },
            write,
        }
    }

    /// Checks that the format can hold the weights.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the weights of an event are too large.
    pub(crate) fn check(&self, profile: &Profile) -> Result<()> {
        let mut loads = profile.events.iter().map(|event| (self.load)(profile, event));
        match loads.find(|load| load.weight > load.most) {
            None => Ok(()),
            Some(Load { weight, most }) => {
                let format = self.name;
                let what = format!("{format} holds weights up to {most}, but all weigh {weight}");
                Err(Error::Usage(what))
            }
        }
    }
}
