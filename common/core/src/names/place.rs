//! Places in the source, such as `/src/demo.c:14` and `demo.js:5:12`.

use memchr::memrchr;

use crate::numbers::decimal;

/// A place without the folders of its file: `util.c:14` of `/src/a/util.c:14`.
///
/// A backslash separates folders only in a path of Windows, which begins with a drive or a share:
/// `C:\src\a.c:7`, `\\host\share\a.c:7`. A folder stays if it has no file in it: `localhost/:10:3`.
#[must_use]
pub fn base_of_place(place: &[u8]) -> &[u8] {
    let is_of_windows =
        matches!(place, [b'\\', b'\\', ..] | [b'A'..=b'Z' | b'a'..=b'z', b':', b'\\' | b'/', ..]);
    let is_separator = |byte: &u8| *byte == b'/' || is_of_windows && *byte == b'\\';
    let is_before_name = |at: &usize| place.get(at + 1).is_some_and(|&next| next != b':');
    let last = (0..place.len()).rev().find(|at| is_separator(&place[*at]) && is_before_name(at));
    last.map_or(place, |at| &place[at + 1..])
}

/// Splits `demo.js:5:12` into the file, the line and the column, which is 0 if there is none.
/// `None` if joining them again would not give the same text.
#[must_use]
pub fn split_place(place: &[u8]) -> Option<(&[u8], u32, u32)> {
    let (before, last) = split_number(place)?;
    let (file, line, column) = match split_number(before) {
        Some((file, line)) => (file, line, last),
        None => (before, last, 0),
    };
    (!file.is_empty()).then_some((file, line, column))
}

/// The file and the line of a place, without its column: `demo.js` and 5 of `demo.js:5:12`. The
/// line is 0 where the compiler gives none: `demo.c:0`.
#[must_use]
pub fn file_and_line(place: &[u8]) -> (&[u8], u32) {
    if let Some((file, line, _)) = split_place(place) {
        return (file, line);
    }
    let Some(colon) = memrchr(b':', place) else { return (place, 0) };
    let line = decimal(&place[colon + 1..]).and_then(|line| u32::try_from(line).ok());
    (&place[..colon], line.unwrap_or_default())
}

/// Splits a number above 0 off the end, and the `:` before it.
fn split_number(text: &[u8]) -> Option<(&[u8], u32)> {
    let colon = memrchr(b':', text)?;
    let digits = &text[colon + 1..];
    let number = decimal(digits).and_then(|number| u32::try_from(number).ok())?;
    let is_plain = number > 0 && digits[0] != b'0' && number <= i32::MAX.unsigned_abs();
    is_plain.then_some((&text[..colon], number))
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    #[test]
    fn the_base_is_the_file_and_the_line() {
        for (place, base) in [
            ("/usr/src/app/a/util.c:14", "util.c:14"),
            ("a/util.c:14", "util.c:14"),
            ("util.c:14", "util.c:14"),
            ("C:\\src\\my app\\a.c:7", "a.c:7"),
            ("d:/src\\a.c:7", "a.c:7"),
            ("\\\\host\\share\\a.c:7", "a.c:7"),
            // A name of Unix may hold a backslash.
            ("/src/od\\d.c:7", "od\\d.c:7"),
            ("od\\d.c:7", "od\\d.c:7"),
            ("/a b (copy)/c:d (x).c:12", "c:d (x).c:12"),
            ("https://example.org/lib/app.js:5:12", "app.js:5:12"),
            ("http://localhost/:10:3", "localhost/:10:3"),
            ("/src/", "src/"),
            ("", ""),
        ] {
            assert_eq!(base_of_place(place.as_bytes()).as_bstr(), base, "{place}");
        }
    }

    #[test]
    fn a_place_is_a_file_a_line_and_a_column() {
        for (place, expected) in [
            ("a/b c.js:5:12", Some(("a/b c.js", 5, 12))),
            ("C:\\a.c:7", Some(("C:\\a.c", 7, 0))),
            ("demo.c:014", None),
            ("demo.c:0", None),
            (":14", None),
        ] {
            let expected = expected.map(|(file, line, column)| (file.as_bytes(), line, column));
            assert_eq!(split_place(place.as_bytes()), expected, "{place}");
        }
    }

    #[test]
    fn every_place_has_a_file_and_a_line() {
        for (place, file, line) in [
            ("a/b c.js:5:12", "a/b c.js", 5),
            ("C:\\a.c:7", "C:\\a.c", 7),
            ("demo.c:0", "demo.c", 0),
            ("demo.c:014", "demo.c", 14),
            (":14", "", 14),
            ("", "", 0),
        ] {
            assert_eq!(file_and_line(place.as_bytes()), (file.as_bytes(), line), "{place}");
        }
    }
}
