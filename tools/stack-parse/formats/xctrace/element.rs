//! A tag and its attributes.

use common::numbers::decimal;

use std::borrow::Cow;

use quick_xml::events::BytesStart;

use crate::read::xml::attribute;

/// The start of an element.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a [u8],
    /// The id by which later elements refer to this one.
    pub(super) id: Option<u64>,
    /// The id of the element that this one refers to.
    pub(super) reference: Option<u64>,
    attributes: &'a BytesStart<'a>,
}

impl<'a> Element<'a> {
    pub(super) fn new(tag: &'a BytesStart<'a>) -> Element<'a> {
        let name = &tag[..tag.name().as_ref().len()];
        let (mut id, mut reference) = (None, None);
        // If an attribute occurs twice, the first one counts.
        for attribute in tag.attributes().with_checks(false).flatten() {
            match attribute.key.as_ref() {
                b"id" => _ = id.get_or_insert_with(|| decimal(&attribute.value)),
                b"ref" => _ = reference.get_or_insert_with(|| decimal(&attribute.value)),
                _ => {}
            }
        }
        Element { name, id: id.flatten(), reference: reference.flatten(), attributes: tag }
    }

    /// An attribute; empty if it is missing.
    pub(super) fn text(&self, name: &[u8]) -> Cow<'a, [u8]> {
        attribute(self.attributes, name)
    }
}
