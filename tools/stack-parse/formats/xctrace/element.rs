//! A tag and its attributes.

use std::borrow::Cow;

use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesRef, BytesStart};

use crate::read::numbers::decimal;

/// An element that begins.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a [u8],
    /// The id by which later elements refer to this one.
    pub(super) id: Option<u64>,
    /// The id of the element that this one stands for.
    pub(super) reference: Option<u64>,
    attributes: &'a BytesStart<'a>,
}

impl<'a> Element<'a> {
    pub(super) fn new(tag: &'a BytesStart<'a>) -> Element<'a> {
        let name = &tag[..tag.name().as_ref().len()];
        let (mut id, mut reference) = (None, None);
        // Of two attributes of a name the first counts.
        for attribute in tag.attributes().with_checks(false).flatten() {
            match attribute.key.as_ref() {
                b"id" => _ = id.get_or_insert_with(|| decimal(&attribute.value)),
                b"ref" => _ = reference.get_or_insert_with(|| decimal(&attribute.value)),
                _ => {}
            }
        }
        Element { name, id: id.flatten(), reference: reference.flatten(), attributes: tag }
    }

    /// An attribute; empty if it is not there.
    pub(super) fn text(&self, name: &[u8]) -> Cow<'a, [u8]> {
        let raw = self.raw(name).unwrap_or_default();
        if !raw.contains(&b'&') {
            return raw;
        }
        // What is no valid UTF-8 or no entity stays as it is.
        let text = std::str::from_utf8(&raw).ok().and_then(|text| unescape(text).ok());
        text.map(|text| Cow::Owned(text.into_owned().into_bytes())).unwrap_or(raw)
    }

    fn raw(&self, name: &[u8]) -> Option<Cow<'a, [u8]>> {
        let mut attributes = self.attributes.attributes();
        let attributes = attributes.with_checks(false).flatten();
        attributes.into_iter().find(|it| it.key.as_ref() == name).map(|it| it.value)
    }
}

/// What `&amp;` stands for between tags.
pub(super) fn entity(entity: &BytesRef<'_>) -> &'static [u8] {
    let name = std::str::from_utf8(entity).ok();
    name.and_then(resolve_predefined_entity).map_or(b"", str::as_bytes)
}
