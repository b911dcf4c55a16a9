//! Text without the bytes that would break a line.

/// Appends `frame` to `out` as a folded line can hold it: `;` becomes `:` and
/// a control byte a space.
///
/// OCaml's operator `.%(;..)` is such a frame.
pub fn clean_frame(frame: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(frame);
    clean_frame_in_place(&mut out[start..]);
}

/// Changes a frame as [`clean_frame`] does.
pub fn clean_frame_in_place(frame: &mut [u8]) {
    // Without a branch, so that the compiler handles many bytes at once.
    for byte in frame {
        *byte = match *byte {
            b';' => b':',
            control if control.is_ascii_control() => b' ',
            other => other,
        };
    }
}

/// Appends `text` to `out` with a space in place of each control byte: a stack or
/// a comment that another program wrote.
pub(crate) fn clean_text(text: &[u8], out: &mut Vec<u8>) {
    out.extend(text.iter().map(|&byte| if byte.is_ascii_control() { b' ' } else { byte }));
}
