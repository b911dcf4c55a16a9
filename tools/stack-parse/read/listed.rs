//! Lines of `ls -l`, `tar tv` and `find -ls`, which list a file each:
//!
//! ```text
//! -rw-r--r-- 2 root root 33000 Nov 20 19:33 a.bin                ls -l
//! -rw-r--r--  0 root   root   33000 Nov 20 19:33 a.bin           BSD's tar
//! lrwxrwxrwx root/root     0 2026-11-20 19:33 link -> a.bin      GNU tar
//! crw-rw-rw- 1 root root  1, 3 Nov 20  2026 null                 a device has no size
//! ```

use bstr::ByteSlice;
use common::numbers::decimal;

/// A file in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Listed<'a> {
    /// The kind of the file, by the first letter of its mode: `d` is a folder.
    pub(crate) kind: u8,
    /// How many names it has, if the list has this number; else 0 or 1.
    pub(crate) links: u64,
    /// In bytes.
    pub(crate) size: u64,
    /// Without the target of a link.
    pub(crate) name: &'a [u8],
    /// Whether tar listed it, which writes escapes for odd bytes of names.
    pub(crate) is_tar: bool,
}

impl<'a> Listed<'a> {
    /// Reads a line; `None` if it lists no file.
    pub(crate) fn parse(line: &'a [u8]) -> Option<Listed<'a>> {
        let (mode, rest) = word(line)?;
        let kind = kind(mode)?;
        let (second, after) = word(rest)?;
        // BSD's tar always writes 0 as the number of links.
        let is_tar = second.contains(&b'/') || second == b"0";
        let (links, rest) = if second.contains(&b'/') {
            (1, after)
        } else {
            let (_owner, rest) = word(after)?;
            let (_group, rest) = word(rest)?;
            (decimal(second)?, rest)
        };
        let (size, rest) = size(rest)?;
        let rest = without_time(rest)?;
        // Only one blank is the separator: a name may begin with others.
        let name = without_target(kind, rest.strip_prefix(b" ")?);
        (!name.is_empty()).then_some(Listed { kind, links, size, name, is_tar })
    }
}

/// The letter of `drwxr-xr-x`; some systems add a mark at the end.
fn kind(mode: &[u8]) -> Option<u8> {
    let (&kind, rights) = mode.split_first()?;
    let (rights, mark) = rights.split_at_checked(9)?;
    let is_mode = b"-bcCdDhlLmMnNpPsSVwx?".contains(&kind)
        && rights.iter().all(|byte| b"-rwxsStTl".contains(byte))
        && matches!(mark, b"" | b"." | b"+" | b"@");
    is_mode.then_some(kind)
}

/// `33000`; `1,3` and `1, 3` are the numbers of a device.
fn size(rest: &[u8]) -> Option<(u64, &[u8])> {
    let (text, rest) = word(rest)?;
    if let Some(size) = decimal(text) {
        return Some((size, rest));
    }
    let (major, minor) = text.split_once_str(",")?;
    decimal(major)?;
    if minor.is_empty() {
        let (minor, rest) = word(rest)?;
        return decimal(minor).map(|_| (0, rest));
    }
    decimal(minor).map(|_| (0, rest))
}

/// What follows `Nov 20 19:33`, `2026-11-20 19:33` or `2026-11-20 19:33:01.5 +0000`.
fn without_time(rest: &[u8]) -> Option<&[u8]> {
    let (date, rest) = word(rest)?;
    let (time, rest) = word(rest)?;
    let is_iso = date.len() == 10 && date[4] == b'-' && date[7] == b'-';
    if !is_iso {
        return word(rest).map(|(_, rest)| rest);
    }
    let zone = word(rest).filter(|(zone, _)| time.contains(&b'.') && is_zone(zone));
    Some(zone.map_or(rest, |(_, rest)| rest))
}

fn is_zone(word: &[u8]) -> bool {
    matches!(word, [b'+' | b'-', digits @ ..] if digits.len() == 4 && decimal(digits).is_some())
}

/// `sub/link -> ../a.bin`, `sub/hard link to tree/a.bin`
fn without_target(kind: u8, name: &[u8]) -> &[u8] {
    let arrow = match kind {
        b'l' => " -> ",
        b'h' => " link to ",
        _ => return name,
    };
    name.split_once_str(arrow).map_or(name, |(name, _)| name)
}

/// The next word and what follows it.
pub(crate) fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = line.iter().position(|&byte| byte != b' ')?;
    let line = &line[start..];
    Some(line.split_at(line.find_byte(b' ').unwrap_or(line.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_are_read() {
        for (line, kind, links, size, name) in [
            ("-rw-r--r-- 2 root root 33000 Nov 20 19:33 a.bin", b'-', 2, 33000, "a.bin"),
            ("drwxr-xr-x root/root         0 2026-11-20 19:33 tree/", b'd', 1, 0, "tree/"),
            ("lrwxrwxrwx 0/0 0 2026-11-20 19:33:07 a b -> c", b'l', 1, 0, "a b"),
            ("hrw-r--r-- u/g 0 2026-11-20 19:33 b link to a", b'h', 1, 0, "b"),
            ("crw-rw-rw- 1 root root 1, 3 Nov 20  2026 null", b'c', 1, 0, "null"),
            ("brw-rw---- root/disk 8,0 2026-11-20 19:33 sda", b'b', 1, 0, "sda"),
            ("-rwsr-sr-t.  1 a b 7 2026-11-20 19:33:07.000000000 +0100  x", b'-', 1, 7, " x"),
            ("-rw-r--r--@ 1 a staff 7 Jan  1  2025 a -> b", b'-', 1, 7, "a -> b"),
        ] {
            let listed = Listed::parse(line.as_bytes()).expect(line);
            assert_eq!((listed.kind, listed.links, listed.size), (kind, links, size), "{line}");
            assert_eq!(listed.name, name.as_bytes(), "{line}");
        }
    }

    #[test]
    fn other_lines_list_nothing() {
        for line in [
            "",
            "total 48",
            "tree:",
            "drwxr-xr-x",
            "drwxr-xr-x root/root 0 2026-11-20 19:33",
            "drwxr-xr-x root/root x 2026-11-20 19:33 tree/",
            "drwxr-xr-xx root/root 0 2026-11-20 19:33 tree/",
            "a-rw-r--r-- 2 root root 33000 Nov 20 19:33 a.bin",
            "-rw-r--r-- two root root 33000 Nov 20 19:33 a.bin",
        ] {
            assert_eq!(Listed::parse(line.as_bytes()), None, "{line}");
        }
    }
}
