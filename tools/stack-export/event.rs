//! The events that the stacks were counted for, and what their weights measure.

use bstr::ByteSlice;
use common::{FrameId, Pipe, Unit, clean_frame};

/// What a profiler counted: one profile of its own.
pub(crate) struct ExportedEvent {
    /// As the header lines call it.
    pub(crate) name: Option<String>,
    /// What the user or the header lines call the unit.
    unit_name: Option<String>,
    /// The root frame of its stacks; `None` where events are no frames.
    pub(crate) root: Option<FrameId>,
    /// What all its stacks weigh.
    pub(crate) total: u64,
}

impl ExportedEvent {
    /// The only event.
    pub(crate) fn only(pipe: &Pipe, unit: Option<&str>) -> ExportedEvent {
        let unit_name = unit.map(str::to_owned).or_else(|| pipe.header_unit());
        ExportedEvent {
            name: pipe.header_value("event").map(text),
            unit_name,
            root: None,
            total: 0,
        }
    }

    /// The event that header lines give this name and unit, whose stacks have this root.
    pub(crate) fn of_root(name: &[u8], unit: &[u8], root: FrameId) -> ExportedEvent {
        ExportedEvent {
            name: Some(text(name)),
            unit_name: Some(text(unit)),
            root: Some(root),
            total: 0,
        }
    }

    /// What its weights measure.
    pub(crate) fn unit(&self) -> Unit {
        Unit::named(self.unit_name.as_deref().unwrap_or_default())
    }

    /// The name of the event, or else of its unit.
    pub(crate) fn label(&self) -> &str {
        let names = [&self.name, &self.unit_name].into_iter().flatten();
        names.map(String::as_str).find(|name| !name.is_empty()).unwrap_or("samples")
    }

    /// The same with the unit behind it, for formats that have no place for a unit that is
    /// neither a time nor bytes: `page-faults (samples)`.
    pub(crate) fn label_with_unit(&self) -> String {
        match self.unit() {
            Unit::Things(unit) if unit != self.label() => format!("{} ({unit})", self.label()),
            _ => self.label().to_owned(),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    bytes.to_str_lossy().into_owned()
}

/// The name of an event as a frame.
pub(crate) fn as_frame(name: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    clean_frame(name, &mut frame);
    frame
}
