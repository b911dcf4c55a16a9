//! The attributes of resources, profiles and samples, which become labels.

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
