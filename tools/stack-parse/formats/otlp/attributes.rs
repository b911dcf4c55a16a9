//! The attributes of resources, profiles and samples, which become labels.

use super::FORMAT;
use super::dictionary::Dictionary;
use crate::read::own_labels::OwnLabels;

/// A text, or the number of a string that the dictionary may have later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Known(Vec<u8>),
    Number(u64),
}

impl Default for Text {
    fn default() -> Text {
        Text::Known(Vec::new())
    }
}

/// A key and its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) key: Text,
    pub(super) value: Text,
    /// The number of the unit's name.
    pub(super) unit: u64,
}

impl Dictionary {
    /// Adds an attribute as a label. Those of the thread, the process and the processor get the
    /// same keys as in all formats.
    pub(super) fn add_label(&self, attribute: &Attribute, labels: &mut OwnLabels) {
        let key = match self.text(&attribute.key) {
            b"thread.name" => &b"comm"[..],
            b"thread.id" => b"tid",
            b"process.pid" => b"pid",
            b"cpu.logical_number" => b"cpu",
            key => key,
        };
        let mut value = self.text(&attribute.value).to_vec();
        if value.is_empty() {
            return;
        }
        let unit = self.string(attribute.unit);
        if !unit.is_empty() {
            value.push(b' ');
            value.extend_from_slice(unit);
        }
        if !key.is_empty() && !labels.has(key) {
            labels.add(FORMAT.name, key, &value);
        }
    }
}
