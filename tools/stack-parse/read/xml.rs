//! The text and attributes of XML, in which invalid parts are kept as they are.

use std::borrow::Cow;

use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesRef, BytesStart};

/// The value of an attribute; empty if it is missing. Of two with the same name the first counts.
pub(crate) fn attribute<'a>(tag: &'a BytesStart<'_>, name: &[u8]) -> Cow<'a, [u8]> {
    let mut attributes = tag.attributes();
    let attributes = attributes.with_checks(false).flatten();
    let raw = attributes.into_iter().find(|it| it.key.as_ref() == name).map(|it| it.value);
    let raw = raw.unwrap_or_default();
    if !raw.contains(&b'&') {
        return raw;
    }
    // Invalid UTF-8 and unknown entities stay as they are.
    let text = std::str::from_utf8(&raw).ok().and_then(|text| unescape(text).ok());
    text.map(|text| Cow::Owned(text.into_owned().into_bytes())).unwrap_or(raw)
}

/// Appends the text of `&amp;` or `&#38;` between tags; another entity, such as `&nbsp;`, stays as
/// it is.
pub(crate) fn push_entity(entity: &BytesRef<'_>, text: &mut Vec<u8>) {
    let name = std::str::from_utf8(entity).ok();
    if let Some(known) = name.and_then(resolve_predefined_entity) {
        text.extend_from_slice(known.as_bytes());
    } else if let Ok(Some(char)) = entity.resolve_char_ref() {
        text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        text.push(b'&');
        text.extend_from_slice(entity);
        text.push(b';');
    }
}
