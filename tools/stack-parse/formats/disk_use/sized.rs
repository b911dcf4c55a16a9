//! Lines of a size and a path: `33000 tree/a.bin`, with a tab or a blank between.

use bstr::ByteSlice;
use common::{Error, Result, io::Input, numbers::decimal};

use crate::read::records::for_each_record;
use crate::samples::Samples;

/// A file or a folder and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sized<'a> {
    pub(super) size: u64,
    pub(super) path: &'a [u8],
    /// Whether a tab separates them.
    pub(super) has_tab: bool,
    /// Whether a time or the letter of a kind of file is between them.
    has_column: bool,
}

impl<'a> Sized<'a> {
    /// Reads a line; `None` if it does not begin with a size. Between size and path there
    /// may be a time, or the letter of a kind of file.
    ///
    /// ```text
    /// 36⇥tree/a.bin
    /// 36⇥2026-11-20 19:33⇥tree/a.bin
    /// 36⇥f⇥tree/a.bin
    /// 36 tree/a.bin
    /// ```
    pub(super) fn parse(line: &'a [u8]) -> Option<Sized<'a>> {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let size = decimal(&line[..digits]).filter(|_| digits > 0)?;
        let (&separator, path) = line[digits..].split_first()?;
        let has_tab = separator == b'\t';
        if !has_tab && separator != b' ' {
            return None;
        }
        let column = path.split_once_str("\t").filter(|(column, _)| has_tab && is_column(column));
        let has_column = column.is_some();
        Some(Sized { size, path: column.map_or(path, |(_, path)| path), has_tab, has_column })
    }
}

impl Sized<'_> {
    /// Whether it was not cut short.
    fn is_whole(&self) -> bool {
        self.has_column || !self.path.is_empty()
    }
}

/// Whether this is no path, but a time or the letter of a kind of file.
fn is_column(column: &[u8]) -> bool {
    match column {
        [kind] => b"bcdpflsDNLU?".contains(kind),
        [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, ..] => {
            [y1, y2, y3, y4, m1, m2, d1, d2].iter().all(|byte| byte.is_ascii_digit())
        }
        // Seconds since 1970.
        _ => column.len() > 8 && column.iter().all(u8::is_ascii_digit),
    }
}

/// `4.0K⇥tree/b.txt`: a size that `du -h` rounded.
pub(super) fn is_rounded(line: &[u8]) -> bool {
    let Some((size, path)) = line.split_once_str("\t") else { return false };
    let digits = size.iter().take_while(|&&byte| byte.is_ascii_digit() || byte == b'.').count();
    let (number, unit) = size.split_at(digits);
    let unit = unit.strip_suffix(b"iB").or(unit.strip_suffix(b"B")).unwrap_or(unit);
    number.first().is_some_and(u8::is_ascii_digit)
        && matches!(unit, [b'k' | b'K' | b'M' | b'G' | b'T' | b'P' | b'E'])
        && !path.is_empty()
}

/// Hands every size with its path to `each`. A line without a size is the rest of a name
/// that holds line ends.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where sizes are rounded, or what `each` returns.
pub(super) fn for_each_sized(
    input: &mut Input,
    samples: &mut Samples<'_>,
    mut each: impl FnMut(u64, &[u8], &mut Samples<'_>) -> Result<()>,
) -> Result<()> {
    let name = input.name().to_owned();
    let (mut open, mut path, mut joined) = (None, Vec::new(), 0u64);
    for_each_record(input, |number, line| {
        if is_rounded(line) {
            let what = format!("line {number}: the size is rounded: run 'du -ab', without -h");
            return Err(Error::Unknown { name: name.clone(), what });
        }
        if let Some(sized) = Sized::parse(line).filter(Sized::is_whole) {
            if let Some(size) = open.replace(sized.size) {
                each(size, &path, samples)?;
            }
            path.clear();
            // find's `%P` of the folder where it starts is empty.
            path.extend_from_slice(if sized.path.is_empty() { b"." } else { sized.path });
        } else if open.is_none() || is_no_name(line) {
            samples.skipped.add(number, "expected a size and a path");
        } else if !line.is_empty() {
            path.push(b'\n');
            path.extend_from_slice(line);
            joined += 1;
        }
        Ok(())
    })?;
    if let Some(size) = open {
        each(size, &path, samples)?;
    }
    let what = "lines without a size are the rest of names with line ends: -0 keeps names whole";
    samples.note_count(joined, what);
    Ok(())
}

/// Whether a line is not part of a name but a message of a program, or was cut short.
fn is_no_name(line: &[u8]) -> bool {
    let said = ["du: ", "find: "].iter().any(|program| line.starts_with(program.as_bytes()));
    said || !line.is_empty() && line.trim_ascii_end().iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_size_and_a_path() {
        for (line, size, path) in [
            ("36\ttree/a b", 36, "tree/a b"),
            ("36\ttree/a\tb", 36, "tree/a\tb"),
            ("36\t2026-11-20 19:33\ttree/a\tb", 36, "tree/a\tb"),
            ("36\td\ttree", 36, "tree"),
            ("36\t1795202927\ttree", 36, "tree"),
            ("36\td\t", 36, ""),
            ("36 d tree", 36, "d tree"),
            ("0  tree", 0, " tree"),
        ] {
            let sized = Sized::parse(line.as_bytes()).expect(line);
            assert_eq!((sized.size, sized.path), (size, path.as_bytes()), "{line}");
        }
        for line in ["", "36", "x 36", "36:a", "-36\ta", "4.0K\ta", "99999999999999999999\ta"] {
            assert_eq!(Sized::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn rounded_sizes_are_told_from_others() {
        for line in ["4.0K\ta", "36K\ta", "1.5MiB\ta", "2kB\ta"] {
            assert!(is_rounded(line.as_bytes()), "{line}");
        }
        for line in ["4\ta", "K\ta", "4.0K a", "4.0K\t", "4X\ta"] {
            assert!(!is_rounded(line.as_bytes()), "{line}");
        }
    }
}
