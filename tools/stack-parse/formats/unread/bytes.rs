//! Recognises binary files that do not begin with a known text.

use bstr::ByteSlice;

const ARCHIVE: &str = "a tar archive: unpack it first";
const CORE: &str =
    "a core file: 'gdb -batch -ex \"thread apply all bt\" PROGRAM CORE' prints its stacks";
const EXECUTABLE: &str = "an executable: stack-symbols lists its functions";
const ETL: &str = "an event trace of Windows (ETL): PerfView saves its stacks as speedscope";
const GO_TRACE: &str = "an execution trace of Go: run 'go tool trace -pprof=sync' on it";
const PICKLE: &str = "a pickle of Python: only the program that wrote it knows what it holds";
const PYTORCH: &str =
    "a snapshot of PyTorch's memory: run 'python -m torch.cuda._memory_viz memory' on it";
const XHPROF: &str = "a profile of XHProf: it has calls but no stacks";

/// All results of [`looks_like`].
#[cfg(test)]
pub(super) const ALL: [&str; 8] =
    [ARCHIVE, CORE, ETL, EXECUTABLE, GO_TRACE, PICKLE, PYTORCH, XHPROF];

/// What a binary file seems to be, from its first bytes.
pub(super) fn looks_like(start: &[u8]) -> Option<&'static str> {
    if is_archive(start) {
        return Some(ARCHIVE);
    }
    match start {
        [0x7f, b'E', b'L', b'F', rest @ ..] => Some(if is_core(rest) { CORE } else { EXECUTABLE }),
        [0x80, 2..=5, ..] => Some(if is_pytorch(start) { PYTORCH } else { PICKLE }),
        [b'g', b'o', b' ', ..] => is_go_trace(start).then_some(GO_TRACE),
        [b'a', b':', ..] => start.contains_str("\"main()==>").then_some(XHPROF),
        _ => is_etl(start).then_some(ETL),
    }
}

/// Whether a Go trace begins with its version, padded with NULs: `go 1.22 trace`.
fn is_go_trace(start: &[u8]) -> bool {
    const SIZE: usize = 16;
    start.get(..SIZE).is_some_and(|header| header.contains_str(" trace\0"))
}

/// Whether a pickle has the memory blocks of PyTorch.
fn is_pytorch(start: &[u8]) -> bool {
    start.contains_str("segments") && start.contains_str("allocated_size")
}

/// Whether this begins with a buffer of Windows event tracing: its size comes first, and its first
/// record is a header of the system, of 32 or 64 bits.
fn is_etl(start: &[u8]) -> bool {
    const RECORD: usize = 0x48;
    const SYSTEM: [[u8; 2]; 2] = [[1, 0xc0], [2, 0xc0]];
    let size = start.first_chunk().map_or(0, |size| u32::from_le_bytes(*size));
    let is_buffer = size >= 1024 && size.is_multiple_of(1024);
    let kind = start.get(RECORD + 2..RECORD + 4);
    is_buffer && SYSTEM.iter().any(|system| kind == Some(&system[..]))
}

/// Whether this is an archive: zip, or tar, whose first header has a magic word after the name of a
/// file, which is padded with NULs.
pub(in crate::formats) fn is_archive(start: &[u8]) -> bool {
    const MAGIC: usize = 257;
    if start.starts_with(b"PK\x03\x04") {
        return true;
    }
    start.get(MAGIC..MAGIC + 5) == Some(b"ustar") && start[..MAGIC].contains(&0)
}

/// Whether an ELF file is a core dump; `rest` is the part after the magic bytes.
fn is_core(rest: &[u8]) -> bool {
    const CORE: u16 = 4;
    const BIG_ENDIAN: u8 = 2;
    match rest {
        [_, BIG_ENDIAN, ..] => rest.get(12..14) == Some(&CORE.to_be_bytes()),
        _ => rest.get(12..14) == Some(&CORE.to_le_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_called_what_they_are() {
        let elf = |kind: u8| [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[kind, 0, 62, 0]].concat();
        let big_endian = [&b"\x7fELF\x02\x02\x01"[..], &[0; 9], &[0, 4, 0, 22]].concat();
        let tar = [&b"dir/a.folded\0"[..], &[0; 244], b"ustar\x0000"].concat();
        let etl = [&[0, 0, 1, 0][..], &[0; 0x44], &[2, 0, 2, 0xc0]].concat();
        for (bytes, expected) in [
            (&elf(4)[..], CORE),
            (&big_endian, CORE),
            (&elf(3), EXECUTABLE),
            (b"\x7fELF", EXECUTABLE),
            (&tar, ARCHIVE),
            (b"\x80\x04\x95\x10\0\0\0\0\0\0\0}", PICKLE),
            (b"\x80\x02}q\0", PICKLE),
            (b"\x80\x02}q\0(X\x08\0\0\0segmentsq\x01X\x0e\0\0\0allocated_size", PYTORCH),
            (b"go 1.22 trace\0\0\0\x01\x02", GO_TRACE),
            (&etl, ETL),
            (b"a:1:{s:16:\"main()==>strlen\";a:1:{s:2:\"ct\";i:1;}}", XHPROF),
        ] {
            assert_eq!(looks_like(bytes), Some(expected), "{bytes:?}");
        }
        for bytes in
            [&b""[..], b"\n", b"\n\nhello\n", b"\x7fEL", b"a:1 2\n", b"\x80abc", b"go 1.22\n"]
        {
            assert_eq!(looks_like(bytes), None, "{bytes:?}");
        }
        let text = [&b"main;"[..], &[b'x'; 252], b"ustar 3\n"].concat();
        assert!(!is_archive(&text));
    }
}
