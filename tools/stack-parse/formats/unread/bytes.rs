//! Files of bytes that no first word names.

use bstr::ByteSlice;

use crate::read::protobuf::{Fields, Value};

const ARCHIVE: &str = "a tar archive: unpack it first";
const CORE: &str =
    "a core file: 'gdb -batch -ex \"thread apply all bt\" PROGRAM CORE' prints its stacks";
const EXECUTABLE: &str = "an executable: stack-symbols lists its functions";
const OTLP: &str = "a profile of OpenTelemetry (OTLP): export pprof instead";
const PICKLE: &str = "a pickle of Python: only the program that wrote it knows what it holds";
const XHPROF: &str = "a profile of XHProf: it has calls but no stacks";

/// All that [`looks_like`] may say.
#[cfg(test)]
pub(super) const ALL: [&str; 6] = [ARCHIVE, CORE, EXECUTABLE, OTLP, PICKLE, XHPROF];

/// What a file of bytes seems to be, by its first ones.
pub(super) fn looks_like(start: &[u8]) -> Option<&'static str> {
    if is_archive(start) {
        return Some(ARCHIVE);
    }
    match start {
        [0x7f, b'E', b'L', b'F', rest @ ..] => Some(if is_core(rest) { CORE } else { EXECUTABLE }),
        [0x80, 2..=5, ..] => Some(PICKLE),
        [b'a', b':', ..] => start.contains_str("\"main()==>").then_some(XHPROF),
        [0x0a, ..] if is_otlp(start) => Some(OTLP),
        _ => None,
    }
}

/// Whether this is a tar archive: its first header says so after the name of a file, which
/// is padded with NULs.
pub(in crate::formats) fn is_archive(start: &[u8]) -> bool {
    const MAGIC: usize = 257;
    start.get(MAGIC..MAGIC + 5) == Some(b"ustar") && start[..MAGIC].contains(&0)
}

/// Whether an ELF file, of which `rest` follows the magic bytes, is what remained of a process.
fn is_core(rest: &[u8]) -> bool {
    const CORE: u16 = 4;
    const BIG_ENDIAN: u8 = 2;
    match rest {
        [_, BIG_ENDIAN, ..] => rest.get(12..14) == Some(&CORE.to_be_bytes()),
        _ => rest.get(12..14) == Some(&CORE.to_le_bytes()),
    }
}

/// Whether there are profiles of a scope of a resource.
fn is_otlp(start: &[u8]) -> bool {
    let resource = begun(start, 1);
    let Some(profile) = resource.and_then(|it| begun(it, 2)).and_then(|it| begun(it, 2)) else {
        return false;
    };
    let is_field = |field: &Result<(u64, Value<'_>), _>| matches!(field, Ok((1..=32, _)));
    Fields::of(profile).take(2).filter(is_field).count() == 2
}

/// The first message with this number, or as much of it as there is.
fn begun(message: &[u8], number: u64) -> Option<&[u8]> {
    let mut fields = Fields::of(message);
    let found = (&mut fields).map_while(Result::ok).find_map(|field| match field {
        (found, Value::Bytes(bytes)) if found == number => Some(bytes),
        _ => None,
    });
    found.or_else(|| {
        let (tag, rest) = fields.rest().split_first()?;
        let length = rest.iter().position(|byte| *byte < 0x80)?;
        (u64::from(*tag) == number << 3 | 2).then(|| &rest[length + 1..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_called_what_they_are() {
        let elf = |kind: u8| [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[kind, 0, 62, 0]].concat();
        let big_endian = [&b"\x7fELF\x02\x02\x01"[..], &[0; 9], &[0, 4, 0, 22]].concat();
        let tar = [&b"dir/a.folded\0"[..], &[0; 244], b"ustar\x0000"].concat();
        // A resource, a scope, a profile: its sample type and one sample.
        let otlp = b"\x0a\x0e\x12\x0c\x12\x0a\x0a\x04\x08\x01\x10\x02\x12\x02\x08\x01";
        for (bytes, expected) in [
            (&elf(4)[..], CORE),
            (&big_endian, CORE),
            (&elf(3), EXECUTABLE),
            (b"\x7fELF", EXECUTABLE),
            (&tar, ARCHIVE),
            (b"\x80\x04\x95\x10\0\0\0\0\0\0\0}", PICKLE),
            (b"\x80\x02}q\0", PICKLE),
            (b"a:1:{s:16:\"main()==>strlen\";a:1:{s:2:\"ct\";i:1;}}", XHPROF),
            (otlp, OTLP),
            // The end was not seen.
            (&[&b"\x0a\x7f\x12\x7d\x12\x7b"[..], &otlp[6..]].concat(), OTLP),
        ] {
            assert_eq!(looks_like(bytes), Some(expected), "{bytes:?}");
        }
        for bytes in [&b""[..], b"\n", b"\n\nhello\n", b"\x7fEL", b"a:1 2\n", b"\x80abc"] {
            assert_eq!(looks_like(bytes), None, "{bytes:?}");
        }
        let text = [&b"main;"[..], &[b'x'; 252], b"ustar 3\n"].concat();
        assert!(!is_archive(&text));
    }
}
