//! The sections of a file that hold DWARF.

use std::borrow::Cow;

use object::Object;

use crate::bounded_slice::BoundedSlice;
use crate::sections::SectionReader;

/// A part of a file, which stays in memory until the program ends.
pub(super) type Bytes = BoundedSlice<'static>;

/// The bytes of a section, empty if there is none or if it is damaged.
pub(super) fn read_section<F: Object<'static>>(
    reader: &mut SectionReader<'_, F>,
    name: Option<&str>,
) -> Bytes {
    let bytes = name.and_then(|name| reader.bytes(name)).unwrap_or_default();
    Bytes::new(kept(bytes))
}

/// Keeps the bytes until the program ends, as long as the files.
pub(super) fn kept(bytes: Cow<'static, [u8]>) -> &'static [u8] {
    match bytes {
        Cow::Borrowed(bytes) => bytes,
        Cow::Owned(decompressed) => decompressed.leak(),
    }
}
