//! Paths that fit on a terminal.

use console::measure_text_width;

use super::{printable, shortened};

/// A file, maybe with a line, as it is shown in at most `cells` cells: `…/a/util.c:14`. The outer
/// folders are cut off first, since the end distinguishes a path from others.
#[must_use]
pub fn fitted_path(path: &[u8], cells: Option<usize>) -> String {
    let path = printable(path);
    let Some(cells) = cells.filter(|&cells| measure_text_width(&path) > cells) else { return path };
    let is_separator = |(at, char): &(usize, char)| *at > 0 && matches!(char, '/' | '\\');
    let tails = path.char_indices().filter(is_separator).map(|(at, _)| &path[at..]);
    let mut tails = tails.map(|tail| format!("\u{2026}{tail}"));
    tails.find(|path| measure_text_width(path) <= cells).unwrap_or_else(|| shortened(&path, cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_outer_folders() {
        for (path, cells, expected) in [
            ("/usr/src/app/a/util.c:14", Some(24), "/usr/src/app/a/util.c:14"),
            ("/usr/src/app/a/util.c:14", Some(23), "\u{2026}/src/app/a/util.c:14"),
            ("/usr/src/app/a/util.c:14", Some(13), "\u{2026}/a/util.c:14"),
            ("C:\\src\\util.c:14", Some(12), "\u{2026}\\util.c:14"),
            ("/usr/src/application.c:14", Some(10), "\u{2026}tion.c:14"),
            ("/usr/src/app/a/util.c:14", None, "/usr/src/app/a/util.c:14"),
        ] {
            assert_eq!(fitted_path(path.as_bytes(), cells), expected, "{path} {cells:?}");
        }
    }
}
