//! The build-id of an object, and how it is known.

/// The build-id of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BuildId {
    pub(super) bytes: Box<[u8]>,
    /// Whether it was read from the file that was mapped. If not, it was read after the run from
    /// the file that was at the path then, which may be another one.
    pub(super) is_of_mapping: bool,
}

/// The build-id without the zeros that fill it up to 20 bytes.
pub(super) fn without_padding(build_id: &[u8]) -> &[u8] {
    match build_id.strip_suffix(&[0; 4]) {
        Some(short) if build_id.len() == 20 && short.ends_with(&[0; 12]) => &[],
        Some(short) if build_id.len() == 20 => short,
        _ => build_id,
    }
}
